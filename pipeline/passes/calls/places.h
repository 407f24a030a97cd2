// Where instructions that come out of an inlined call stand in the user's program.

#ifndef TESSERA_PIPELINE_PASSES_CALLS_PLACES_H_
#define TESSERA_PIPELINE_PASSES_CALLS_PLACES_H_

#include <string>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::passes {

// The place in metadata as it is written: ` stack_frame_id=3`, ` source_file="a.py" source_line=7`;
// "" where there is none.
std::string PlaceText(const hlo::Metadata& metadata);

// Gives the instruction that place unless it has one: JAX lowers the bodies of small functions
// (`jnp.where`) once, without the lines that call them.
void TakePlace(hlo::Module* module, hlo::InstructionId id, const std::string& place);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_CALLS_PLACES_H_
