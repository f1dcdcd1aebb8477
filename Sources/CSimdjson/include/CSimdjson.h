#ifndef BATON_CSIMDJSON_H
#define BATON_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How indexing a document ended. Only the kinds a caller treats apart are told apart.
enum baton_json_status {
  BATON_JSON_OK = 0,
  BATON_JSON_EMPTY = 1,
  BATON_JSON_INVALID_UTF8 = 2,
  BATON_JSON_UNCLOSED_STRING = 3,
  BATON_JSON_CONTROL_CHARACTER = 4,
  BATON_JSON_TOO_LARGE = 5,
  BATON_JSON_OUT_OF_MEMORY = 6,
  BATON_JSON_OTHER = 7,
};

/// The bytes that must be readable after a document, whatever they hold.
enum { BATON_JSON_PADDING = 64 };

typedef struct baton_json_indexer baton_json_indexer;

/// An indexer that owns the buffer of the last index; null when memory is short.
baton_json_indexer *_Nullable baton_json_indexer_create(void);

void baton_json_indexer_destroy(baton_json_indexer *_Nullable indexer);

/// Checks the UTF-8, the string ends and the control characters of `count` bytes and indexes the
/// structural characters, string starts and scalar starts, in order. `bytes` must be readable for
/// `count + BATON_JSON_PADDING`. The offsets are owned by `indexer` and live until its next call.
int baton_json_index(baton_json_indexer *_Nonnull indexer, const uint8_t *_Nonnull bytes,
                     size_t count, const uint32_t *_Nullable *_Nonnull offsets,
                     size_t *_Nonnull offset_count);

/// Which of `count` offsets comes behind the value that the one at `from` starts, by its brackets
/// alone; `count` when they don't close.
size_t baton_json_leap(const uint8_t *_Nonnull bytes, const uint32_t *_Nonnull offsets, size_t from,
                       size_t count);

#ifdef __cplusplus
}
#endif

#endif
