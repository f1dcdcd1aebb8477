#include "CSimdjson.h"

#include <memory>
#include <new>

#include <simdjson.h>

struct baton_json_indexer {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

extern "C" baton_json_indexer *baton_json_indexer_create(void) {
  return new (std::nothrow) baton_json_indexer();
}

extern "C" void baton_json_indexer_destroy(baton_json_indexer *indexer) { delete indexer; }

static int status_of(simdjson::error_code code) {
  switch (code) {
  case simdjson::SUCCESS:
    return BATON_JSON_OK;
  case simdjson::EMPTY:
    return BATON_JSON_EMPTY;
  case simdjson::UTF8_ERROR:
    return BATON_JSON_INVALID_UTF8;
  case simdjson::UNCLOSED_STRING:
    return BATON_JSON_UNCLOSED_STRING;
  case simdjson::UNESCAPED_CHARS:
    return BATON_JSON_CONTROL_CHARACTER;
  case simdjson::CAPACITY:
    return BATON_JSON_TOO_LARGE;
  case simdjson::MEMALLOC:
    return BATON_JSON_OUT_OF_MEMORY;
  default:
    return BATON_JSON_OTHER;
  }
}

extern "C" int baton_json_index(baton_json_indexer *indexer, const uint8_t *bytes, size_t count,
                                const uint32_t **offsets, size_t *offset_count) {
  *offsets = nullptr;
  *offset_count = 0;
  if (count == 0) {
    return BATON_JSON_EMPTY;
  }
  if (count > simdjson::SIMDJSON_MAXSIZE_BYTES) {
    return BATON_JSON_TOO_LARGE;
  }
  if (!indexer->parser || indexer->parser->capacity() < count) {
    indexer->parser.reset();
    // The depth only sizes what the second stage needs, which is never run.
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(
        count < 65536 ? 65536 : count, 1, indexer->parser);
    if (error) {
      indexer->parser.reset();
      return status_of(error);
    }
  }
  auto error = indexer->parser->stage1(bytes, count, simdjson::stage1_mode::regular);
  if (error) {
    return status_of(error);
  }
  *offsets = indexer->parser->structural_indexes.get();
  *offset_count = indexer->parser->n_structural_indexes;
  return BATON_JSON_OK;
}

extern "C" size_t baton_json_leap(const uint8_t *bytes, const uint32_t *offsets, size_t from,
                                  size_t count) {
  // Setting this bit makes one pair of the two kinds of brackets, and a bracket of nothing else that
  // JSON has outside of strings.
  const uint8_t bit = 0x20;
  long depth = 0;
  for (size_t next = from; next < count; next++) {
    uint8_t found = bytes[offsets[next]] | bit;
    depth += (found == '{') - (found == '}');
    if (depth <= 0) {
      return next + 1;
    }
  }
  return count;
}
