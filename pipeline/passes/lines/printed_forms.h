// The printer's form of each piece of a user's text: a line, or the head or the foot of a
// computation.
//
//   const auto forms = PrintedForms::Of(printed, user);     // `printed` may go now
//   forms->AreSame(user.computations["f"].lines[0].text, "  %p = f32[2]{0} parameter(0)")
//
// Of a text in XLA's form, which nearly every dump is, the printer says each piece as it stands.
// That is not kept: only what it says otherwise is, byte for byte.

#ifndef TESSERA_PIPELINE_PASSES_LINES_PRINTED_FORMS_H_
#define TESSERA_PIPELINE_PASSES_LINES_PRINTED_FORMS_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/passes/lines/printed_text.h"
#include "tessera/pipeline/passes/lines/user_text.h"
#include "tessera/text/text_arena.h"

namespace tessera::pipeline::passes {

class PrintedForms {
 public:
  // `printed` says what `user` was cut from, whose text must outlive this. Nothing if an instruction
  // was printed on several lines.
  static std::optional<PrintedForms> Of(absl::string_view printed, const UserText& user);

  // Of the module, up to its first computation.
  absl::string_view head() const { return head_; }
  // Whether `printed`, without line end, is what the printer says in place of `piece`.
  bool AreSame(absl::string_view piece, absl::string_view printed) const;

 private:
  void Put(absl::string_view piece, absl::string_view printed);
  void PutLines(const PrintedComputation& users, const PrintedComputation& printed);
  void PutAll(const PrintedComputation& users, const PrintedComputation& printed);

  std::string head_;
  text::TextArena texts_;
  // By where the piece begins: those that are printed otherwise, and none for those that are not.
  absl::flat_hash_map<const char*, std::optional<absl::string_view>> others_;
};

}  // namespace tessera::pipeline::passes

#endif  // TESSERA_PIPELINE_PASSES_LINES_PRINTED_FORMS_H_
