// One instruction of the source with some changes, in its place or as a line of its own.
//
//   LineChange change;
//   change.sharding = "{replicated}";
//   change.operands = {{0, "%x.reshard"}};
//   EditLine(module, id, change, edit);   // edits where the text differs
//   change.name = "%a.clone";
//   RenderLine(module, id, change);
//                // "%a.clone = f32[8]{0} add(%x.reshard, %y), sharding={replicated}"
//
// All text that the change does not name stays byte for byte. Only `sharding=` and `xla.sdy.*`
// attributes always go.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_KEEP_LINES_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_KEEP_LINES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"

namespace tessera::pipeline::writers {

struct LineChange {
  std::string name;            // as the text spells it; empty: its own
  absl::string_view sharding;  // empty: none
  bool is_root = false;
  std::vector<std::pair<size_t, std::string>> operands;  // which, and its new name as spelled
};

void EditLine(const hlo::Module& module, hlo::InstructionId id, const LineChange& change,
              hlo::Editor& edit);

// The text from `ROOT` or the name to the last attribute.
std::string RenderLine(const hlo::Module& module, hlo::InstructionId id, const LineChange& change);
// The same with opcode `copy` and no attribute but metadata: what a constraint becomes.
std::string RenderCopy(const hlo::Module& module, hlo::InstructionId id, const LineChange& change);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_KEEP_LINES_H_
