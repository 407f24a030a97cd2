// Writes JSON: numbers as numbers, members in the order in which they come, no blanks.
//
//   text::JsonWriter json;
//   json.BeginObject();
//   json.Key("dims").BeginArray().Int(3).Int(5).EndArray();
//   json.Key("name").String("a \"b\"");
//   json.EndObject();
//   json.text();                       // {"dims":[3,5],"name":"a \"b\""}
//
// The writer keeps track of commas only; that begins and ends match is the caller's part.

#ifndef TESSERA_TEXT_FORMATS_JSON_H_
#define TESSERA_TEXT_FORMATS_JSON_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace tessera::text {

class JsonWriter {
 public:
  JsonWriter& BeginObject() { return Open('{'); }
  JsonWriter& EndObject() { return Close('}'); }
  JsonWriter& BeginArray() { return Open('['); }
  JsonWriter& EndArray() { return Close(']'); }
  // The name of the next value of an object.
  JsonWriter& Key(absl::string_view name);
  // The same, where `"name":` is at hand.
  JsonWriter& RawKey(absl::string_view quoted);

  JsonWriter& String(absl::string_view value);
  JsonWriter& Int(int64_t value);
  JsonWriter& Double(double value);  // null for what is no finite number
  JsonWriter& Bool(bool value);
  JsonWriter& Null();

  const std::string& text() const { return text_; }
  std::string TakeText() { return std::move(text_); }

 private:
  JsonWriter& Open(char bracket);
  JsonWriter& Close(char bracket);
  JsonWriter& Value(absl::string_view value);
  std::string& Next();  // with the comma before the next value

  std::string text_;
  bool comma_ = false;  // does a value stand before the next one?
};

// `text` in quotes, with what JSON wants escaped: always valid UTF-8. Bytes that are not UTF-8
// become U+FFFD, the replacement character, once for each ill-formed piece (utf8.h).
std::string JsonQuote(absl::string_view text);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FORMATS_JSON_H_
