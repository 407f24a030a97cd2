// Any verb on any module, in the process itself, as the command line runs it.
//
//   VerbRunner verbs("/tmp/folder");
//   verbs.SetModules(text, other_text);      // and the recording of the other, for `check`
//   verbs.Run(3, &random);                   // 0, 1 or 2: the verb of number 3, flags at random
//
// Files of a verb stay in the folder until the next modules, so that an execution which ends the
// process leaves its traces. `words` is its command line, `errors` has the refusals.

#ifndef TESSERA_TESTING_HOSTILE_VERB_RUNNER_H_
#define TESSERA_TESTING_HOSTILE_VERB_RUNNER_H_

#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/testing/hostile/random_words.h"

namespace tessera::testing::hostile {

std::string ReadFile(const std::string& path);

class VerbRunner {
 public:
  static constexpr int kExits = 3;  // exit statuses: 0, 1, 2

  // The folder must exist.
  explicit VerbRunner(std::string folder);

  size_t num_verbs() const { return verbs_.size(); }
  void SetModules(absl::string_view module, absl::string_view other);
  // The module in binary form, of which a few bytes may have been changed.
  void MakeBinary(std::mt19937* random);
  // The exit status. Another one than those of kExits, or an error without a message, aborts.
  int Run(size_t verb, std::mt19937* random);

 private:
  std::string Path(const char* name) const;
  int Execute(size_t verb, const std::vector<std::string>& words);
  int Execute(const std::vector<std::string>& words);

  std::string folder_;
  Files files_;
  std::vector<std::vector<pipeline::Verb>> verbs_;  // each by itself
};

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_VERB_RUNNER_H_
