// What is lost at the boundary of a program: axes that do not divide a dimension of a parameter.
//
//   x = f32[6] parameter(0)         annotated P('data'), data=4
//   // "note: x: P('data',) does not divide f32[6]; trimmed to <@mesh, [{\"data\":(1)2}]>
//   // (`tessera shard --uneven-boundaries` keeps it; JAX refuses such an argument)\n"

#ifndef TESSERA_PIPELINE_ANSWER_BOUNDARY_WARNINGS_H_
#define TESSERA_PIPELINE_ANSWER_BOUNDARY_WARNINGS_H_

#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {

// One for each array of the entry's parameters, as the program has their shardings now; of many the
// first ones and how many more.
std::vector<std::string> NotesOnBorder(const hlo::Module& module,
                                       sharding::passes::HloProgram& program);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_ANSWER_BOUNDARY_WARNINGS_H_
