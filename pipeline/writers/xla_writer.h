// The result as the pass would leave it: a new module.
//
//   hlo::Module result = WriteXla(module, plan);
//   hlo::PrintModule(result, options);
//
// Entry parameters and results are flat, loops carry what they capture behind what changes, dead
// code is gone. Names are those of the module that was read wherever an instruction has a
// counterpart there.

#ifndef TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
#define TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_

#include "tessera/hlo/module.h"
#include "tessera/sharding/graph/export_plan.h"

namespace tessera::pipeline::writers {

hlo::Module WriteXla(const hlo::Module& before, const sharding::graph::ExportPlan& plan);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_XLA_WRITER_H_
