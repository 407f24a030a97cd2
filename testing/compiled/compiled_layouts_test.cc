// Which tiles does the compiler of a TPU take? The rule of layout/tpu_layout.h, held against every
// array of every finished program of the corpus: the layouts of arguments and results as a whole, and
// the tiles of all arrays for the order of dimensions that they have. Within a program arrays of 4 and
// 8 bits may keep the smaller tile where they could have the tall one.

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parser.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/tpu_layout.h"
#include "tessera/testing/compiled/compiled_modules.h"
#include "tessera/testing/corpora/corpora.h"

namespace tessera::testing {
namespace {

using layout::Shape;
using layout::TpuGeneration;

// "../gpt_256.v5e_16x16.final.hlo.xz": tpu-v5e.
std::string ChipOf(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path.substr(path.rfind('/') + 1), '.');
  return "tpu-" + parts[1].substr(0, parts[1].find('_'));
}

bool IsTpu(const std::string& path) {
  const std::string chip = ChipOf(path);
  return layout::TpuGenerationOf(chip).chip == chip;
}

bool HasTilesOf(const Shape& array, const TpuGeneration& generation) {
  return layout::TpuTilesFor(array, generation).layout().tiles == array.layout().tiles;
}

void ExpectRuleAtTheBorder(const hlo::Module& module, const TpuGeneration& generation) {
  std::vector<hlo::InstructionId> border(module.entry().parameters.begin(),
                                         module.entry().parameters.end());
  border.push_back(module.entry().root);
  for (const hlo::InstructionId id : border) {
    for (const Shape* array : layout::LeafShapes(module.shape(id))) {
      if (!layout::HasTiles(*array)) continue;
      EXPECT_EQ(layout::ShapeToString(layout::TpuLayoutOf(*array, generation)),
                layout::ShapeToString(*array));
    }
  }
}

// How many distinct arrays have tiles.
int ExpectRuleForTiles(const hlo::Module& module, const TpuGeneration& generation) {
  TpuGeneration low = generation;
  low.tall_tiles = "";
  absl::flat_hash_set<std::string> seen;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    for (const Shape* array : layout::LeafShapes(module.shape(id))) {
      if (!layout::HasTiles(*array) || !seen.insert(layout::ShapeToString(*array)).second) continue;
      EXPECT_TRUE(HasTilesOf(*array, generation) || HasTilesOf(*array, low))
          << layout::ShapeToString(*array);
    }
  }
  return static_cast<int>(seen.size());
}

TEST(CompiledLayoutsTest, TilesByTheRule) {
  int arrays = 0;
  const std::vector<std::string> paths = CompiledModules(".final.hlo.xz");
  if (paths.empty() && !::testing::Test::HasFailure()) GTEST_SKIP() << kNoCorpora;
  for (const std::string& path : paths) {
    if (!IsTpu(path)) continue;
    SCOPED_TRACE(path);
    const std::string text = Unpacked(path);
    const auto module = hlo::ParseModule(text, path);
    ASSERT_TRUE(module.ok()) << module.status();
    ExpectRuleAtTheBorder(*module, layout::TpuGenerationOf(ChipOf(path)));
    arrays += ExpectRuleForTiles(*module, layout::TpuGenerationOf(ChipOf(path)));
  }
  EXPECT_GT(arrays, 7000);
}

}  // namespace
}  // namespace tessera::testing
