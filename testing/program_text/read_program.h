// A program from its text: the other direction of program_text.h, so that a pass may be shown a
// program without HLO.
//
//   hlo::Module module;
//   absl::StatusOr<std::unique_ptr<HloProgram>> program = ReadProgram(R"(
//     mesh <["a"=2]>
//     entry e(%arg0 f32[8] [{"a"}]) {
//       %n f32[8] = negate(%arg0)
//       return(%n) -> none
//     })", &module);
//   ProgramToString(**program);     // the text again, in its usual spacing
//
// Names become instructions of `module`, in one computation a function; values that differ in ticks
// alone (`%n`, `%n'`) are copies of one instruction. It reads both texts of program_text.h, and
// assumes the rest. All axes stand in one mesh: first in order of the lists of replicated and
// unreduced axes, then of their first mention. They are as large as their parts need. A value is an
// f32 array of 8 in each dimension of its sharding. A sharding lies on the first mesh that has its
// axes. Computations that an instruction applies (of reduce, say) and the payloads of a kind
// (payload.h) have no text.

#ifndef TESSERA_TESTING_PROGRAM_TEXT_READ_PROGRAM_H_
#define TESSERA_TESTING_PROGRAM_TEXT_READ_PROGRAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::sharding::passes {

// `module` must be empty, and outlive the program. InvalidArgument with line, column and the line
// itself for a text that is no program.
absl::StatusOr<std::unique_ptr<HloProgram>> ReadProgram(absl::string_view text,
                                                        hlo::Module* module);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_TESTING_PROGRAM_TEXT_READ_PROGRAM_H_
