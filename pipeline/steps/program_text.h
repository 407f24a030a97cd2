// The result of the passes on a module so far, as text: HLO before the import and in the form of
// HLO, in between a program as sharding/passes/text/program_text.h prints it.
//
//   ProgramText(context, options.reference.behaviors);

#ifndef TESSERA_PIPELINE_STEPS_PROGRAM_TEXT_H_
#define TESSERA_PIPELINE_STEPS_PROGRAM_TEXT_H_

#include <cstdint>
#include <string>

#include "tessera/sharding/passes/context.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::pipeline {

// The latest of these; ends with a newline.
std::string ProgramText(const sharding::passes::Context& context,
                        const sharding::reference::Behaviors& behaviors);

// Instructions of the module, or ops of the program.
int64_t ProgramSize(const sharding::passes::Context& context);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_STEPS_PROGRAM_TEXT_H_
