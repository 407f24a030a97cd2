// A protocol buffer in its text form, with the places of its fields.
//
//   Grid grid;
//   ProtoPlaces places;
//   TESSERA_RETURN_IF_ERROR(ParseTextProto(source->text(), &grid, &places));   // ErrorAt(): offset
//   places.OffsetOf(Grid::descriptor()->FindFieldByName("mesh"), 2);           // of the third mesh
//
// The parser of protocol buffers counts lines and columns; here everything is an offset, as in
// diagnostic.h. Tested by text_proto_test.cc.

#ifndef TESSERA_TEXT_FORMATS_TEXT_PROTO_H_
#define TESSERA_TEXT_FORMATS_TEXT_PROTO_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"
#include "google/protobuf/text_format.h"

namespace tessera::text {

// Of one message; that of a message inside by Nested().
class ProtoPlaces {
 public:
  // The field's name in the text; 0 for a field that is not there.
  size_t OffsetOf(const google::protobuf::FieldDescriptor* field, int index) const;
  // The nested places must not outlive their parent.
  ProtoPlaces Nested(const google::protobuf::FieldDescriptor* field, int index) const;

 private:
  friend absl::Status ParseTextProto(absl::string_view text, google::protobuf::Message* message,
                                     ProtoPlaces* places);
  absl::string_view text_;
  std::shared_ptr<google::protobuf::TextFormat::ParseInfoTree> root_;  // null for a nested one
  const google::protobuf::TextFormat::ParseInfoTree* tree_ = nullptr;
};

// InvalidArgument with the offset of the first mistake. `text` must outlive the places.
absl::Status ParseTextProto(absl::string_view text, google::protobuf::Message* message,
                            ProtoPlaces* places);

}  // namespace tessera::text

#endif  // TESSERA_TEXT_FORMATS_TEXT_PROTO_H_
