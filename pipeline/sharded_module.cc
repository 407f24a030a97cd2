#include "tessera/pipeline/sharded_module.h"

#include <utility>

#include "tessera/text/status_macros.h"

namespace tessera::pipeline {

ShardedModule::ShardedModule(std::unique_ptr<PropagatedModule> sharded, const ShardOptions& options)
    : sharded_(std::move(sharded)),
      options_(options),
      tensors_(ListTensors(*sharded_)),
      results_(ListResults(*sharded_)) {
  for (const auto* list : {&tensors_, &results_}) {
    for (const Tensor& tensor : *list) by_name_.try_emplace(tensor.name, &tensor);
  }
  for (const Tensor& tensor : results_) {
    if (!tensor.op_name.empty()) by_name_.try_emplace(tensor.op_name, &tensor);
  }
}

const Tensor* ShardedModule::Find(absl::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

absl::StatusOr<std::string> ShardedModule::ToHlo() const {
  hlo::Module given =
      sharded_->original.has_value() ? sharded_->original->Read() : sharded_->module;
  TESSERA_ASSIGN_OR_RETURN(ShardResult result, ShardModule(std::move(given), options_));
  return std::move(result.text);
}

absl::StatusOr<ShardedModule> Shard(hlo::Module module, const ShardOptions& options) {
  TESSERA_ASSIGN_OR_RETURN(std::unique_ptr<PropagatedModule> sharded,
                           Propagate(std::move(module), options));
  TESSERA_RETURN_IF_ERROR(Finalize(options, sharded.get()));
  return ShardedModule(std::move(sharded), options);
}

}  // namespace tessera::pipeline
