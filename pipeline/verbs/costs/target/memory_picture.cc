#include "tessera/pipeline/verbs/costs/target/memory_picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/format_bytes.h"

namespace tessera::pipeline {
namespace {

constexpr int64_t kColumns = 72, kRows = 8;

struct Column {
  int64_t bytes = 0;
  bool is_loop = false;
};

// The most that is there while the kernels of each column run.
std::vector<Column> ColumnsOf(const std::vector<cost::MemoryPoint>& curve) {
  int64_t kernels = 0;
  for (const cost::MemoryPoint& point : curve) kernels += point.kernels;
  const int64_t count = std::min(kColumns, kernels);
  std::vector<Column> columns(static_cast<size_t>(count));
  int64_t at = 0;
  for (const cost::MemoryPoint& point : curve) {
    const int64_t first = at * count / kernels, last = (at + point.kernels - 1) * count / kernels;
    for (int64_t k = first; k <= last; ++k) {
      Column& column = columns[static_cast<size_t>(k)];
      column.is_loop |= point.kernels > 1;
      column.bytes = std::max(column.bytes, point.bytes);
    }
    at += point.kernels;
  }
  return columns;
}

}  // namespace

std::string MemoryPicture(const std::vector<cost::MemoryPoint>& curve) {
  if (curve.size() < 2) return "";
  const std::vector<Column> columns = ColumnsOf(curve);
  int64_t most = 1;
  for (const Column& column : columns) most = std::max(most, column.bytes);
  std::string out;
  for (int64_t row = kRows; row > 0; --row) {
    absl::StrAppendFormat(&out, "%12s |", row == kRows ? layout::FormatBytes(most) : "");
    for (const Column& column : columns) {
      const double share = static_cast<double>(column.bytes) / static_cast<double>(most);
      out += share * kRows > static_cast<double>(row) - 0.5 ? '#' : ' ';
    }
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  absl::StrAppend(&out, "           0  ");
  bool has_loops = false;
  for (const Column& column : columns) {
    has_loops |= column.is_loop;
    out += column.is_loop ? '~' : '-';
  }
  return absl::StrCat(out, has_loops ? "  ~ a loop" : "", "\n");
}

}  // namespace tessera::pipeline
