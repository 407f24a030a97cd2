// tree-reduction-rewriter: long reductions are made in two steps.
//
//   f32[] reduce(x: f32[96000])        ->  f32[] reduce(f32[375] reduce(f32[375,256] bitcast(x)))
//   f32[16] reduce(x: f32[32,16,64]), dimensions={0,2}      ->  over 2, then over 0
//
// So that a block of threads has room for what it reduces: 16,384 elements that lie together, 4,096 of a column, and
// 8 along a major dimension that is reduced besides. What is reduced last is cut into two factors near its root,
// padded if it must be; those of the least padding, and among them powers of two, are chosen.
//
// Not modelled: reductions of several arrays.
//
// Cost: linear in the program. Tested by tree_reduction_rewriter_test.cc.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/bits.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/reductions/steps.h"
#include "tessera/target/priority_fusion/model/op_facts.h"

namespace tessera::target {
namespace {

constexpr int64_t kMostOfRow = 1024 * 16, kMostOfColumn = 32 * 128, kMostMajor = 8;

// The elements that one reduction by tiles reduces.
struct Reduced {
  bool is_row = false;
  int64_t major = 1;  // of a row: elements along the major dimension that is reduced besides
  int64_t size = 1;   // elements of the row or column
  int64_t most() const { return is_row ? kMostOfRow : kMostOfColumn; }
};

Reduced ReducedOf(const OpFacts& facts) {
  Reduced reduced;
  const auto& runs = facts.runs;
  reduced.is_row = runs.back().first;
  reduced.size = reduced.is_row ? runs.back().second : runs[runs.size() - 2].second;
  if (reduced.is_row && runs.size() == 3) reduced.major = runs[0].second;
  return reduced;
}

// One of the two factors, or the other one, is what a thread reads at once.
bool AreSwapped(int64_t outer, int64_t inner, const Reduced& of) {
  if (outer > of.most()) return false;
  if (!of.is_row) return true;
  const bool is_even = of.size % 2 == 0;
  if (inner % 2 == 0 && is_even) return inner * 2 < outer || outer % 2 == 0;
  return is_even || outer % 2 != 0;
}

// Which is reduced last, and which first.
std::pair<int64_t, int64_t> FactorsOf(const Reduced& of) {
  const auto padding = [&](int64_t by) { return (by - of.size % by) % by; };
  const int64_t root =
      std::min(static_cast<int64_t>(std::sqrt(static_cast<double>(of.size))), of.most());
  int64_t best = root;
  for (int64_t k = root - 1; k > root / 2; --k) {
    const bool is_power = absl::has_single_bit(static_cast<uint64_t>(k));
    if (padding(k) < padding(best) || (padding(k) == padding(best) && is_power)) best = k;
  }
  const int64_t outer = (of.size + padding(best)) / best;
  return AreSwapped(outer, best, of) ? std::make_pair(best, outer) : std::make_pair(outer, best);
}

// Factors that were found, by sort and size.
using KnownFactors = absl::flat_hash_map<std::pair<bool, int64_t>, std::pair<int64_t, int64_t>>;

void RewriteTree(DeviceProgram& program, InstructionId reduce, KnownFactors& known) {
  const OpFacts facts = FactsOf(program, reduce);
  if (!facts.is_tiled_reduce) return;
  const Reduced reduced = ReducedOf(facts);
  ReductionSteps steps(&program, reduce);
  if (reduced.major > kMostMajor) {
    steps.Over(steps.reduced().back());
  } else if (reduced.size > reduced.most()) {
    const auto [found, is_new] = known.try_emplace({reduced.is_row, reduced.size});
    if (is_new) found->second = FactorsOf(reduced);
    const auto [last, first] = found->second;
    steps.InParts(steps.reduced().back(), last, first);
  }
}

}  // namespace

absl::Status RewriteTreeReductions(Context& context) {
  DeviceProgram& program = context.program;
  KnownFactors known;
  ForEachReduction(program, [&](InstructionId id) { RewriteTree(program, id, known); });
  return absl::OkStatus();
}

}  // namespace tessera::target
