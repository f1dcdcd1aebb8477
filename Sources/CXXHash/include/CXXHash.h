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

static inline uint64_t baton_load_64(const uint8_t *_Nonnull bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static inline uint32_t baton_load_32(const uint8_t *_Nonnull bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

/// Whether `count` bytes of both are equal; either may be null when `count` is 0.
///
/// Most cells and keys are short: up to 16 bytes are compared by two loads that may overlap.
static inline int baton_equal(const uint8_t *_Nullable left, const uint8_t *_Nullable right,
                              size_t count) {
  if (count > 16) {
    return memcmp(left, right, count) == 0;
  }
  if (count >= 8) {
    size_t last = count - 8;
    return ((baton_load_64(left) ^ baton_load_64(right)) |
            (baton_load_64(left + last) ^ baton_load_64(right + last))) == 0;
  }
  if (count >= 4) {
    size_t last = count - 4;
    return ((baton_load_32(left) ^ baton_load_32(right)) |
            (baton_load_32(left + last) ^ baton_load_32(right + last))) == 0;
  }
  for (size_t index = 0; index < count; index++) {
    if (left[index] != right[index]) {
      return 0;
    }
  }
  return 1;
}

/// Copies `count` bytes that don't overlap those they are copied over; either may be null when `count`
/// is 0.
///
/// Most cells and keys are short: up to 32 bytes are copied by two loads and stores that may overlap.
static inline void baton_copy(uint8_t *_Nullable to, const uint8_t *_Nullable from, size_t count) {
  if (count > 32) {
    memcpy(to, from, count);
  } else if (count >= 16) {
    struct { uint64_t low, high; } first, last;
    memcpy(&first, from, 16);
    memcpy(&last, from + count - 16, 16);
    memcpy(to, &first, 16);
    memcpy(to + count - 16, &last, 16);
  } else if (count >= 8) {
    uint64_t first = baton_load_64(from), last = baton_load_64(from + count - 8);
    memcpy(to, &first, 8);
    memcpy(to + count - 8, &last, 8);
  } else if (count >= 4) {
    uint32_t first = baton_load_32(from), last = baton_load_32(from + count - 4);
    memcpy(to, &first, 4);
    memcpy(to + count - 4, &last, 4);
  } else {
    for (size_t index = 0; index < count; index++) {
      to[index] = from[index];
    }
  }
}

/// Where a byte stands first among `count`, or `count`; `bytes` may be null when `count` is 0.
static inline size_t baton_index_of(const uint8_t *_Nullable bytes, uint8_t byte, size_t count) {
  const uint8_t *found = count == 0 ? NULL : memchr(bytes, byte, count);
  return found == NULL ? count : (size_t)(found - bytes);
}

#endif
