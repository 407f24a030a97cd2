// Which variants of a module are one and the same to the pass.
//
//   const VariantKeys keys(module, options);
//   keys.Of({mesh, annotations});       // equal: so is all that follows from the variant
//
// On the mesh data=4,model=1 the annotations w=P(None, 'model') and w=P() say one thing. No annotation says it too,
// where the module has w on no axis. Axes of size 1 leave all shardings before anything looks at them. An annotation
// of a parameter takes the place of what the module says, and so does one of a constraint. A key has the mesh and
// what is left of the annotations. Of a thousand variants of a grid often a fifth are different.
//
// Cost: the module is imported once for each mesh, and searched once for each pattern. Tested by
// variant_key_test.cc, and by sweep_verb_test.cc against variants that run alone.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_KEY_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_KEY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/shard.h"
#include "tessera/pipeline/verbs/search/suggest/constraint_groups.h"
#include "tessera/pipeline/verbs/search/suggest/imported_annotations.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::pipeline {

struct Variant {
  std::optional<sharding::Mesh> mesh;  // none: the module's own
  std::vector<PatternAnnotation> annotations;
  // A result that takes the place of a donated argument gets the sharding annotated for that. So
  // the next step takes the array as this one returns it.
  bool ties_donated = false;
};

// The annotation of one instruction in a variant: a sharding, or the text of a spec that was not
// resolved.
struct SaidOf {
  hlo::InstructionId instruction = hlo::kNoId;
  sharding::TensorSharding sharding;
  std::string spec;

  friend bool operator==(const SaidOf& a, const SaidOf& b) {
    return a.instruction == b.instruction && a.sharding == b.sharding && a.spec == b.spec;
  }
  template <typename H>
  friend H AbslHashValue(H h, const SaidOf& said) {
    return H::combine(std::move(h), said.instruction, said.sharding, said.spec);
  }
};

struct VariantKey {
  std::string mesh;
  bool ties_donated = false;
  std::vector<SaidOf> said;

  friend bool operator==(const VariantKey& a, const VariantKey& b) {
    return a.mesh == b.mesh && a.ties_donated == b.ties_donated && a.said == b.said;
  }
  friend bool operator!=(const VariantKey& a, const VariantKey& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const VariantKey& key) {
    return H::combine(std::move(h), key.mesh, key.ties_donated, key.said);
  }
};

// Results in the place of a donated parameter of the same shape: the number of the array among all of the result, and
// the parameter. None where tokens, which have no number there, are among the results.
std::vector<std::pair<int, hlo::InstructionId>> DonatedOf(const hlo::Module& module);

// All that is in it as text, the same in every process for the same module.
std::string KeyText(const VariantKey& key);

class VariantKeys {
 public:
  // Mesh and annotations of `options` are not used. `module` must outlive the keys.
  VariantKeys(const hlo::Module& module, ShardOptions options);

  // None for a variant that is refused before propagation. Safe from many threads.
  std::optional<VariantKey> Of(const Variant& variant) const;
  // The shardings of results that ties_donated adds to the variant. Safe from many threads.
  std::vector<sharding::passes::AnnotationEdit> TiesOf(const Variant& variant) const;
  // The constraints of the module on the mesh of the variant, those in a shard_map left out, and those that P(..) cannot
  // say. By instruction. Safe from many threads.
  std::vector<ConstraintSaid> ConstraintsOn(const Variant& variant) const;
  // Arrays that are arguments and whose shardings do not divide them: the pass trims these. Safe from many threads.
  int64_t UnevenArguments(const Variant& variant) const;
  // Computations inside shard_maps on the mesh of the variant. Safe from many threads.
  ComputationSet InShardMaps(const Variant& variant) const;

 private:
  using Ids = std::vector<hlo::InstructionId>;

  const ImportedAnnotations* ImportedOn(const Variant& variant, const std::string& mesh) const;
  const Ids* Matches(const PatternAnnotation& annotation) const;

  const hlo::Module& module_;
  const ShardOptions options_;
  const std::vector<std::pair<int, hlo::InstructionId>> donated_;  // array of the result, parameter
  // Of both maps. absl::Mutex allocates, and ends the process where memory is short.
  mutable std::mutex mutex_;
  // By mesh; null where the import fails.
  mutable absl::flat_hash_map<std::string, std::unique_ptr<const ImportedAnnotations>> imported_;
  mutable absl::flat_hash_map<std::string, std::unique_ptr<Ids>> matches_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_VARIANTS_VARIANT_KEY_H_
