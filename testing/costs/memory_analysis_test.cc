// The memory of a device as tessera says it, beside memory_analysis() of the programs that XLA's
// CPU back end made of the same modules: $TESSERA_SHARED/conformance/spmd/jax/NAME.memory.json, and
// the module after the pass, conformance/jax/NAME.after.hlo. docs/memory.md has the table.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tessera/cost/memory/device_memory.h"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/testing/corpora/corpora.h"
#include "tessera/text/source.h"

namespace tessera::cost {
namespace {

constexpr char kEnding[] = ".memory.json";

struct Measured {
  std::string name;
  int64_t arguments, results, aliased, temporaries;
};

std::vector<Measured> AllMeasured(const std::string& folder) {
  std::vector<Measured> all;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    const size_t end = name.rfind(kEnding);
    if (end == std::string::npos) continue;
    std::ifstream in(file.path());
    const auto json = nlohmann::json::parse(in);
    all.push_back({name.substr(0, end), json["argument"].get<int64_t>(),
                   json["output"].get<int64_t>(), json["alias"].get<int64_t>(),
                   json["temp"].get<int64_t>()});
  }
  std::sort(all.begin(), all.end(),
            [](const Measured& a, const Measured& b) { return a.name < b.name; });
  return all;
}

absl::StatusOr<DeviceMemory> Estimate(const std::string& path) {
  const auto source = text::Source::FromFile(path);
  if (!source.ok()) return source.status();
  auto module = hlo::ParseModule((*source)->text(), path);
  if (!module.ok()) return module.status();
  const auto device = sharding::partition::PartitionModule(*module);
  if (!device.ok()) return device.status();
  return MemoryOf(*device);
}

// Estimated by measured; a kilobyte more or less is alignment, and counts as none.
double Ratio(int64_t estimated, int64_t measured) {
  constexpr int64_t kSlack = 1024;
  if (std::abs(estimated - measured) <= kSlack) return 1;
  return static_cast<double>(std::max<int64_t>(estimated, 1)) /
         static_cast<double>(std::max<int64_t>(measured, 1));
}

TEST(MemoryAnalysisTest, AgreesWithXla) {
  const std::optional<std::string> measured = testing::CorpusFolder("conformance/spmd/jax");
  const std::optional<std::string> programs = testing::CorpusFolder("conformance/jax");
  if (!measured || !programs) GTEST_SKIP() << testing::kNoCorpora;
  int modules = 0, refused = 0, arguments = 0, results = 0, aliased = 0;
  std::vector<double> ratios;
  for (const Measured& m : AllMeasured(*measured)) {
    const auto memory = Estimate(absl::StrCat(*programs, "/", m.name, ".after.hlo"));
    if (!memory.ok()) {
      ++refused;
      std::cout << m.name << ": " << memory.status().message() << "\n";
      continue;
    }
    ++modules;
    arguments += memory->arguments == m.arguments;
    results += memory->results == m.results;
    aliased += memory->aliased == m.aliased;
    ratios.push_back(Ratio(memory->temporaries, m.temporaries));
    std::cout << "row " << m.name << " " << memory->arguments << " " << m.arguments << " "
              << memory->results << " " << m.results << " " << memory->aliased << " " << m.aliased
              << " " << memory->temporaries << " " << m.temporaries << "\n";
  }
  std::sort(ratios.begin(), ratios.end());
  const auto share = [&ratios](double factor) {
    return std::count_if(ratios.begin(), ratios.end(),
                         [factor](double ratio) { return ratio <= factor && ratio >= 1 / factor; });
  };
  std::cout << modules << " modules, " << refused << " refused; equal: arguments " << arguments
            << ", results " << results << ", aliased " << aliased << "; temporaries within 1.25x "
            << share(1.25) << ", 2x " << share(2) << ", 4x " << share(4) << "\n";
  ASSERT_GT(modules, 0);
  EXPECT_EQ(arguments, modules);
  EXPECT_EQ(results, modules);
  EXPECT_EQ(aliased, modules);
  EXPECT_GE(share(1.25) * 100, modules * 83);
  EXPECT_GE(share(2) * 100, modules * 94);
  EXPECT_GE(share(4) * 100, modules * 95);
}

}  // namespace
}  // namespace tessera::cost
