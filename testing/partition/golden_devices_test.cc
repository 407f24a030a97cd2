// The golden modules on their devices. For each one: the collectives of PartitionModule()'s module equal
// those of FindCollectives(); the verifier accepts the module; and where the evaluator can run both, it
// computes what the golden module computes.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/testing/pairs/pair_check.h"
#include "tessera/testing/partition/device_collectives.h"
#include "tessera/testing/partition/device_run.h"
#include "tessera/testing/references/nearest_reference.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

using sharding::partition::FindCollectives;
using sharding::partition::PartitionModule;

struct Count {
  int run = 0;                       // compared by the evaluator
  std::vector<std::string> refused;  // modules without a per-device module; the error has a place
};

void CheckModule(const std::string& pair, Count* count) {
  const auto source = text::Source::FromFile(pair + ".after.hlo");
  if (!source.ok()) return;
  const hlo::ParsedText parsed = hlo::ParseModules(*source);
  ASSERT_TRUE(parsed.diagnostics.ok()) << pair;
  const hlo::Module& module = parsed.modules[0];
  const auto reference = NearestReference(pair);
  ASSERT_TRUE(reference.ok()) << reference.status();
  const auto found = FindCollectives(module, reference->behaviors);
  if (!found.ok()) return;
  const auto made = PartitionModule(module, reference->behaviors);
  if (!made.ok()) {
    EXPECT_TRUE(absl::IsUnimplemented(made.status())) << pair << ": " << made.status();
    count->refused.push_back(pair.substr(pair.rfind('/') + 1));
    return;
  }
  hlo::PrintOptions options = hlo::PrintOptions::Default();
  options.large_constants = true;
  const auto device = hlo::ParseModule(hlo::PrintModule(made->module, options));
  ASSERT_TRUE(device.ok()) << pair << ": " << device.status();
  const text::Diagnostics verified = hlo::VerifyModule(*device);
  EXPECT_TRUE(verified.ok()) << pair << ": " << verified.Render(*device->text());
  EXPECT_EQ(CollectivesIn(*device), CollectivesOf(*found)) << pair;

  if (module.header().num_partitions > 16) return;
  evaluator::Budget budget;
  budget.steps = int64_t{1} << 26;
  const DeviceRun run = RunOnDevices(module, *device, budget);
  EXPECT_NE(run.verdict, DeviceRun::Verdict::kDiffers) << pair << ": " << run.note;
  if (run.verdict == DeviceRun::Verdict::kEqual) ++count->run;
}

TEST(GoldenDevicesTest, FoundCollectivesAreThoseOfTheModule) {
  Count count;
  for (const char* folder : {"testing/jax/golden", "testing/jax/golden_0.10.2"}) {
    for (const std::string& pair : FindPairs(folder)) CheckModule(pair, &count);
  }
  EXPECT_GT(count.run, 130);
  EXPECT_THAT(count.refused, ::testing::SizeIs(::testing::Le(10)))
      << absl::StrJoin(count.refused, ", ");
}

}  // namespace
}  // namespace tessera::testing
