// The result as the pass would leave it: a new module.
//
//   hlo::Module result = WriteXla(module, form);
//   hlo::PrintModule(result, options);
//   WriteXla(module, form, &sources);    // sources[id]: what instruction `id` of the result was
//   WriteXla(module, form, &sources, &leaves);    // and which array of it each of its arrays was
//
// Entry parameters and results are flat, loops carry captures after elements that change, and dead
// code is gone. Names are those of the module that was read wherever an instruction has a
// counterpart there.

#ifndef TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
#define TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// Of a loop, or a parameter: pairs of an array of it and the array of its source that this is. A loop
// carries other arrays than its source, in another order; a parameter may be one array of a tuple.
// The captures of a region are known if FindRegionLeaves() has found them.
using SourceLeaves = absl::flat_hash_map<hlo::InstructionId, std::vector<std::pair<int, int>>>;

// `sources`, if given: by instruction of the result, the one of `before` that it stands for or is a
// part of; kNoId for what was inserted. `leaves`, if given: of those whose arrays are not all arrays
// of their source, in its order.
hlo::Module WriteXla(const hlo::Module& before, const sharding::passes::HloForm& form,
                     std::vector<hlo::InstructionId>* sources = nullptr,
                     SourceLeaves* leaves = nullptr);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
