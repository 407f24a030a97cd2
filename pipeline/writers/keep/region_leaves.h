// The element of a region's argument that each leaf of its parameter in the module became.
//
//   FindRegionLeaves(module, &form);
//   form.computations[body].parameter_leaves[0];   // {0, -1, 1}: leaf 1 is gone
//
// In the form, a region gets the elements that change in a loop, then its captures, in order of
// first use; the text may hand it more, less, and in another order. What changes is known. For the
// rest there is one witness: what reads the leaf in the text, and what its counterpart reads in the
// form. A leaf that nothing reads is gone, even if an equal value is handed in.
//
// Example. Text: while(t(z, y, x, x)), whose body reads leaf 2 and passes on leaves 2 and 3. Form:
// while(t(z, y, x)). Leaf 2 became element 2; leaf 3 is gone.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_REGION_LEAVES_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_REGION_LEAVES_H_

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// Completes `parameter_leaves` and `moved_leaves` of all regions; does nothing the second time.
void FindRegionLeaves(const hlo::Module& module, sharding::passes::HloForm* form);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_REGION_LEAVES_H_
