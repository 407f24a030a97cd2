#include "tessera/testing/target_passes/random/random_ops.h"

#include <iterator>

namespace tessera::testing::random_programs {
namespace {

// The families, each as often as it stands here.
constexpr absl::Span<const RandomOp> (*kFamilies[])() = {
    MovingOps,    MovingOps,      IndexingOps,   ComputingOps,
    ComputingOps, ControlFlowOps, CollectiveOps, CollectiveOps};

}  // namespace

void FillAtRandom(ProgramMaker& maker, int64_t operations) {
  for (; operations > 0; --operations) {
    const auto ops = kFamilies[maker.Below(std::size(kFamilies))]();
    ops[static_cast<size_t>(maker.Below(static_cast<int64_t>(ops.size())))](maker);
  }
}

std::string RandomProgram(unsigned seed, int64_t operations) {
  ProgramMaker maker(seed);
  return maker.Module([&] { FillAtRandom(maker, 3 + maker.Below(operations)); });
}

}  // namespace tessera::testing::random_programs
