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
    for (const auto family : {ElementwiseOps(), ContractionOps(), IndexingOps(), ControlFlowOps(),
                              OtherOps(), StrangeOps()}) {
      for (const RandomOp& op : family)
        ops->insert(ops->end(), static_cast<size_t>(op.weight), &op);
    }
    return ops;
  }();
  return all;
}

}  // namespace

void FillAtRandom(ModuleMaker& m) {
  for (size_t n = m.RandomBelow(m.is_deep() ? 4 : 8); n > 0; --n)
    AllOps()[m.RandomBelow(AllOps().size())]->add(m);
}

std::string RandomModule(unsigned seed) {
  ModuleMaker maker(seed);
  const auto module = [&] {
    ModuleMaker one(static_cast<unsigned>(maker.RandomBelow(size_t{1} << 31)));
    return one.Module([&] {
      FillAtRandom(one);
      FillAtRandom(one);
    });
  };
  std::string text = module();
  while (maker.OneIn(20)) text += "\n" + module();  // a file may hold several
  return text;
}

}  // namespace tessera::testing::hostile
