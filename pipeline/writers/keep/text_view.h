// A value of the text and its source, after packing, copies and marks: the counterpart of
// FormView.
//
//   // %t = tuple(%a, %b)   %g = get-tuple-element(%t), index=1   %c = copy(%g)
//   TextView view(module, form, index);
//   view.After({c, {}});       // {b, {}}
//
// A loop hands on as they came those leaves of its state that its body does not change; they are
// looked through, too. Cost: the instructions on the way.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_TEXT_VIEW_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_TEXT_VIEW_H_

#include <cstddef>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// A leaf of an instruction.
struct TextValue {
  hlo::InstructionId id = hlo::kNoId;
  layout::LeafPath path;
};

bool HaveEqualDims(const layout::Shape& a, const layout::Shape& b);  // false for tuples

class TextView {
 public:
  // Of one computation, number `computation` of the form.
  TextView(const hlo::Module& module, const sharding::passes::HloForm& form, int computation);

  TextValue SourceOf(TextValue value);
  // Its number among the leaves of its instruction.
  size_t LeafOf(const TextValue& value);

 private:
  bool PassesOn(hlo::InstructionId id) const;
  bool IsInvariant(const TextValue& value);

  const hlo::Module& module_;
  const sharding::passes::HloForm& form_;
  absl::flat_hash_map<hlo::InstructionId, int> body_of_;  // of each loop that the form still has
  layout::LeafNumbers leaf_numbers_;
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_TEXT_VIEW_H_
