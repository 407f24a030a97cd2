#include "tessera/target/kernels/final_kernels.h"

#include <algorithm>
#include <optional>

#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/kernels/body.h"
#include "tessera/target/kernels/fused.h"
#include "tessera/target/kernels/products/library_calls.h"
#include "tessera/target/kernels/products/tile_copy.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

std::optional<DeviceKernel> KernelOfInstruction(const hlo::Module& module, InstructionId id) {
  const Role role = RoleOf(module, id);
  if (role == Role::kFree || role == Role::kCollective || role == Role::kCaller) {
    return std::nullopt;
  }
  const Opcode opcode = module.instruction(id).opcode;
  if (role == Role::kFusion) return KernelOf(module, BodyOfFusion(module, id));
  DeviceKernel kernel = KernelOf(module, BodyOfOne(module, id));
  kernel.is_fused = false;
  if (kernel.kind == KernelKind::kScalar) return kernel;
  if (role == Role::kAlone) kernel.kind = KindOfAlone(opcode);
  if (const auto product = LibraryProductOf(module, id)) {
    kernel.kind = product->is_window ? KernelKind::kConvolution : KernelKind::kDot;
    kernel.products.push_back(*product);
  }
  if (IsLone(module, id)) kernel.kind = KernelKind::kLone;
  if (opcode == Opcode::kCopy)
    TakeForTileCopy(module.shape(module.operands(id)[0]), module.shape(id), &kernel);
  return kernel;
}

}  // namespace

std::vector<DeviceKernel> FinalKernels(const hlo::Module& module, hlo::ComputationId computation) {
  std::vector<DeviceKernel> kernels;
  for (const InstructionId id : module.computation(computation).instructions) {
    auto kernel = KernelOfInstruction(module, id);
    if (!kernel.has_value()) continue;
    kernel->instruction = id;
    kernels.push_back(*std::move(kernel));
  }
  return kernels;
}

}  // namespace tessera::target
