// A search that asks about its component finds what one finds that walks through all of it: the same
// missed, blocking ops and ways, for each absent axis, on every golden module, and on the corpora beside the
// project (TESSERA_SHARED) where these are.

#include "tessera/sharding/explain/whynot/frontier.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/testing/explain/module_text.h"
#include "tessera/testing/explain/observed_module.h"

namespace tessera::sharding::explain {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestFile = 4000000;
// Of larger modules every n-th tensor is asked about.
constexpr int kMaxTensors = 60;
constexpr std::chrono::seconds kTimeBeside(20);

std::string PlaceText(const Endpoint& at) { return absl::StrCat(at.slot, ":", at.dim); }

std::string ReachedText(const Reached& reached) {
  std::string text = absl::StrCat("distance ", reached.distance);
  for (const MissedUpdate& missed : reached.missed) {
    absl::StrAppend(&text, ", missed ", missed.actor.op, " ", missed.actor.output, " ",
                    missed.factor, " ", missed.from, " ", missed.to, " ", missed.axis.axis(), ":",
                    missed.axis.pre_size());
  }
  if (reached.blocking_op.has_value()) {
    absl::StrAppend(&text, ", blocking op ", KindWord(reached.blocking_op->kind), " ",
                    reached.blocking_op->actor.op, " ", reached.blocking_op->actor.output, " ",
                    PlaceText(reached.blocking_op->near), " ", PlaceText(reached.blocking_op->far));
  }
  for (const Endpoint& at : reached.path) absl::StrAppend(&text, " ", PlaceText(at));
  return text;
}

std::vector<AskedAxis> AllAxes(const MeshTable& meshes) {
  std::vector<AskedAxis> all;
  for (MeshId id = 0; id < meshes.size(); ++id) {
    for (const MeshAxis& axis : meshes.mesh(id).axes()) all.push_back({axis.name});
  }
  return all;
}

class Compared {
 public:
  Compared(const EventLog& log, size_t alone)
      : log_(log),
        links_(log),
        asks_(log, links_, alone),
        walks_(log, links_, Frontier::kNeverAsks) {}

  // All axes in one search, and each alone. The number of searches that went through a blocking op.
  int At(SlotId slot, int dim, const std::string& path) {
    const std::vector<AskedAxis> all = AllAxes(log_.program().meshes());
    int blocking_ops = Search(slot, dim, all, path);
    for (const AskedAxis& axis : all) blocking_ops += Search(slot, dim, {axis}, path);
    return blocking_ops;
  }
  int RankOf(SlotId slot) const { return links_.RankOf(slot); }

 private:
  int Search(SlotId slot, int dim, const std::vector<AskedAxis>& axes, const std::string& path) {
    const AskedAxes asked(log_, axes);
    const std::vector<Reached> some = asks_.Search(slot, dim, asked);
    const std::vector<Reached> all = walks_.Search(slot, dim, asked);
    int blocking_ops = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(ReachedText(some[i]), ReachedText(all[i]))
          << path << " " << slot << ":" << dim << " " << axes[i].name;
      blocking_ops += all[i].blocking_op.has_value();
    }
    return blocking_ops;
  }

  const EventLog& log_;
  OpLinks links_;
  Frontier asks_;
  Frontier walks_;
};

int CompareIn(const EventLog& log, size_t alone, const std::string& path) {
  Compared compared(log, alone);
  const int step = std::max(1, log.num_slots() / kMaxTensors);
  int blocking_ops = 0;
  for (SlotId slot = 0; slot < log.num_slots(); slot += step) {
    if (!log.OwnsSharding(slot)) continue;
    if (!log.IsOutput(slot) && !log.numbered().has_shape(slot)) continue;
    for (int dim = 0; dim < compared.RankOf(slot); ++dim)
      blocking_ops += compared.At(slot, dim, path);
  }
  return blocking_ops;
}

std::vector<std::string> ModulesUnder(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path();
    if (absl::EndsWith(path, ".before.hlo") && entry.file_size() <= kLargestFile) {
      paths.push_back(path);
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Before any place is followed, and after a few.
int CompareModule(const std::string& path) {
  const auto module = ObserveFile(path);
  if (!module.ok()) return 0;
  return CompareIn(*module->log, 0, path) + CompareIn(*module->log, 5, path);
}

// A chain after a dot, whose operand has the axis on the contracted dimension.
std::string Chain(int length) {
  std::string text = absl::StrCat(
      "  %x = f32[8,32] parameter(0), ", Said("{?}, {'a', ?}"),
      "\n  %w = f32[32,16] parameter(1)\n",
      "  %v.0 = f32[8,16] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n");
  for (int i = 1; i <= length; ++i) {
    absl::StrAppend(&text, "  ", i == length ? "ROOT " : "", "%v.", i, " = f32[8,16] sine(%v.",
                    i - 1, ")\n");
  }
  return text;
}

// Ways as long as a blocking op are walked.
TEST(FrontierTest, LongWays) {
  for (const int length : {10, 300, 600, 1500}) {
    const auto module = ObserveText(ModuleText(Chain(length)));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_GT(CompareIn(*module->log, 0, absl::StrCat(length)), 0);
  }
}

TEST(FrontierTest, GoldenModules) {
  int blocking_ops = 0;
  for (const char* folder : {"testing/jax/golden", "testing/jax/golden_0.10.2"}) {
    for (const std::string& path : ModulesUnder(folder)) blocking_ops += CompareModule(path);
  }
  EXPECT_GT(blocking_ops, 1000);
}

TEST(FrontierTest, BesideTheProject) {
  const std::optional<std::string> folder = testing::CorpusFolder("conformance");
  if (!folder) GTEST_SKIP() << testing::kNoCorpora;
  const auto end = std::chrono::steady_clock::now() + kTimeBeside;
  int modules = 0;
  for (const char* part : {"real_small", "real", "jax", "random"}) {
    for (const std::string& path : ModulesUnder(absl::StrCat(*folder, "/", part))) {
      if (std::chrono::steady_clock::now() > end) break;
      CompareModule(path);
      ++modules;
    }
  }
  EXPECT_GT(modules, 20);
}

}  // namespace
}  // namespace tessera::sharding::explain
