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

namespace {
/// How much deeper a character leads: 1 behind an opening bracket, -1 behind a closing one.
struct depth_steps {
  int8_t of[256] = {};
  constexpr depth_steps() {
    of['{'] = of['['] = 1;
    of['}'] = of[']'] = -1;
  }
};
constexpr depth_steps steps;
} // namespace

extern "C" size_t baton_json_leap(const uint8_t *bytes, const uint32_t *offsets, size_t from,
                                  size_t count) {
  if (from >= count) {
    return count;
  }
  long depth = steps.of[bytes[offsets[from]]];
  if (depth <= 0) {
    return from + 1;
  }
  size_t next = from + 1;
  // Four at a time: the depth after each, and one look whether any of them is 0.
  while (count - next >= 4) {
    long first = depth + steps.of[bytes[offsets[next]]];
    long second = first + steps.of[bytes[offsets[next + 1]]];
    long third = second + steps.of[bytes[offsets[next + 2]]];
    long fourth = third + steps.of[bytes[offsets[next + 3]]];
    if (((first - 1) | (second - 1) | (third - 1) | (fourth - 1)) < 0) {
      break;
    }
    depth = fourth;
    next += 4;
  }
  for (; next < count; next++) {
    depth += steps.of[bytes[offsets[next]]];
    if (depth <= 0) {
      return next + 1;
    }
  }
  return count;
}
