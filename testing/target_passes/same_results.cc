#include "tessera/testing/target_passes/same_results.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/verifier.h"
#include "tessera/target/pass.h"
#include "tessera/target/pass_lists.h"
#include "tessera/testing/evaluator/modules/inputs.h"
#include "tessera/testing/evaluator/rounding.h"
#include "tessera/testing/evaluator/sharded/spmd.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using testing::evaluator::Array;
using testing::evaluator::Cell;
using testing::evaluator::RoundingShare;
using testing::evaluator::Value;
using DeviceValues = std::vector<Value>;

// The numbers of an argument: those of MakeInputs(), others on each device.
Value ArgumentOf(const layout::Shape& shape, int64_t parameter, int64_t device) {
  Value value = testing::evaluator::MakeValue(shape);
  int64_t leaf = 0;
  for (Array* array : testing::evaluator::Leaves(&value)) {
    *array = testing::evaluator::Noise(array->type, array->dims, parameter, leaf++ + 13 * device);
  }
  return value;
}

absl::StatusOr<DeviceValues> ResultsOf(const hlo::Module& module) {
  const int64_t devices = module.header().num_partitions;
  std::vector<DeviceValues> arguments(static_cast<size_t>(devices));
  const std::vector<hlo::InstructionId>& parameters = module.entry().parameters;
  for (size_t d = 0; d < arguments.size(); ++d) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      arguments[d].push_back(ArgumentOf(module.shape(parameters[i]), static_cast<int64_t>(i),
                                        static_cast<int64_t>(d)));
    }
  }
  return testing::evaluator::SpmdRunner(module, testing::evaluator::Budget(), devices)
      .Run(std::move(arguments));
}

std::string Difference(const Array& expected, const Array& found, double share) {
  if (found.dims != expected.dims) return absl::StrCat("its shape is ", found.dims.ToString());
  const bool is_exact = !layout::IsFloat(expected.type);
  const double allowed = share * testing::evaluator::LargestOf(expected);
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Cell &a = expected.cells[i], &b = found.cells[i];
    if (!is_exact && !std::isfinite(a.re)) continue;
    if (is_exact ? a.i == b.i : std::abs(a.re - b.re) <= allowed) continue;
    return absl::StrCat("cell ", i, ": ", testing::evaluator::CellText(expected.type, b),
                        ", expected ", testing::evaluator::CellText(expected.type, a));
  }
  return "";
}

std::string Difference(const DeviceValues& expected, const DeviceValues& found, double share) {
  for (size_t d = 0; d < expected.size(); ++d) {
    const std::vector<const Array*> before = testing::evaluator::Leaves(expected[d]);
    const std::vector<const Array*> after = testing::evaluator::Leaves(found[d]);
    if (before.size() != after.size()) return absl::StrCat(after.size(), " results");
    for (size_t leaf = 0; leaf < before.size(); ++leaf) {
      const std::string text = Difference(*before[leaf], *after[leaf], share);
      if (!text.empty()) return absl::StrCat("result ", leaf, ", device ", d, ", ", text);
    }
  }
  return "";
}

// The module of a program that has more passes before it.
hlo::Module ModuleOf(const Context& context) {
  DeviceProgram program(context.program);
  hlo::Module module = std::move(program).Release();
  for (hlo::ComputationId c = 0; c < module.num_computations(); ++c) {
    if (module.computation(c).removed) continue;
    module.mutable_computation(c).instructions = hlo::PostOrder(module, c);
  }
  return module;
}

class Comparer : public PassObserver {
 public:
  Comparer(DeviceValues expected, double share) : expected_(std::move(expected)), share_(share) {}

  absl::Status AfterPass(const Pass& pass, size_t, const Context& context) override {
    const hlo::Module module = ModuleOf(context);
    const text::Diagnostics problems = hlo::VerifyModule(module);
    if (!problems.ok()) return Changed(pass, problems.all().front().message);
    const absl::StatusOr<DeviceValues> found = ResultsOf(module);
    if (!found.ok()) return Changed(pass, found.status().message());
    const std::string difference = Difference(expected_, *found, share_);
    return difference.empty() ? absl::OkStatus() : Changed(pass, difference);
  }

 private:
  static absl::Status Changed(const Pass& pass, absl::string_view what) {
    return absl::DataLossError(absl::StrCat(pass.name, ": ", what));
  }

  DeviceValues expected_;
  double share_;
};

}  // namespace

absl::Status SameResults(const hlo::Module& module, const Target& target) {
  TESSERA_ASSIGN_OR_RETURN(DeviceValues expected, ResultsOf(module));
  double share = RoundingShare(module);
  if (target.chip->platform == Platform::kTpu)  // its products are of bfloat16
    share = std::max(share, RoundingShare(layout::ElementType::kBf16));
  Comparer comparer(std::move(expected), share);
  Context context(module, target, XlaFlags());
  TESSERA_RETURN_IF_ERROR(RunPasses(SpmdCleanUp(), &context, &comparer));
  TESSERA_RETURN_IF_ERROR(RunPasses(PassesOfPartitioner(target), &context, &comparer));
  Context for_memory(context);
  TESSERA_RETURN_IF_ERROR(RunPasses(PassesBeforeKernels(target), &for_memory, &comparer));
  TESSERA_ASSIGN_OR_RETURN(const absl::Span<const Pass> passes, PassesOf(target));
  return RunPasses(passes, &context, &comparer);
}

}  // namespace tessera::target
