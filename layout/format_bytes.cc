#include "tessera/layout/format_bytes.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tessera::layout {
namespace {

constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

// At most two decimals, without zeros at the end.
std::string ShortNumber(double value) {
  const std::string text = absl::StrFormat("%.2f", value);
  absl::string_view trimmed = text;
  while (absl::ConsumeSuffix(&trimmed, "0")) {
  }
  absl::ConsumeSuffix(&trimmed, ".");
  return std::string(trimmed);
}

}  // namespace

std::string FormatBytes(int64_t bytes) {
  double value = static_cast<double>(bytes);
  int unit = 0;
  for (; std::abs(value) >= 1024 && unit < 6; ++unit) value /= 1024;
  return absl::StrCat(ShortNumber(value), " ", kUnits[unit]);
}

std::string FormatRatio(int64_t numerator, int64_t denominator) {
  if (denominator == 0) return numerator == 0 ? "1x" : "infx";
  return absl::StrCat(
      ShortNumber(static_cast<double>(numerator) / static_cast<double>(denominator)), "x");
}

}  // namespace tessera::layout
