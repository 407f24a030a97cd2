// Everything small, enumerated: windows with all strides, dilations and paddings, slices and pads
// with all steps, and the ways to cut a result. Every block must read all cells that its signature
// names, and no others.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/projection/set/split.h"
#include "tessera/testing/evaluator/sharded/agreement.h"

namespace tessera::testing::evaluator {
namespace {

void ExpectAgreement(const std::string& entry, const std::vector<BlockRules>& runs) {
  const std::string text = absl::StrCat(
      "HloModule m\nadd { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) "
      "}\nENTRY e {\n",
      entry, "\n}\n");
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(text);
  ASSERT_TRUE(module.ok()) << module.status() << "\n" << text;
  const Agreement a = CheckAgreement(*module, runs);
  EXPECT_EQ(a.outcome, Agreement::Outcome::kAgrees) << a.why << "\n" << text;
}

std::vector<BlockRules> Cells() { return {{CutInCells, Poison::kNan, /*minimal=*/true}}; }

struct Window {
  int64_t extent, size, stride, low, high, window_dilation, base_dilation;

  int64_t positions() const {
    const int64_t in = (extent - 1) * base_dilation + 1 + low + high;
    const int64_t window = (size - 1) * window_dilation + 1;
    return in < window ? 0 : (in - window) / stride + 1;
  }
  std::string text() const {
    return absl::StrCat("window={size=", size, " stride=", stride, " pad=", low, "_", high,
                        " lhs_dilate=", base_dilation, " rhs_dilate=", window_dilation, "}");
  }
};

void ForEachWindow(const std::function<void(const Window&)>& visit) {
  for (int64_t extent : {2, 5}) {
    for (int64_t size = 1; size <= 3; ++size) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t low = -1; low <= 2; ++low) {
          for (int64_t high = -1; high <= 2; ++high) {
            for (int64_t dilations = 0; dilations < 4; ++dilations) {
              const Window w{extent, size, stride, low, high, 1 + dilations % 2, 1 + dilations / 2};
              if (w.positions() > 0) visit(w);
            }
          }
        }
      }
    }
  }
}

TEST(Enumeration, ReduceWindows) {
  ForEachWindow([](const Window& w) {
    ExpectAgreement(absl::StrCat("p = f32[", w.extent, "] parameter(0) z = f32[] constant(0)\n",
                                 "ROOT r = f32[", w.positions(), "] reduce-window(p, z), ",
                                 w.text(), ", to_apply=add"),
                    Cells());
  });
}

TEST(Enumeration, Convolutions) {
  ForEachWindow([](const Window& w) {
    for (const char* reversal : {"", " rhs_reversal=1"}) {
      std::string window = w.text();
      window.insert(window.size() - 1, reversal);
      ExpectAgreement(absl::StrCat("p = f32[1,", w.extent, ",2] parameter(0) k = f32[", w.size,
                                   ",2,2] parameter(1)\nROOT c = f32[1,", w.positions(),
                                   ",2] convolution(p, k), ", window, ", dim_labels=b0f_0io->b0f"),
                      Cells());
    }
  });
}

TEST(Enumeration, SlicesAndPads) {
  for (int64_t start = 0; start < 5; ++start) {
    for (int64_t limit = start + 1; limit <= 5; ++limit) {
      for (int64_t step = 1; step <= 3; ++step) {
        ExpectAgreement(absl::StrCat("p = f32[5] parameter(0)\nROOT s = f32[",
                                     (limit - start + step - 1) / step, "] slice(p), slice={[",
                                     start, ":", limit, ":", step, "]}"),
                        Cells());
      }
    }
  }
  for (int64_t low = -2; low <= 2; ++low) {
    for (int64_t high = -2; high <= 2; ++high) {
      for (int64_t inside = 0; inside <= 2; ++inside) {
        const int64_t extent = 4 + 3 * inside + low + high;
        if (extent < 1) continue;
        ExpectAgreement(absl::StrCat("p = f32[4] parameter(0) z = f32[] constant(7)\nROOT q = f32[",
                                     extent, "] pad(p, z), padding=", low, "_", high, "_", inside),
                        Cells());
      }
    }
  }
}

