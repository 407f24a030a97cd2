// Names of verbs and flags from before. They work for one release, and each use gets a note.
//
//   std::vector<std::string> words = {"record", "step.hlo"};
//   std::string notes = ReplaceOldNames(verbs, &words);
//   // {"shardings", "step.hlo", "--format=golden"}
//   // note: `tessera record` is now `tessera shardings --format=golden`; ..
//
// A flag whose new form needs another value stays in its verb, in the group kOldNames, with the new
// form as its help: it is in no list, and gets a note.
//
// Tested by old_names_test.cc.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_OLD_NAMES_H_
#define TESSERA_PIPELINE_COMMAND_LINE_OLD_NAMES_H_

#include <string>
#include <vector>

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

inline constexpr char kOldNames[] = "Old names";

// Puts the new names into `words`, as far as `verbs` have them. Returns a line of note for each.
std::string ReplaceOldNames(const std::vector<Verb>& verbs, std::vector<std::string>* words);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_OLD_NAMES_H_
