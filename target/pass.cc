#include "tessera/target/pass.h"

#include <algorithm>
#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {

Context::Context(hlo::Module module, Target target, const XlaFlags& flags)
    : target(std::move(target)),
      flags(flags),
      program(std::move(module)),
      groups(std::max<int64_t>(
          program.module().header().num_partitions * program.module().header().replica_count, 1)),
      origins(program) {}

int64_t Context::NewChannel() {
  if (last_channel_ > 0) return ++last_channel_;
  const hlo::Module& module = program.module();
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    const auto channel = hlo::GetInt(module, id, hlo::AttributeName::kChannelId);
    last_channel_ = std::max(last_channel_, channel.value_or(0));
  }
  return ++last_channel_;
}

absl::Status RunPasses(absl::Span<const Pass> passes, Context* context, PassObserver* observer) {
  for (size_t k = 0; k < passes.size(); ++k) {
    if (k == 0 || passes[k].pipeline != passes[k - 1].pipeline) context->kernels.clear();
    TESSERA_RETURN_IF_ERROR(passes[k].run(*context));
    context->program.Tidy();
    if (observer != nullptr) {
      TESSERA_RETURN_IF_ERROR(observer->AfterPass(passes[k], k, *context));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
