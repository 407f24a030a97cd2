// File: projection/signature/json_value.h
//
// JSON of whole numbers, strings, lists and objects: what projections are written in.
//
//   absl::StatusOr<JsonValue> v = ParseJson(R"({"shape":[4,4]})");
//   v->Find("shape")->Ints()        // [4, 4]
#ifndef TESSERA_PROJECTION_SIGNATURE_JSON_VALUE_H_
#define TESSERA_PROJECTION_SIGNATURE_JSON_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/core/point.h"

namespace tessera::projection {

struct JsonValue {
  enum class Kind { kInt, kString, kList, kObject };
  Kind kind = Kind::kList;
  int64_t number = 0;
  std::string string;
  std::vector<JsonValue> list;
  std::vector<std::pair<std::string, JsonValue>> members;

  // Null for a key that is not there.
  const JsonValue* Find(absl::string_view key) const;
  // A list of numbers: kParse for anything else.
  absl::StatusOr<ZPoint> Ints() const;
};

// kParse, with the position in the text; nesting deeper than 64 is an error.
absl::StatusOr<JsonValue> ParseJson(absl::string_view text);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_JSON_VALUE_H_
