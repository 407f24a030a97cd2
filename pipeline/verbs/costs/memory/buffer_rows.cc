#include "tessera/pipeline/verbs/costs/memory/buffer_rows.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "tessera/layout/format_bytes.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

bool Passes(const ListFilter& filter, const BufferRow& row) {
  return row.buffer.bytes >= filter.min_bytes() &&
         (filter.axis().empty() || absl::c_linear_search(row.origin.axes, filter.axis())) &&
         filter.Matches(
             {row.buffer.name, row.origin.op_name, row.origin.location, row.origin.stacked});
}

std::string RowText(const BufferRow& row) {
  std::string out = absl::StrFormat("%12s  %s %s", FormatBytes(row.buffer.bytes), row.buffer.name,
                                    row.buffer.shape);
  if (!row.origin.sharding.empty()) absl::StrAppend(&out, " ", row.origin.sharding);
  if (!row.buffer.inside.empty()) absl::StrAppend(&out, " in ", row.buffer.inside);
  if (!row.origin.stacked.empty()) absl::StrAppend(&out, ", all trips of ", row.origin.stacked);
  if (row.buffer.padding > 0) {
    absl::StrAppend(&out, ", ", FormatBytes(row.buffer.padding), " of it padding");
  }
  if (!row.origin.op_name.empty()) absl::StrAppend(&out, ", ", row.origin.op_name);
  if (!row.origin.location.empty()) absl::StrAppend(&out, "  # ", row.origin.location);
  out += "\n";
  if (!row.buffer.better_shape.empty()) {
    absl::StrAppend(&out, kBelowRow, "as ", row.buffer.better_shape, " ",
                    FormatBytes(row.buffer.better_bytes), "\n");
  }
  return out;
}

void FillRow(const BufferRow& row, answers::Buffer* to) {
  to->set_name(row.buffer.name);
  to->set_shape(row.buffer.shape);
  to->set_bytes(row.buffer.bytes);
  to->set_inside(row.buffer.inside);
  to->set_sharding(row.origin.sharding);
  to->set_padding(row.buffer.padding);
  to->set_better_shape(row.buffer.better_shape);
  to->set_better_bytes(row.buffer.better_bytes);
  to->set_op_name(row.origin.op_name);
  to->set_location(row.origin.location);
  for (const CostFix& fix : row.fixes) {
    answers::MemoryFix* one = to->add_fixes();
    *one->mutable_annotations() = {fix.annotations.begin(), fix.annotations.end()};
    one->set_total(fix.after.memory);
    one->set_sent(fix.after.sent);
  }
}

}  // namespace

std::vector<Flag> BufferFlags() {
  return ListFilter::Flags("buffers", "that are sharded along", "that take", "10");
}

std::vector<BufferRow> RowsOf(
    std::vector<cost::DeviceBuffer> buffers,
    const std::function<BufferOrigin(const cost::DeviceBuffer&)>& origin_of) {
  std::vector<BufferRow> rows;
  rows.reserve(buffers.size());
  for (cost::DeviceBuffer& buffer : buffers) {
    BufferOrigin origin = origin_of(buffer);
    rows.push_back({std::move(buffer), std::move(origin), {}});
  }
  return rows;
}

std::string Keep(const ListFilter& filter, std::initializer_list<std::vector<BufferRow>*> lists) {
  size_t before = 0, after = 0;
  for (std::vector<BufferRow>* const rows : lists) {
    before += rows->size();
    rows->erase(std::remove_if(rows->begin(), rows->end(),
                               [&](const BufferRow& row) { return !Passes(filter, row); }),
                rows->end());
    after += rows->size();
  }
  return filter.NoteOnNone(after, before, "buffers");
}

std::string BufferRowsText(const std::vector<BufferRow>& rows, int64_t top,
                           const std::function<std::string(const BufferRow&)>& below) {
  std::string out;
  const absl::Span<const BufferRow> first = First(rows, top);
  for (const BufferRow& row : first) {
    absl::StrAppend(&out, RowText(row), below == nullptr ? "" : below(row));
  }
  const size_t left = rows.size() - first.size();
  return left == 0 ? out : absl::StrCat(out, kBelowRow, MoreText(left));
}

void FillBufferRows(const std::vector<BufferRow>& rows, int64_t top, MemoryBuffers* to) {
  for (const BufferRow& row : First(rows, top)) FillRow(row, to->Add());
}

std::string SizeRow(int64_t bytes, absl::string_view what) {
  return absl::StrFormat("%12s  %s\n", FormatBytes(bytes), what);
}

}  // namespace tessera::pipeline
