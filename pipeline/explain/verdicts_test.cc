// Every axis that a tensor does not have in the end has a verdict, of a kind that says something:
// on every golden module, and on the corpora beside the project (TESSERA_SHARED) where these are.

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/testing/explain/observed_module.h"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;
using sharding::explain::AskedAxis;
using sharding::explain::KindWord;
using sharding::explain::RefusalKind;
using sharding::explain::SlotId;
using sharding::explain::Verdict;

constexpr uintmax_t kLargestFile = 200000;
// Of larger modules every n-th tensor is asked about.
constexpr int kMaxTensors = 200;
constexpr std::chrono::seconds kTimeBeside(150);

std::vector<std::string> ModulesUnder(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path();
    const bool is_module = absl::EndsWith(path, ".before.hlo");
    if (is_module && entry.file_size() <= kLargestFile) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<AskedAxis> AllAxes(const sharding::MeshTable& meshes) {
  std::map<std::string, AskedAxis> axes;
  for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
    for (const sharding::MeshAxis& axis : meshes.mesh(id).axes()) axes[axis.name] = {axis.name};
  }
  std::vector<AskedAxis> all;
  for (const auto& [name, axis] : axes) all.push_back(axis);
  return all;
}

bool IsAskedAbout(const Explained& e, SlotId slot, int step) {
  if (e.log->IsOutput(slot)) return true;
  return e.log->OwnsSharding(slot) && e.log->numbered().has_shape(slot) && slot % step == 0;
}

class VerdictCounts {
 public:
  // False for a module that is refused.
  bool Add(const std::string& path, const sharding::propagation::Options& propagation = {}) {
    auto options = sharding::explain::OptionsForFile(path);
    auto module = sharding::explain::ReadModuleFile(path);
    if (!options.ok() || !module.ok()) return false;
    options->propagation = propagation;
    const auto e = RunExplained(*std::move(module), *options);
    if (!e.ok()) return false;
    const std::vector<AskedAxis> axes = AllAxes(e->sharded->program->meshes());
    const int step = std::max(1, e->log->num_slots() / kMaxTensors);
    for (SlotId slot = 0; slot < e->log->num_slots(); ++slot) {
      if (IsAskedAbout(*e, slot, step)) AddTensor(path, *e, slot, axes);
    }
    return true;
  }

  std::string Text() const {
    std::string text;
    for (const auto& [kind, count] : counts_) absl::StrAppend(&text, kind, " ", count, "\n");
    return text;
  }
  int of(const std::string& kind) const {
    const auto found = counts_.find(kind);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void AddTensor(const std::string& path, const Explained& e, SlotId slot,
                 const std::vector<AskedAxis>& axes) {
    const int rank = e.log->numbered().rank(
        e.log->IsOutput(slot)
            ? e.log->numbered().outputs()[static_cast<size_t>(e.log->OutputOf(slot))].value
            : slot);
    for (int d = 0; d < rank; ++d) {
      for (const Verdict& verdict : e.why_not->Ask(slot, d, axes)) {
        ++counts_[KindWord(verdict.headline.kind)];
        EXPECT_NE(verdict.headline.kind, RefusalKind::kDefect)
            << path << ": " << Labels(e).Slot(slot) << ":" << d << " " << verdict.axis.name;
        ExpectSameWay(path, e, slot, verdict);
      }
    }
  }

  // The way that is found for all dimensions at once is the one that the search for this dimension
  // alone found. Ways through blocking ops are not known at once.
  void ExpectSameWay(const std::string& path, const Explained& e, SlotId slot,
                     const Verdict& verdict) {
    using sharding::explain::HolderPaths;
    HolderPaths* const ways = e.why_not->WaysOf(slot, verdict.dim, verdict.axis);
    if (ways == nullptr) return;
    std::vector<std::pair<SlotId, int>> at_once = {{slot, verdict.dim}}, alone;
    for (auto step = ways->Next(slot, verdict.dim); step.has_value();) {
      at_once.insert(at_once.begin(), {step->at.slot, step->at.dim});
      if (step->is_holder) break;
      step = ways->Next(step->at.slot, step->at.dim);
    }
    if (at_once.size() == 1) return;
    for (const auto& at : verdict.path) alone.emplace_back(at.slot, at.dim);
    EXPECT_EQ(at_once, alone) << path << ": " << Labels(e).Slot(slot) << " " << verdict.axis.name;
    ++counts_["ways"];
  }

  std::map<std::string, int> counts_;
};

TEST(VerdictsTest, GoldenModules) {
  for (const char* folder : {"testing/jax/golden", "testing/jax/golden_0.10.2"}) {
    VerdictCounts counts;
    const std::vector<std::string> paths = ModulesUnder(folder);
    ASSERT_THAT(paths, ::testing::Not(::testing::IsEmpty()));
    for (const std::string& path : paths) EXPECT_TRUE(counts.Add(path)) << path;
    EXPECT_GT(counts.of("conflicting_sources"), 0) << counts.Text();
    EXPECT_GT(counts.of("ways"), 100) << counts.Text();
    RecordProperty(folder, counts.Text());
  }
}

// Whatever the propagation leaves out, what it refuses has a reason.
TEST(VerdictsTest, OtherPropagations) {
  using sharding::propagation::Options;
  using sharding::propagation::Schedule;
  using sharding::propagation::Strategy;
  Options basic;
  basic.strategy = Strategy::kBasic;
  Options flat;
  flat.schedule = Schedule::kFlat;
  Options conservative;
  conservative.conservative = true;
  for (const Options& options : {basic, flat, conservative}) {
    VerdictCounts counts;
    for (const std::string& path : ModulesUnder("testing/jax/golden")) counts.Add(path, options);
  }
}

TEST(VerdictsTest, BesideTheProject) {
  const std::optional<std::string> folder = testing::CorpusFolder("conformance");
  if (!folder) GTEST_SKIP() << testing::kNoCorpora;
  const auto end = std::chrono::steady_clock::now() + kTimeBeside;
  VerdictCounts counts;
  int checked = 0;
  for (const std::string& path : ModulesUnder(*folder)) {
    if (std::chrono::steady_clock::now() > end) break;
    checked += counts.Add(path);
  }
  EXPECT_GT(checked, 100);
  RecordProperty("modules", checked);
  RecordProperty("kinds", counts.Text());
}

}  // namespace
}  // namespace tessera::pipeline
