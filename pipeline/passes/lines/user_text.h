// The user's text of a module, cut at the line ends after its instructions.
//
//   // weights               computations["e"].head: all before it, and its first line
//   ENTRY e {
//     // the first one          .lines[0], "w": a comment belongs to what follows it
//     w=f32[2] parameter(0)
//   }                           .foot

#ifndef TESSERA_PIPELINE_PASSES_LINES_USER_TEXT_H_
#define TESSERA_PIPELINE_PASSES_LINES_USER_TEXT_H_

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/passes/lines/printed_text.h"

namespace tessera::pipeline::passes {

struct UserText {
  absl::string_view head;  // in front of the first computation
  absl::string_view foot;  // after the last one
  absl::flat_hash_map<absl::string_view, PrintedComputation> computations;  // by name
};

// Views into the text of the module. Nothing if it does not have one line for each instruction
// that a form prints, a `compact` one (PrintOptions::compact_get_tuple_elements) or any other.
std::optional<UserText> CutUserText(const hlo::Module& module, bool compact);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_USER_TEXT_H_
