#ifndef BATON_CXXHASH_H
#define BATON_CXXHASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// XXH_INLINE_ALL renames the library's functions by macros, which Swift cannot see; the one used
// is wrapped under a name of ours and inlines into the caller.
#define XXH_INLINE_ALL
#include <xxhash.h>

/// XXH3 (64 bit, seed 0) of `count` bytes; `bytes` may be null when `count` is 0.
static inline uint64_t baton_xxh3_64(const uint8_t *_Nullable bytes, size_t count) {
  return XXH3_64bits(bytes, count);
}

/// XXH3 (64 bit) of `count` bytes with a seed; `bytes` may be null when `count` is 0.
static inline uint64_t baton_xxh3_64_seeded(const uint8_t *_Nullable bytes, size_t count,
                                            uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, count, seed);
}

/// Whether `count` bytes of both are equal; either may be null when `count` is 0.
static inline int baton_equal(const uint8_t *_Nullable left, const uint8_t *_Nullable right,
                              size_t count) {
  return count == 0 || memcmp(left, right, count) == 0;
}

/// Where a byte stands first among `count`, or `count`; `bytes` may be null when `count` is 0.
static inline size_t baton_index_of(const uint8_t *_Nullable bytes, uint8_t byte, size_t count) {
  const uint8_t *found = count == 0 ? NULL : memchr(bytes, byte, count);
  return found == NULL ? count : (size_t)(found - bytes);
}

#endif
