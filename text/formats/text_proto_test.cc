#include "tessera/text/formats/text_proto.h"

#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"
#include "tessera/text/diagnostic.h"

namespace tessera::text {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::FileDescriptorProto;

constexpr char kText[] =
    "name: \"a\"\n"
    "dependency: \"b\"\n"
    "  dependency: \"c\"\n"
    "message_type { name: \"m\" }\n";

TEST(TextProtoTest, FieldsHavePlaces) {
  const std::string text = kText;
  FileDescriptorProto file;
  ProtoPlaces places;
  ASSERT_TRUE(ParseTextProto(text, &file, &places).ok());
  const auto* descriptor = FileDescriptorProto::descriptor();
  EXPECT_EQ(places.OffsetOf(descriptor->FindFieldByName("name"), 0), 0);
  EXPECT_EQ(places.OffsetOf(descriptor->FindFieldByName("dependency"), 1), text.find("  dep") + 2);
  EXPECT_EQ(places.OffsetOf(descriptor->FindFieldByName("package"), 0), 0);
  const ProtoPlaces nested = places.Nested(descriptor->FindFieldByName("message_type"), 0);
  EXPECT_EQ(nested.OffsetOf(DescriptorProto::descriptor()->FindFieldByName("name"), 0),
            text.find("name: \"m\""));
}

TEST(TextProtoTest, TheFirstMistakeHasAPlace) {
  FileDescriptorProto file;
  ProtoPlaces places;
  const absl::Status status = ParseTextProto("name: \"a\"\nnick: \"b\"\nnick", &file, &places);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(ErrorOffset(status), 14);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("nick"));
}

TEST(TextProtoTest, NothingHasNoPlaces) {
  FileDescriptorProto file;
  EXPECT_EQ(ProtoPlaces().OffsetOf(FileDescriptorProto::descriptor()->FindFieldByName("name"), 0),
            0);
  ProtoPlaces places;
  EXPECT_TRUE(ParseTextProto("", &file, &places).ok());
}

}  // namespace
}  // namespace tessera::text
