#include "tessera/target/priority_fusion/model/tiled_ops.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"

namespace tessera::target {
namespace {

// Runs of dimensions that are all reduced, or all kept, major first.
std::vector<std::pair<bool, int64_t>> RunsOf(const DeviceProgram& program, InstructionId id) {
  const layout::Shape& shape = program.shape(program.operand(id, 0));
  const auto reduced =
      hlo::GetInts(program.module(), id, hlo::AttributeName::kDimensions).value_or(hlo::IntList());
  std::vector<std::pair<bool, int64_t>> runs;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    const bool is_reduced = absl::c_linear_search(reduced, d);
    if (runs.empty() || runs.back().first != is_reduced) runs.emplace_back(is_reduced, 1);
    runs.back().second *= shape.dim(d);
  }
  return runs;
}

// Rows: the minor run is reduced. Columns: the one in front of it. Short ones are loops, and so are empty arrays.
bool IsTiled(const std::vector<std::pair<bool, int64_t>>& runs) {
  if (runs.empty() || runs.size() > 3) return false;
  if (absl::c_any_of(runs, [](const auto& run) { return run.second == 0; })) return false;
  const int64_t minor = runs.back().second;
  if (runs.back().first) return minor >= kWarp || kWarp % minor == 0;
  if (runs.size() == 1 || !runs[runs.size() - 2].first) return false;
  const int64_t major = runs[runs.size() - 2].second;
  const bool is_loop = major < kWarp || (major < 2 * kWarp && minor < kWarp) ||
                       (major < 4 * kWarp && minor < 8) || (major < 8 * kWarp && minor < 3);
  return !is_loop;
}

// Dimensions of a transpose that stay beside each other: numbers in the operand, and elements.
struct Group {
  int64_t first = 0, last = 0, size = 1;
};

// In the order of the result; without dimensions of size 1.
std::vector<Group> GroupsOf(const layout::Shape& shape, const hlo::IntList& order) {
  hlo::IntList number(order.size());  // without dimensions of size 1
  for (size_t d = 0; d < order.size(); ++d) {
    if (shape.dim(static_cast<int64_t>(d)) != 1) number[static_cast<size_t>(order[d])] = 1;
  }
  int64_t next = 0;
  for (int64_t& n : number) n = n == 1 ? next++ : -1;
  std::vector<Group> groups;
  for (size_t d = 0; d < order.size(); ++d) {
    const int64_t at = number[static_cast<size_t>(order[d])];
    if (at < 0) continue;
    if (groups.empty() || groups.back().last + 1 != at) groups.push_back({at, at, 1});
    groups.back().last = at;
    groups.back().size *= shape.dim(static_cast<int64_t>(d));
  }
  return groups;
}

// Long ones, or shorter ones of large tiles.
bool GoesByTiles(int64_t read, int64_t made) {
  constexpr int64_t kLong = 16, kShort = 8, kMany = 64 * 128;
  const int64_t least = std::min(read, made);
  return least >= kLong || (least >= kShort && read * made >= kMany);
}

// Squares of 32 elements a side.
double TilesOf(double elements, int64_t read, int64_t made) {
  const auto tiles = [](int64_t size) { return static_cast<double>((size + 31) / 32); };
  return elements / static_cast<double>(read * made) * tiles(read) * tiles(made);
}

// [2048,64,2] to [2,64,2048] of narrow elements, two of which are moved at once.
bool GoesInPacks(const layout::Shape& shape, const std::vector<Group>& groups, const Group& read) {
  constexpr int64_t kTile = 32;
  if (groups.size() < 3 || layout::BitWidth(shape.element_type()) >= 32) return false;
  const Group &made = groups.back(), &between = groups[groups.size() - 2];
  if (between.last + 1 != read.first || made.size % 2 != 0 || read.size % 2 != 0) return false;
  return made.size >= kTile && between.size * read.size >= kTile;
}

}  // namespace

void AddReduction(const DeviceProgram& program, InstructionId id, double reduced, OpFacts* facts) {
  facts->runs = RunsOf(program, id);
  facts->is_tiled_reduce = IsTiled(facts->runs);
  facts->has_reduction = !program.shape(id).is_tuple() && facts->elements > 0 &&
                         reduced / std::max(1.0, facts->elements) >= 16;
  if (facts->is_tiled_reduce) facts->looped_elements = reduced;
}

void AddTranspose(const DeviceProgram& program, InstructionId id, OpFacts* facts) {
  const layout::Shape& shape = program.shape(id);
  const auto order =
      hlo::GetInts(program.module(), id, hlo::AttributeName::kDimensions).value_or(hlo::IntList());
  const std::vector<Group> groups = GroupsOf(shape, order);
  const auto read =
      absl::c_max_element(groups, [](const Group& a, const Group& b) { return a.last < b.last; });
  facts->moves_minor = read != groups.end() && read + 1 != groups.end();
  if (!facts->moves_minor) return;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    facts->runs.emplace_back(false, shape.dim(d));
    facts->runs.emplace_back(true, order[static_cast<size_t>(d)]);
  }
  facts->tiles = TilesOf(facts->elements, read->size, groups.back().size);
  facts->is_tiled_transpose =
      GoesByTiles(read->size, groups.back().size) || GoesInPacks(shape, groups, *read);
}

}  // namespace tessera::target
