// A printed module, cut into its lines.
//
//   HloModule m, ..            head: all up to the first computation
//
//   %f (p: f32[2]) -> .. {     computations[0].head
//     %p = f32[2] parameter(0)     .lines[0], "p"
//   }                              .foot

#ifndef TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_
#define TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::pipeline::passes {

struct PrintedLine {
  absl::string_view name;  // of the instruction, without '%'
  absl::string_view text;  // with indentation, without line end
};

struct PrintedComputation {
  absl::string_view name;  // without '%'
  absl::string_view head;
  absl::string_view foot;
  std::vector<PrintedLine> lines;
};

struct PrintedText {
  absl::string_view head;  // with its last line end
  std::vector<PrintedComputation> computations;
};

// Views into `text`, which the printer made. Nothing if an instruction has more than one line.
std::optional<PrintedText> CutPrinted(absl::string_view text);

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_
