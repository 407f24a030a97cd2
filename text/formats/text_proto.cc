#include "tessera/text/formats/text_proto.h"

#include <algorithm>
#include <memory>
#include <string>

#include "google/protobuf/io/tokenizer.h"
#include "tessera/text/diagnostic.h"

namespace tessera::text {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;

// Lines and columns from 0, as the parser counts them.
size_t OffsetOfPlace(absl::string_view text, int line, int column) {
  size_t at = 0;
  for (; line > 0 && at < text.size(); --line)
    at = std::min(text.find('\n', at), text.size() - 1) + 1;
  return std::min(at + static_cast<size_t>(std::max(column, 0)), text.size());
}

class FirstMistake : public google::protobuf::io::ErrorCollector {
 public:
  explicit FirstMistake(absl::string_view text) : text_(text) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (status_.ok()) status_ = ErrorAt(OffsetOfPlace(text_, line, column), message);
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::string_view text_;
  absl::Status status_;
};

}  // namespace

size_t ProtoPlaces::OffsetOf(const FieldDescriptor* field, int index) const {
  if (tree_ == nullptr) return 0;
  const TextFormat::ParseLocation place =
      tree_->GetLocation(field, field->is_repeated() ? index : -1);
  return place.line < 0 ? 0 : OffsetOfPlace(text_, place.line, place.column);
}

ProtoPlaces ProtoPlaces::Nested(const FieldDescriptor* field, int index) const {
  ProtoPlaces nested;
  nested.text_ = text_;
  if (tree_ == nullptr) return nested;
  nested.tree_ = tree_->GetTreeForNested(field, field->is_repeated() ? index : -1);
  return nested;
}

absl::Status ParseTextProto(absl::string_view text, google::protobuf::Message* message,
                            ProtoPlaces* places) {
  places->text_ = text;
  places->root_ = std::make_shared<TextFormat::ParseInfoTree>();
  places->tree_ = places->root_.get();
  FirstMistake mistake(text);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&mistake);
  parser.WriteLocationsTo(places->root_.get());
  if (parser.ParseFromString(std::string(text), message)) return absl::OkStatus();
  return mistake.status().ok() ? ErrorAt(0, "no text form of a protocol buffer") : mistake.status();
}

}  // namespace tessera::text
