// The names and stack frame numbers that a module has after XLA has loaded it: names made unique in
// the whole module, frames renumbered by first use.

#ifndef TESSERA_HLO_PRINT_UNIQUIFIED_NAMES_H_
#define TESSERA_HLO_PRINT_UNIQUIFIED_NAMES_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/stack_frames.h"

namespace tessera::hlo {

// Views into the module, or into `changed` for names that are not as written.
struct UniquifiedNames {
  std::vector<absl::string_view> computations;  // by ComputationId
  std::vector<absl::string_view> instructions;  // by InstructionId
  std::deque<std::string> changed;
  bool in_source = false;  // all of them are views into the source
};

// Computations in order of their ids, each with its instructions in list order. Without `unique`
// the names stay as they are.
UniquifiedNames LoadNames(const Module& module, bool unique);

struct LoadedFrames {
  StackFrames tables;
  std::vector<int64_t> frame_of;  // by InstructionId: the new number, 0 for none; or empty

  int64_t FrameOf(InstructionId id) const { return frame_of.empty() ? 0 : frame_of[id]; }
};

// `renumber`: frames, locations, files and functions get numbers by first use, unused ones go;
// otherwise all stays as written.
LoadedFrames LoadFrames(const Module& module, bool renumber);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_UNIQUIFIED_NAMES_H_
