// A printed module, cut into its lines, computation by computation: the lines of all of them at once
// would take half as much memory as the text.
//
//   HloModule m, ..            head(): all up to the first computation
//
//   %f (p: f32[2]) -> .. {     c.head
//     %p = f32[2] parameter(0)   .lines[0], "p"
//   }                            .foot
//
//   PrintedText printed(text);
//   for (PrintedComputation c; printed.Next(&c);) ...
//   if (printed.failed()) ...                        // an instruction has more than one line

#ifndef TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_
#define TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
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

using LinesByName = absl::flat_hash_map<absl::string_view, absl::string_view>;
LinesByName ByName(const PrintedComputation& c);

class PrintedText {
 public:
  // All that is cut are views into `text`, which the printer made.
  explicit PrintedText(absl::string_view text);

  absl::string_view head() const { return head_; }  // with its last line end
  // False after the last computation, and at one with an instruction of several lines.
  bool Next(PrintedComputation* c);
  bool failed() const { return failed_; }

 private:
  absl::string_view head_;
  absl::string_view rest_;  // from the line that opens the next computation
  bool failed_ = false;
};

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_PRINTED_TEXT_H_
