#include "tessera/target/stated/stated_kernels.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/util/json_util.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/stated/tpu_call_config.pb.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

constexpr absl::string_view kMosaic = "tpu_custom_call";
// Of Pallas by Triton; of jax-triton.
constexpr absl::string_view kTriton[] = {"__gpu$xla.gpu.triton", "triton_kernel_call"};
// Kernels of Pallas by Mosaic for GPUs. Their configuration is not read.
constexpr absl::string_view kOthers[] = {"mosaic_gpu", "mosaic_gpu_v2"};

std::vector<StatedBytes> BytesOf(
    const google::protobuf::RepeatedPtrField<TpuCallConfig::Memory>& memories) {
  std::vector<StatedBytes> bytes;
  for (const auto& memory : memories) bytes.push_back({memory.memory_space(), memory.size()});
  return bytes;
}

std::optional<StatedCost> CostOf(const TpuCallConfig::CustomCall& call) {
  if (!call.has_cost_estimate()) return std::nullopt;
  const auto& cost = call.cost_estimate();
  const StatedCost stated = {cost.flops(), cost.transcendentals(), cost.bytes_accessed(),
                             cost.remote_bytes_transferred()};
  const bool is_cost = stated.flops >= 0 && stated.transcendentals >= 0 && stated.bytes >= 0;
  return is_cost ? std::optional(stated) : std::nullopt;
}

void ReadMosaic(const std::string& config, StatedKernel* kernel) {
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  TpuCallConfig read;
  if (!google::protobuf::util::JsonStringToMessage(config, &read, options).ok()) return;
  kernel->scratch = BytesOf(read.used_scoped_memory_configs());
  kernel->limit = BytesOf(read.scoped_memory_configs());
  kernel->cost = CostOf(read.custom_call_config());
  kernel->has_communication = read.custom_call_config().has_communication();
}

// What stands after the last `key`, up to the first of `ends`: {debug = false, grid_x = 64 : i32,
// .., ir = "code", name = "softmax_rows", ..}. The code may hold anything; the rest stands around it.
absl::string_view TextAfter(absl::string_view text, absl::string_view key, absl::string_view ends) {
  const size_t at = text.rfind(key);
  if (at == absl::string_view::npos) return "";
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find_first_of(ends));
}

int64_t NumberOf(absl::string_view text, absl::string_view key) {
  int64_t number = 0;
  return absl::SimpleAtoi(TextAfter(text, absl::StrCat(key, " = "), " ,}"), &number) ? number : 0;
}

void ReadTriton(absl::string_view config, StatedKernel* kernel) {
  const absl::string_view front = config.substr(0, config.find("ir = \""));
  StatedGrid grid;
  grid.blocks = {NumberOf(front, "grid_x"), NumberOf(front, "grid_y"), NumberOf(front, "grid_z")};
  grid.warps = NumberOf(config, "num_warps");
  grid.stages = NumberOf(config, "num_stages");
  if (grid.blocks[0] > 0) kernel->grid = grid;
  kernel->name = std::string(TextAfter(config, ", name = \"", "\""));
}

bool IsKernel(absl::string_view target) {
  return target == kMosaic || absl::c_linear_search(kTriton, target) ||
         absl::c_linear_search(kOthers, target);
}

}  // namespace

std::optional<StatedKernel> StatedKernelOf(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kCustomCall) return std::nullopt;
  StatedKernel kernel;
  kernel.target = hlo::GetCustomCallTarget(module, id);
  if (!IsKernel(kernel.target)) return std::nullopt;
  kernel.instruction = id;
  kernel.has_side_effect =
      hlo::GetBool(module, id, AttributeName::kCustomCallHasSideEffect).value_or(false);
  const std::string config = hlo::GetString(module, id, AttributeName::kBackendConfig).value_or("");
  if (kernel.target == kMosaic) ReadMosaic(config, &kernel);
  if (absl::c_linear_search(kTriton, kernel.target)) ReadTriton(config, &kernel);
  return kernel;
}

std::vector<StatedKernel> StatedKernels(const hlo::Module& module) {
  std::vector<StatedKernel> kernels;
  for (hlo::InstructionId id = 0; id < module.num_instructions(); ++id) {
    std::optional<StatedKernel> kernel = StatedKernelOf(module, id);
    if (kernel.has_value()) kernels.push_back(*std::move(kernel));
  }
  return kernels;
}

}  // namespace tessera::target