TEST(Enumeration, Reshapes) {
  const std::vector<std::vector<int64_t>> shapes = {
      {12}, {12, 1}, {3, 4}, {4, 3}, {2, 6}, {6, 2}, {2, 2, 3}, {3, 2, 2}, {1, 12}, {2, 3, 2}};
  for (const auto& from : shapes) {
    for (const auto& to : shapes) {
      ExpectAgreement(absl::StrCat("p = f32[", absl::StrJoin(from, ","), "] parameter(0)\n",
                                   "ROOT r = f32[", absl::StrJoin(to, ","), "] reshape(p)"),
                      {{CutInCells, Poison::kNan, true}, {CutInHalves, Poison::kNan, true}});
    }
  }
}

// --- The ways to cut -----------------------------------------------------------------------------

Cutter AlongOneAxis(int axis, int64_t parts) {
  return [=](const hlo::Module&, hlo::InstructionId, int, const ZPoint& dims) {
    const ZRange whole = ZRange::FromShape(dims);
    if (axis >= dims.rank()) return std::vector<ZRange>{whole};
    const int64_t count = parts == 0 ? std::max<int64_t>(dims[axis], 1) : parts;
    return *projection::SplitEven(whole, axis, count);
  };
}

// Boxes that are cut again and again at random places.
Cutter AtRandom(uint32_t seed) {
  return [=](const hlo::Module&, hlo::InstructionId id, int leaf, const ZPoint& dims) {
    std::mt19937 random(seed * 1009 + id * 31 + static_cast<uint32_t>(leaf));
    std::vector<ZRange> parts = {ZRange::FromShape(dims)};
    for (int cut = 0; cut < 6; ++cut) {
      const size_t which = random() % parts.size();
      const int dim = dims.rank() == 0 ? 0 : static_cast<int>(random() % dims.rank());
      const ZRange box = parts[which];
      if (dims.rank() == 0 || box.shape()[dim] < 2) continue;
      const int64_t first = box.start()[dim], end = box.end()[dim];
      const int64_t at = first + 1 + static_cast<int64_t>(random()) % (end - first - 1);
      parts[which] = box.WithDim(dim, first, at);
      parts.push_back(box.WithDim(dim, at, end));
    }
    return parts;
  };
}

TEST(Enumeration, AllPlans) {
  std::vector<BlockRules> runs;
  for (int axis = 0; axis < 3; ++axis) {
    for (int64_t parts : {1, 2, 3, 0}) runs.push_back({AlongOneAxis(axis, parts), Poison::kNan});
  }
  runs.push_back({CutInHalves, Poison::kNan});
  for (uint32_t seed = 0; seed < 20; ++seed) runs.push_back({AtRandom(seed), Poison::kNan});
  ExpectAgreement(
      "p = f32[4,5,3] parameter(0) q = f32[4,3,5] parameter(1) z = f32[] constant(0)\n"
      "d = f32[4,5,5] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"
      "t = f32[5,4,5] transpose(d), dimensions={2,0,1}\n"
      "w = f32[5,4,3] reduce-window(t, z), window={size=1x2x3 stride=1x1x2 pad=0_0x1_0x1_1}, "
      "to_apply=add\n"
      "r = f32[5,3] reduce(w, z), dimensions={1}, to_apply=add\n"
      "b = f32[5,2,3] broadcast(r), dimensions={0,2}\n"
      "s = f32[3,2,3] slice(b), slice={[0:5:2], [0:2], [0:3]}\n"
      "c = f32[3,2,6] concatenate(s, s), dimensions={2}\n"
      "ROOT v = f32[3,2,6] reverse(c), dimensions={0,2}",
      runs);
}

}  // namespace
}  // namespace tessera::testing::evaluator
