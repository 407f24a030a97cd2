#include "tessera/target/priority_fusion/tiled_ops.h"

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

// Rows: the minor run is reduced. Columns: the one in front of it. Short ones are loops.
bool IsTiled(const std::vector<std::pair<bool, int64_t>>& runs) {
  constexpr int64_t kWarp = 32;
  if (runs.empty() || runs.size() > 3) return false;
  const int64_t minor = runs.back().second;
  if (runs.back().first) return minor >= kWarp || kWarp % minor == 0;
  if (runs.size() == 1 || !runs[runs.size() - 2].first) return false;
  const int64_t major = runs[runs.size() - 2].second;
  const bool is_loop = major < kWarp || (major < 2 * kWarp && minor < kWarp) ||
                       (major < 4 * kWarp && minor < 8) || (major < 8 * kWarp && minor < 3);
  return !is_loop;
}

// Of a transpose: the size of the dimension of the operand, with those that stay in front of it.
int64_t Grouped(const layout::Shape& shape, const hlo::IntList& order, int64_t dimension) {
  int64_t size = 1;
  auto at = absl::c_find(order, dimension);
  for (;; --at) {
    size *= shape.dim(at - order.begin());
    if (at == order.begin() || *(at - 1) != *at - 1) return size;
  }
}

// Long ones, or shorter ones of large tiles.
bool GoesByTiles(int64_t read, int64_t made) {
  constexpr int64_t kLong = 16, kShort = 8, kMany = 64 * 128;
  const int64_t least = std::min(read, made);
  return least >= kLong || (least >= kShort && read * made >= kMany);
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
  int64_t last_read = -1,
          last_made = -1;  // dimensions of the operand: the most minor, read and made
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 1) continue;
    last_made = order[static_cast<size_t>(d)];
    last_read = std::max(last_read, last_made);
    facts->runs.emplace_back(false, shape.dim(d));
    facts->runs.emplace_back(true, last_made);
  }
  facts->moves_minor = last_read != last_made;
  if (!facts->moves_minor) return facts->runs.clear();
  facts->is_tiled_transpose =
      GoesByTiles(Grouped(shape, order, last_read), Grouped(shape, order, last_made));
}

}  // namespace tessera::target
