// The text of a module after the clean-up passes: each line that still says the same is the user's
// own, byte for byte.
//
//   const KeptLines lines(module);
//   ...                                             // passes change the module
//   std::string text = lines.TextOf(std::move(module));
//
// Lines of the same content keep their spelling, the comments after them and the blank and comment
// lines before them. New and changed lines are printed, with `%` where the module has it.

#ifndef TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
#define TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"
#include "tessera/pipeline/passes/lines/printed_forms.h"
#include "tessera/pipeline/passes/lines/user_text.h"
#include "tessera/text/source.h"

namespace tessera::pipeline::passes {

class KeptLines {
 public:
  // The module must be as it was parsed. Prints it.
  explicit KeptLines(const hlo::Module& module);

  // `changed` was made from the module. A text with several instructions on a line, or with
  // computations in place of their names, is printed as a whole.
  std::string TextOf(hlo::Module changed) const;

 private:
  hlo::PrintOptions form_;
  std::shared_ptr<const text::Source> text_;
  size_t users_size_;             // of the module, in the text
  std::optional<UserText> user_;  // views into the text
  size_t printed_size_ = 0;
  std::optional<PrintedForms> printed_;  // as the module was; none without `user_`
};

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_KEPT_LINES_H_
