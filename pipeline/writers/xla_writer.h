// The result as the pass would leave it: a new module.
//
//   hlo::Module result = WriteXla(module, form);
//   hlo::PrintModule(result, options);
//   WriteXla(module, form, &sources);    // sources[id]: what instruction `id` of the result was
//
// Entry parameters and results are flat, loops carry what they capture behind what changes, dead
// code is gone. Names are those of the module that was read wherever an instruction has a
// counterpart there.

#ifndef TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
#define TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_

#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// `sources`, if given: by instruction of the result, the one of `before` that it stands for or is a
// part of; kNoId for what was inserted.
hlo::Module WriteXla(const hlo::Module& before, const sharding::passes::HloForm& form,
                     std::vector<hlo::InstructionId>* sources = nullptr);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
