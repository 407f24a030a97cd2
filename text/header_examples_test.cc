// The examples at the head of the public headers, as they stand there: each compiles, and gives what
// its comment says.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.pb.h"
#include "gtest/gtest.h"
#include "tessera/text/checked.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/edit_distance.h"
#include "tessera/text/error_list.h"
#include "tessera/text/error_place.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/formats/svg_writer.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/formats/utf8.h"
#include "tessera/text/interner.h"
#include "tessera/text/key_table.h"
#include "tessera/text/near_names.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"
#include "tessera/text/text_arena.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr char kDott[] = "HloModule m\nENTRY e {\ny = f32[2] dott(x)\n";

TEST(HeaderExamples, Source) {
  auto source = text::Source::FromString("a.hlo", "HloModule m\nENTRY e");
  text::Position p = source->PositionOf(12);
  EXPECT_EQ(p.line, 2);
  EXPECT_EQ(p.column, 1);
}

// Across the ends of chunks, and with room that is not used up.
TEST(HeaderExamples, TextArena) {
  text::TextArena arena;
  EXPECT_EQ(arena.Keep("{devices=[2,1]", "<=[2]}"), "{devices=[2,1]<=[2]}");
  std::vector<absl::string_view> kept;
  constexpr size_t kTexts = 3000;
  for (size_t i = 0; i < kTexts; ++i) {
    char* const room = arena.Room(2 * i);
    kept.push_back(arena.KeepWritten(std::fill_n(room, i, 'x')));
  }
  for (size_t i = 0; i < kTexts; ++i) {
    EXPECT_EQ(kept[i], std::string(i, 'x'));
    EXPECT_EQ(*kept[i].end(), '\0');
  }
}

TEST(HeaderExamples, Utf8) {
  const text::Utf8Piece piece = text::FirstPiece("\xc3\xa9t\xc3\xa9");
  EXPECT_EQ(piece.size, 2u);
  EXPECT_TRUE(piece.is_character);
  const text::Utf8Piece bad = text::FirstPiece("\xe2\x82x");
  EXPECT_EQ(bad.size, 2u);
  EXPECT_FALSE(bad.is_character);
}

TEST(HeaderExamples, Diagnostic) {
  auto source = text::Source::FromString("a.hlo", kDott);
  const size_t offset = std::string(kDott).find("dott");
  text::Diagnostics found;
  found.Error(offset, "unknown opcode 'dott'; did you mean 'dot'?");
  EXPECT_FALSE(found.ok());
  EXPECT_EQ(found.Render(*source),
            "a.hlo:3:12: error: unknown opcode 'dott'; did you mean 'dot'?\n"
            "  y = f32[2] dott(x)\n"
            "             ^\n");
}

TEST(HeaderExamples, ErrorList) {
  auto source = text::Source::FromString("a.hlo", "1\n22\n333\n");
  absl::Status found;
  for (const size_t item : {5, 0}) {
    text::Collect(text::ErrorAt(item, "odd"), &found);
  }
  EXPECT_EQ(text::ErrorOffset(found), 5u);
  const std::string all(text::LocatedAll(found, *source).message());
  EXPECT_THAT(all, ::testing::StartsWith("a.hlo:1:1: error: odd"));
  EXPECT_THAT(all, HasSubstr("a.hlo:3:1: error: odd"));
}

TEST(HeaderExamples, ErrorPlace) {
  auto source = text::Source::FromString("a.hlo", kDott);
  const absl::Status status = text::Located(text::ErrorAt(12, "no"), *source);
  const auto place = text::FindErrorPlace(status);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->file, "a.hlo");
  EXPECT_EQ(place->line, 2);
  EXPECT_EQ(place->column, 1);
}

absl::StatusOr<int64_t> BlockBytes(int64_t rows, int64_t columns) {
  Checked bytes = Checked(rows) * columns * 4;
  if (!bytes.ok()) return absl::OutOfRangeError("bytes of the block");
  return bytes.value();
}

std::optional<int64_t> Product(absl::Span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (!MultiplyFits(product, size, &product)) return std::nullopt;
  }
  return product;
}

