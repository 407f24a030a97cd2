#include "tessera/pipeline/verbs/layout/relayout_array.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/process/mapped_file.h"
#include "tessera/pipeline/verbs/layout/npy_header.h"

namespace tessera::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 0, 1, 2 .. as 32-bit numbers, so many as `dims` have.
std::string Counted(const std::vector<int64_t>& dims, bool fortran_order = false) {
  NpyHeader header;
  header.type = "<i4";
  header.fortran_order = fortran_order;
  header.dims = dims;
  std::string file = NpyHeaderText(header);
  int64_t count = 1;
  for (const int64_t size : dims) count *= size;
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return file.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * 4);
}

std::vector<int32_t> NumbersOf(const std::string& file) {
  const size_t begin = ParseNpyHeader(file)->size;
  std::vector<int32_t> numbers((file.size() - begin) / 4);
  std::memcpy(numbers.data(), file.data() + begin, numbers.size() * 4);
  return numbers;
}

TEST(NpyHeaderTest, AreReadAsTheyAreWritten) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{}, {7}, {3, 5}, {0, 4}, std::vector<int64_t>(20000, 1)}) {
    NpyHeader header;
    header.type = "<V2";
    header.dims = dims;
    header.fortran_order = dims.size() == 2;
    const std::string text = NpyHeaderText(header);
    const auto read = ParseNpyHeader(text);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(text.size() % 64, 0u);
    EXPECT_EQ(read->size, text.size());
    EXPECT_EQ(read->type, "<V2");
    EXPECT_EQ(read->item_bytes, 2);
    EXPECT_EQ(read->dims, dims);
    EXPECT_EQ(read->fortran_order, header.fortran_order);
  }
}

TEST(NpyHeaderTest, RefuseWhatIsNoArrayOfNumbers) {
  const std::string file = Counted({2, 3});
  for (size_t size = 0; size < ParseNpyHeader(file)->size; ++size) {
    EXPECT_FALSE(ParseNpyHeader(file.substr(0, size)).ok()) << size;
  }
  std::string objects = file;
  objects.replace(objects.find("<i4"), 3, "|O8");
  EXPECT_TRUE(ParseNpyHeader(objects).ok());  // a type, which no array has
  EXPECT_THAT(RelayoutNpyFile(objects, "", "{0,1}").status().message(), HasSubstr("\"O8\""));
  std::string records = file;
  records.replace(records.find("'<i4'"), 5, "[1,2]");
  EXPECT_THAT(ParseNpyHeader(records).status().message(), HasSubstr("records"));
}

TEST(RelayoutArrayTest, OrdersOfNumPyStayArrays) {
  const auto turned = RelayoutNpyFile(Counted({2, 3}), "", "{0,1}");
  ASSERT_TRUE(turned.ok()) << turned.status();
  EXPECT_TRUE(ParseNpyHeader(*turned)->fortran_order);
  EXPECT_THAT(ParseNpyHeader(*turned)->dims, ElementsAre(2, 3));
  EXPECT_THAT(NumbersOf(*turned), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_EQ(*RelayoutNpyFile(*turned, "", "{1,0}"), Counted({2, 3}));
}

TEST(RelayoutArrayTest, TilesBecomeARowOfMemoryAndComeBack) {
  const std::string given = Counted({5, 7});
  const auto tiled = RelayoutNpyFile(given, "", "{1,0:T(2,4)}");
  ASSERT_TRUE(tiled.ok()) << tiled.status();
  EXPECT_THAT(ParseNpyHeader(*tiled)->dims, ElementsAre(6 * 8));
  const auto map = layout::IndexMap::Create(*layout::ParseShape("s32[5,7]{1,0:T(2,4)}"));
  const std::vector<int32_t> numbers = NumbersOf(*tiled);
  for (int64_t offset = 0; offset < 48; ++offset) {
    const auto index = *map->IndexAt(offset);
    EXPECT_EQ(numbers[offset], index ? (*index)[0] * 7 + (*index)[1] : 0) << offset;
  }
  EXPECT_EQ(*RelayoutNpyFile(*tiled, "s32[5,7]{1,0:T(2,4)}", "{1,0}"), given);
}

TEST(RelayoutArrayTest, ElementsOfFourBitsArePacked) {
  std::string file = Counted({2, 2});
  file.replace(file.find("<i4"), 3, "|i1");
  file.resize(ParseNpyHeader(file)->size);
  const std::string bytes = {1, 2, -3, 4};
  const auto packed = RelayoutNpyFile(file + bytes, "", "s4[2,2]{1,0:E(4)}");
  ASSERT_TRUE(packed.ok()) << packed.status();
  EXPECT_THAT(ParseNpyHeader(*packed)->dims, ElementsAre(2));
  EXPECT_EQ(packed->substr(ParseNpyHeader(*packed)->size), "\x21\x4d");
  EXPECT_EQ(*RelayoutNpyFile(*packed, "s4[2,2]{1,0:E(4)}", "s4[2,2]"), file + bytes);
}

TEST(RelayoutArrayTest, ErrorsSayWhatDoesNotFit) {
  const std::string file = Counted({2, 3});
  EXPECT_THAT(RelayoutNpyFile(file, "s32[4,3]", "{0,1}").status().message(),
              HasSubstr("the array has 24 bytes, and s32[4,3]{1,0} takes 48"));
  EXPECT_THAT(RelayoutNpyFile(file, "", "{0,0}").status().message(), HasSubstr("twice"));
  EXPECT_THAT(RelayoutNpyFile(file, "", "{0,1:T(2,").status().message(), HasSubstr("<layout>:1:"));
  EXPECT_THAT(RelayoutNpyFile(file, "", "f16[2,3]").status().message(), HasSubstr("f16"));
  EXPECT_THAT(RelayoutNpyFile(file + "x", "", "{0,1}").status().message(),
              HasSubstr("has 25 bytes, and its header takes 24"));
}

TEST(MappedFileTest, HasTheBytesOfTheFile) {
  const std::string path = ::testing::TempDir() + "mapped";
  for (const std::string& bytes : {std::string("\0abc", 4), std::string()}) {
    std::ofstream(path, std::ios::binary) << bytes;
    EXPECT_EQ((*MappedFile::Open(path))->bytes(), bytes);
  }
  EXPECT_THAT(MappedFile::Open(path + ".no").status().message(), HasSubstr("No such file"));
  EXPECT_THAT(MappedFile::Open(::testing::TempDir()).status().message(), HasSubstr("regular file"));
}

}  // namespace
}  // namespace tessera::pipeline
