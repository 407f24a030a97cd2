// What variants of one module cost: other meshes, other annotations.
//
//   TESSERA_ASSIGN_OR_RETURN(const VariantCosts costs,
//                            VariantCosts::Create(std::move(module), options, "tpu-v5e:4x4"));
//   costs.Of({mesh, annotations});      // StepCost, or why the pass or the partitioner refuses it
//
// The module is read and cleaned once; a variant works on a copy, so that many threads may ask at
// the same time. Calls whose partitioning a callback decides (JAX's custom_partitioning) are taken
// to move nothing: cost/step/opaque_calls.h.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANT_COST_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANT_COST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/cost/step/step_cost.h"
#include "tessera/cost/sweep/ranking.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/mesh.h"

namespace tessera::pipeline {

struct Variant {
  std::optional<sharding::Mesh> mesh;  // none: the module's own
  std::vector<PatternAnnotation> annotations;
};

class VariantCosts {
 public:
  // Mesh and annotations of `options` are not used. An empty topology: no times. Errors as of
  // passes::CleanUp.
  static absl::StatusOr<VariantCosts> Create(hlo::Module module, ShardOptions options,
                                             std::string topology);

  // Safe from many threads. The message of an error is one line.
  absl::StatusOr<cost::StepCost> Of(const Variant& variant) const;

  // On all cores; `done` is told of each, from any thread.
  cost::Outcomes OfAll(size_t count, const std::function<Variant(size_t)>& variant,
                       const std::function<void()>& done) const;

  // As the pass sees it.
  const hlo::Module& module() const { return module_; }
  // What the figures leave out, as notes.
  std::string Notes() const;

 private:
  VariantCosts(hlo::Module module, ShardOptions options, std::string topology)
      : module_(std::move(module)), options_(std::move(options)), topology_(std::move(topology)) {}

  hlo::Module module_;
  ShardOptions options_;
  std::string topology_;
  int64_t opaque_ = 0;  // calls that a callback decides
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANT_COST_H_
