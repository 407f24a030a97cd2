#include "tessera/pipeline/verbs/layout/npy_header.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "re2/re2.h"

namespace tessera::pipeline {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
constexpr size_t kVersionBytes = 2;
constexpr size_t kAlignment = 64;  // of the first element in the file

absl::Status NoNpyFile() {
  return absl::InvalidArgumentError("no .npy file: its header is missing, cut or damaged");
}

size_t LittleEndian(absl::string_view bytes) {
  size_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

// The dictionary's text and, in `size`, the bytes of all before the elements.
std::optional<absl::string_view> Dictionary(absl::string_view file, size_t* size) {
  const size_t version_at = kMagic.size();
  if (!absl::StartsWith(file, kMagic) || file.size() < version_at + kVersionBytes) {
    return std::nullopt;
  }
  const size_t length_bytes = file[version_at] == 1 ? 2 : 4;
  const size_t begin = version_at + kVersionBytes + length_bytes;
  if (file.size() < begin) return std::nullopt;
  const size_t length = LittleEndian(file.substr(begin - length_bytes, length_bytes));
  if (length > file.size() - begin) return std::nullopt;
  *size = begin + length;
  return file.substr(begin, length);
}

bool ReadDims(absl::string_view text, std::vector<int64_t>* dims) {
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    if (!absl::SimpleAtoi(part, &dims->emplace_back()) || dims->back() < 0) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file) {
  static const RE2& simple =
      *new RE2(R"(\{\s*'descr':\s*'([<>|=]([a-zA-Z])(\d+))',\s*'fortran_order':\s*(True|False),)"
               R"(\s*'shape':\s*\(([\d,\s]*)\),?\s*\}\s*)");
  NpyHeader header;
  const std::optional<absl::string_view> text = Dictionary(file, &header.size);
  if (!text.has_value()) return NoNpyFile();
  std::string order, dims;
  if (!RE2::FullMatch(re2::StringPiece(text->data(), text->size()), simple, &header.type,
                      &header.kind, &header.item_bytes, &order, &dims)) {
    return absl::UnimplementedError(
        "the .npy file holds records, Python objects or a type that is no number");
  }
  header.fortran_order = order == "True";
  if (!ReadDims(dims, &header.dims)) return NoNpyFile();
  return header;
}

std::string NpyHeaderText(const NpyHeader& header) {
  std::string text =
      absl::StrCat("{'descr': '", header.type,
                   "', 'fortran_order': ", header.fortran_order ? "True" : "False", ", 'shape': (",
                   absl::StrJoin(header.dims, ", "), header.dims.size() == 1 ? ",)" : ")", ", }");
  const bool is_long = text.size() > 0xff00;
  const size_t length_bytes = is_long ? 4 : 2;
  const size_t before = kMagic.size() + kVersionBytes + length_bytes;
  text.append(kAlignment - 1 - (before + text.size()) % kAlignment, ' ');
  text.push_back('\n');
  std::string file = absl::StrCat(kMagic, std::string(1, is_long ? 2 : 1), std::string(1, 0));
  for (size_t i = 0; i < length_bytes; ++i) file.push_back(static_cast<char>(text.size() >> 8 * i));
  return absl::StrCat(file, text);
}

}  // namespace tessera::pipeline
