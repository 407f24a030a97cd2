// Pieces of an instruction as the text of the module has them.
//
//   // %y = f32[8]{0} add(f32[8] %a, %b), metadata={op_name="x"}
//   WrittenShape(module, y);        // "f32[8]{0}"
//   MetadataTail(module, y);        // ", metadata={op_name=\"x\"}"

#ifndef TESSERA_PIPELINE_WRITERS_WRITTEN_TEXT_H_
#define TESSERA_PIPELINE_WRITERS_WRITTEN_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::writers {

// The result shape as the text has it, printed where it has none.
std::string WrittenShape(const hlo::Module& module, hlo::InstructionId id);
// Its elements if it is a tuple, else the shape itself.
std::vector<std::string> WrittenLeafShapes(const hlo::Module& module, hlo::InstructionId id);

// The text of the metadata attribute with its separator, `, metadata={..}`; empty without.
std::string MetadataTail(const hlo::Module& module, hlo::InstructionId id);
// `, sharding=..`; empty for no sharding.
std::string ShardingTail(absl::string_view sharding);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_WRITTEN_TEXT_H_