TEST(HeaderExamples, Checked) {
  EXPECT_EQ(*BlockBytes(3, 5), 60);
  EXPECT_FALSE(BlockBytes(int64_t{1} << 62, 5).ok());
  EXPECT_EQ(Product({3, 5}), 15);
  EXPECT_EQ(Product({int64_t{1} << 62, 5}), std::nullopt);
  EXPECT_EQ(SaturatingProduct(int64_t{1} << 62, 5), INT64_MAX);
  EXPECT_EQ(FloorDiv(-1, 4), -1);
  EXPECT_EQ(CeilDiv(-1, 4), 0);
  EXPECT_EQ(FloorMod(-1, 4), 3);
}

absl::StatusOr<int64_t> Rows(absl::string_view text) {
  text::Cursor in(text);
  int64_t rows = 0;
  if (!in.Consume('[') || !in.ConsumeInt(rows)) return in.Error("expected '[' and a number");
  return rows;
}

absl::Status CheckRows(absl::string_view text) {
  TESSERA_ASSIGN_OR_RETURN(const int64_t rows, Rows(text));
  TESSERA_RETURN_IF_ERROR(BlockBytes(rows, 1).status());
  return absl::OkStatus();
}

TEST(HeaderExamples, CursorAndMacros) {
  EXPECT_EQ(*Rows("[4, 2]"), 4);
  EXPECT_EQ(text::ErrorOffset(CheckRows(" 4")), 1u);
  EXPECT_TRUE(CheckRows("[4]").ok());
}

TEST(HeaderExamples, NearNames) {
  EXPECT_EQ(text::NearNames("dot.1", {"dot.17", "add.2", "dot.7"}),
            (std::vector<std::string>{"dot.17", "dot.7"}));
  EXPECT_EQ(text::DidYouMean("negat", {"negate", "not"}), ", did you mean 'negate'?");
}

TEST(HeaderExamples, EditDistance) { EXPECT_EQ(text::EditDistance("negat", "negate"), 1u); }

TEST(HeaderExamples, Tables) {
  text::Interner<std::string> shapes;
  const std::string shape = "f32[8]";
  uint32_t id = shapes.Intern(shape);
  const std::string& same = shapes[id];
  EXPECT_EQ(same, shape);

  text::KeyTable keys;
  std::vector<int> answers;
  const auto answer = [&](uint64_t opcode, absl::Span<const uint32_t> shape_ids) {
    const uint32_t n = keys.Number(opcode, shape_ids);
    if (n == answers.size()) answers.push_back(static_cast<int>(opcode));
    return answers[n];
  };
  EXPECT_EQ(answer(7, {id}), 7);
  EXPECT_EQ(answer(8, {id}), 8);
  EXPECT_EQ(answer(7, {id}), 7);
  EXPECT_EQ(answers.size(), 2u);
}

TEST(HeaderExamples, Json) {
  text::JsonWriter json;
  json.BeginObject();
  json.Key("dims").BeginArray().Int(3).Int(5).EndArray();
  json.Key("name").String("a \"b\"");
  json.EndObject();
  EXPECT_EQ(json.text(), R"({"dims":[3,5],"name":"a \"b\""})");
}

TEST(HeaderExamples, Svg) {
  text::SvgWriter svg;
  svg.Rect({10, 10, 30, 20}, "class=\"cell\"", "title of the cell");
  svg.Shape("circle", "cx=\"5\" cy=\"5\" r=\"2\"");
  svg.Text(25, 24, "7", "class=\"number\"");
  std::string file = SvgFile(svg.Finish(200, 100, "<style>..</style>\n"));
  EXPECT_THAT(file, HasSubstr("viewBox=\"0 0 200 100\""));
  EXPECT_THAT(file, HasSubstr("<title>title of the cell</title>"));
  text::SvgWriter page;
  page.Picture(0, 40, svg.Finish(200, 100, ""));
  EXPECT_THAT(
      SvgFile(page.Finish(200, 140, "")),
      HasSubstr("<svg x=\"0\" y=\"40\" width=\"200\" height=\"100\" viewBox=\"0 0 200 100\">"));
}

TEST(HeaderExamples, TextProto) {
  using File = google::protobuf::FileDescriptorProto;
  auto source = text::Source::FromString("f", "dependency: \"a\"\ndependency: \"b\"\n");
  File file;
  text::ProtoPlaces places;
  ASSERT_TRUE(text::ParseTextProto(source->text(), &file, &places).ok());
  EXPECT_EQ(places.OffsetOf(File::descriptor()->FindFieldByName("dependency"), 1), 16u);
}

}  // namespace
}  // namespace tessera
