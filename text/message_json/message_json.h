// Messages as JSON: the one writer of what verbs answer with --json.
//
//   answers::StatsAnswer answer;
//   answer.set_module("step");
//   answer.set_instructions(4);
//   text::JsonOf(answer);            // {"module":"step","instructions":4,"opcodes":[], ..}
//
// Members have the names of the fields and stand in the order in which the .proto declares them. A field that is not
// set is absent. A list is always there, though empty. Numbers are numbers, those of 64 bits too; a number that is
// not finite is null. Options of a field (json_options.proto) say otherwise:
//
//   optional string op_name = 3 [(text.if_any) = true];   // absent where it is empty, zero or false
//   repeated Fix fixes = 4 [(text.if_any) = true];
//   repeated int64 tile = 6 [(text.with) = "shape"];      // absent where `shape` is
//   optional int64 limit = 7 [(text.or_null) = true];     // null where it would be absent
//   optional bool has_tile = 8 [(text.unwritten) = true]; // never there: for `with`
//
// A list of very many rows need not be in memory: the writer asks for one after the other.
//
//   answers::TensorSharding row;
//   text::JsonOf(answer, {"tensors", &row, tensors.size(), [&](size_t k) { Fill(tensors[k], &row); }});
//
// protobuf's own writer is not it: that writes numbers of 64 bits as texts. Fields of the types int32, int64, double,
// bool, string and messages are known. Cost: linear in the text. Tested by message_json_test.cc.

#ifndef TESSERA_TEXT_MESSAGE_JSON_MESSAGE_JSON_H_
#define TESSERA_TEXT_MESSAGE_JSON_MESSAGE_JSON_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

namespace tessera::text {

// The rows of a list of the outermost message.
struct JsonRows {
  absl::string_view field;
  google::protobuf::Message* row = nullptr;  // of the type of the list
  size_t size = 0;
  std::function<void(size_t number)> fill;  // fills `row`, which is empty
};

std::string JsonOf(const google::protobuf::Message& message);
std::string JsonOf(const google::protobuf::Message& message, const JsonRows& rows);

// A line for each of `size` messages; `fill` as of JsonRows.
std::string JsonLines(google::protobuf::Message* row, size_t size,
                      const std::function<void(size_t number)>& fill);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_MESSAGE_JSON_MESSAGE_JSON_H_
