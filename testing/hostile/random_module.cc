#include "tessera/testing/hostile/random_module.h"

#include <vector>

#include "tessera/testing/hostile/module_maker.h"
#include "tessera/testing/hostile/random_ops.h"

namespace tessera::testing::hostile {
namespace {

// Each as often as its weight says.
const std::vector<const RandomOp*>& AllOps() {
  static const auto& all = *[] {
    auto* ops = new std::vector<const RandomOp*>;
    for (const auto family :
         {ElementwiseOps(), ContractionOps(), IndexingOps(), ControlFlowOps(), OtherOps()}) {
      for (const RandomOp& op : family)
        ops->insert(ops->end(), static_cast<size_t>(op.weight), &op);
    }
    return ops;
  }();
  return all;
}

}  // namespace

void FillAtRandom(ModuleMaker& m) {
  for (size_t n = m.Below(m.is_deep() ? 4 : 8); n > 0; --n)
    AllOps()[m.Below(AllOps().size())]->add(m);
}

std::string RandomModule(unsigned seed) {
  ModuleMaker maker(seed);
  return maker.Module([&] {
    FillAtRandom(maker);
    FillAtRandom(maker);
  });
}

}  // namespace tessera::testing::hostile
