#include "tessera/pipeline/command_line/byte_count.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {
namespace {

struct ByteUnit {
  absl::string_view name;
  double bytes;
};
constexpr ByteUnit kByteUnits[] = {
    {"B", 1},      {"kB", 1e3},     {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
    {"TB", 1e12},  {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
    {"K", 0x1p10}, {"M", 0x1p20},   {"G", 0x1p30},   {"T", 0x1p40},
};

}  // namespace

absl::StatusOr<int64_t> ReadByteCount(absl::string_view text) {
  if (uint64_t whole = 0; absl::SimpleAtoi(text, &whole)) {
    if (whole < (uint64_t{1} << 62)) return static_cast<int64_t>(whole);
    return text::ErrorAt(0, "more bytes than 64 bits can count");
  }
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  if (!absl::SimpleAtod(text.substr(0, end), &number)) {
    return text::ErrorAt(0, "expected a number and a unit, as in 16GiB");
  }
  const absl::string_view unit = absl::StripLeadingAsciiWhitespace(text.substr(end));
  for (const ByteUnit& known : kByteUnits) {
    if (unit != known.name) continue;
    const double bytes = number * known.bytes;
    if (bytes < 0x1p62) return static_cast<int64_t>(bytes);
    return text::ErrorAt(0, "more bytes than 64 bits can count");
  }
  return text::ErrorAt(text.size() - unit.size(),
                       "expected a unit: B, kB, MB, GB, TB, KiB, MiB, GiB or TiB");
}

absl::StatusOr<int64_t> ReadBytes(const Arguments& arguments, absl::string_view flag) {
  const std::string& said = arguments.Get(flag);
  const auto count = ReadByteCount(said);
  if (count.ok()) return count;
  return text::Located(count.status(), *text::Source::FromString(absl::StrCat("--", flag), said));
}

}  // namespace tessera::pipeline
