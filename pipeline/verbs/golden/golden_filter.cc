#include "tessera/pipeline/verbs/golden/golden_filter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/strip.h"
#include "tessera/sharding/mesh.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::golden::AxisChange;
using sharding::golden::Change;
using sharding::golden::Comparison;
using sharding::golden::Entry;
using sharding::golden::Recording;

const Entry& At(const Recording& recording, int entry) {
  return recording.entries[static_cast<size_t>(entry)];
}

bool UsesAxis(const Recording& recording, const Entry& entry, const std::string& axis) {
  const bool has_mesh =
      entry.sharding.has_value() && entry.sharding->mesh_id() != sharding::kNoMesh;
  if (!has_mesh) return false;
  const auto index = recording.meshes.mesh(entry.sharding->mesh_id()).FindAxis(axis);
  return index.has_value() && entry.sharding->UsesAxis(*index);
}

bool Matches(const ListFilter& filter, const Entry& entry) {
  return filter.Matches({entry.name, entry.op_name, entry.source});
}

// One of the three lists of a comparison, as numbers with what a filter asks about them.
struct Row {
  int list = 0;  // 0: changes, 1: gone, 2: added
  size_t index = 0;
  int64_t bytes = 0;
};

std::vector<Row> Passing(const ListFilter& filter, const Recording& before, const Recording& after,
                         const Comparison& comparison) {
  std::vector<Row> rows;
  const auto add = [&](int list, size_t index, int64_t bytes, bool has_match, bool has_axis) {
    const bool passes = has_match && (filter.axis().empty() || has_axis);
    if (passes && bytes >= filter.min_bytes()) rows.push_back({list, index, bytes});
  };
  for (size_t k = 0; k < comparison.changes.size(); ++k) {
    const Change& change = comparison.changes[k];
    const bool has_axis = absl::c_any_of(
        change.axes, [&](const AxisChange& axis) { return axis.mesh_axis == filter.axis(); });
    add(0, k, std::max(change.bytes_before, change.bytes_after),
        Matches(filter, At(before, change.before)) || Matches(filter, At(after, change.after)),
        has_axis);
  }
  const auto add_all = [&](int list, const Recording& recording, const std::vector<int>& entries) {
    for (size_t k = 0; k < entries.size(); ++k) {
      const Entry& entry = At(recording, entries[k]);
      add(list, k, BytesPerDevice(recording, entry), Matches(filter, entry),
          UsesAxis(recording, entry, filter.axis()));
    }
  };
  add_all(1, before, comparison.gone);
  add_all(2, after, comparison.added);
  return rows;
}

// The rows of these numbers, in three lists again.
GoldenLists Of(const Comparison& comparison, const std::vector<Row>& rows,
               const std::vector<size_t>& numbers) {
  GoldenLists lists;
  for (const size_t k : numbers) {
    const Row& row = rows[k];
    if (row.list == 0) lists.changes.push_back(comparison.changes[row.index]);
    if (row.list == 1) lists.gone.push_back(comparison.gone[row.index]);
    if (row.list == 2) lists.added.push_back(comparison.added[row.index]);
  }
  return lists;
}

std::vector<std::string> AxesOf(const Recording& before, const Recording& after) {
  std::vector<std::string> axes;
  for (const Recording* recording : {&before, &after}) {
    for (sharding::MeshId id = 0; id < recording->meshes.size(); ++id) {
      for (const sharding::MeshAxis& axis : recording->meshes.mesh(id).axes()) {
        if (!absl::c_linear_search(axes, axis.name)) axes.push_back(axis.name);
      }
    }
  }
  return axes;
}

// A pattern that no tensor of either side matches is a mistake: nothing would ever differ.
absl::Status CountCompared(const ListFilter& filter, GoldenReport* report) {
  const Recording &before = report->before, &after = report->after;
  size_t matching = 0;
  for (const Entry& entry : after.entries) {
    if (!Matches(filter, entry)) continue;
    ++matching;
    report->compared += BytesPerDevice(after, entry) >= filter.min_bytes() ? 1 : 0;
  }
  const std::vector<int>& gone = report->comparison.gone;
  matching += static_cast<size_t>(
      absl::c_count_if(gone, [&](int e) { return Matches(filter, At(before, e)); }));
  report->axis = filter.axis();
  const std::string none =
      filter.NoteOnNone(matching, after.entries.size() + gone.size(), "tensors");
  if (none.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StripPrefix(absl::StripSuffix(none, "\n"), "note: "));
}

}  // namespace

absl::Status Choose(const ListFilter& filter, GoldenReport* report) {
  Comparison& all = report->comparison;
  TESSERA_RETURN_IF_ERROR(filter.CheckAxis(AxesOf(report->before, report->after)));
  TESSERA_RETURN_IF_ERROR(CountCompared(filter, report));
  const std::vector<Row> rows = Passing(filter, report->before, report->after, all);
  std::vector<int64_t> bytes;
  for (const Row& row : rows) bytes.push_back(row.bytes);
  const std::vector<size_t> top = filter.Top(bytes);
  report->shown = Of(all, rows, top);
  report->left_out = rows.size() - top.size();
  std::vector<size_t> every(rows.size());
  absl::c_iota(every, 0);
  GoldenLists passing = Of(all, rows, every);
  all.changes = std::move(passing.changes);
  all.gone = std::move(passing.gone);
  all.added = std::move(passing.added);
  return absl::OkStatus();
}

}  // namespace tessera::pipeline
