// The costs of variants of one module: other meshes, other annotations.
//
//   TESSERA_ASSIGN_OR_RETURN(const VariantCosts costs,
//                            VariantCosts::Create(std::move(module), options, "tpu-v5e:4x4"));
//   costs.Of({mesh, annotations});      // StepCost, or why the pass or the partitioner refuses it
//
// The module is read and cleaned once; a variant works on a copy, so that many threads may ask at
// the same time. Variants that say the same (variant_key.h) are worked out once. Calls whose
// partitioning a callback decides (JAX's custom_partitioning) are taken to move nothing:
// cost/step/opaque_calls.h.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_COST_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_COST_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "tessera/cost/schedule/target_step.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/cost/sweep/ranking.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/costs/input/partitioner_input.h"
#include "tessera/pipeline/verbs/search/variants/variant_key.h"
#include "tessera/sharding/passes/propagate/rule_book.h"
#include "tessera/target/priority_fusion/fusion_memory.h"

namespace tessera::pipeline {

class VariantCosts {
 public:
  // Mesh and annotations of `options` are not used. Times are those of the target, else of the
  // topology; without both there are none. With a target the module is one of BeforeShardy(). `calls`: on a target,
  // of --kernel-cost.
  // Errors as of passes::CleanUp.
  static absl::StatusOr<VariantCosts> Create(hlo::Module module, ShardOptions options,
                                             std::string topology,
                                             std::optional<TargetChoice> target = std::nullopt,
                                             cost::CallCosts calls = {});

  // Whether a machine of `topology` can be read and fits the mesh of the variant. Where all variants have the module's,
  // one error says it of all.
  absl::Status CheckMachine(const Variant& variant) const;

  // Safe from many threads. The message of an error is one line.
  absl::StatusOr<cost::StepCost> Of(const Variant& variant) const;

  // The program of the variant with the shardings of all its instructions, as `tessera shard` writes
  // it, in HLO's own form.
  absl::StatusOr<hlo::Module> Sharded(const Variant& variant) const;

  // By threads() of them; `done` is told of each, from any thread. What one call found the next ones know.
  cost::Outcomes OfAll(size_t count, const std::function<Variant(size_t)>& variant,
                       const std::function<void()>& done) const;

  // KeyText() of the variant; none where it is refused before propagation.
  std::optional<std::string> KeyOf(const Variant& variant) const;

  // As of VariantKeys::ConstraintsOn().
  std::vector<ConstraintSaid> ConstraintsOn(const Variant& variant) const {
    return keys_->ConstraintsOn(variant);
  }

  // As of VariantKeys.
  int64_t UnevenArguments(const Variant& variant) const { return keys_->UnevenArguments(variant); }

  ComputationSet InShardMaps(const Variant& variant) const { return keys_->InShardMaps(variant); }

  // The variant as the partitioner gets it. Safe from many threads.
  absl::StatusOr<PartitionerInput> InputOf(const Variant& variant) const;

  int threads() const;  // --jobs, or all cores
  // As of VariantKeys.
  std::vector<sharding::passes::AnnotationEdit> TiesOf(const Variant& variant) const {
    return keys_->TiesOf(variant);
  }
  const cost::CallCosts& calls() const { return calls_; }
  // As the pass sees it.
  const hlo::Module& module() const { return *module_; }
  // Notes on costs that the figures leave out.
  std::string Notes() const;

 private:
  // What is worked out already, also for variants that differ. absl::Mutex allocates, and ends the process where memory is short.
  struct Known {
    std::mutex mutex;
    absl::flat_hash_map<VariantKey, cost::StepCost> costs;  // under the mutex
    target::FusionMemory fusions;
    sharding::passes::RuleBooks rule_books;
  };

  VariantCosts(hlo::Module module, ShardOptions options, std::string topology)
      : module_(std::make_unique<const hlo::Module>(std::move(module))),
        options_(std::move(options)),
        topology_(std::move(topology)),
        keys_(std::make_unique<VariantKeys>(*module_, options_)) {}

  ShardOptions OptionsOf(const Variant& variant) const;
  // InvalidArgument for a mesh of another number of devices than the target has.
  absl::Status CheckDevices(const Variant& variant) const;

  std::unique_ptr<const hlo::Module> module_;
  ShardOptions options_;
  std::string topology_;
  std::optional<TargetChoice> target_;
  cost::CallCosts calls_;
  int64_t opaque_ = 0;  // calls that a callback decides
  std::unique_ptr<VariantKeys> keys_;
  std::unique_ptr<Known> known_ = std::make_unique<Known>();
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_COST_H_
