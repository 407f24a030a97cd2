// Cuts a module down to the part that a question is about.
//
//   absl::StatusOr<Reduced> small = Reduce(text, [](const std::string& module) {
//     return Differs(module);            // the question: is this module still interesting?
//   });
//   small->text;                         // the smallest module found that is
//
// Every module that is asked about parses, and verifies if `text` does.

#ifndef TESSERA_TESTING_REDUCE_REDUCE_H_
#define TESSERA_TESTING_REDUCE_REDUCE_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace tessera::testing::reduce {

struct Reduced {
  std::string text;
  int instructions_before = 0, instructions_after = 0;
  int checks = 0;  // how often the question was asked
};

// An error if `text` is no module, or is not interesting in the form in which tessera prints it.
absl::StatusOr<Reduced> Reduce(const std::string& text,
                               const std::function<bool(const std::string&)>& is_interesting);

}  // namespace tessera::testing::reduce

#endif  // TESSERA_TESTING_REDUCE_REDUCE_H_
