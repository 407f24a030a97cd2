// The lines that parts of one sweep wrote, as one sweep.
//
//   TESSERA_ASSIGN_OR_RETURN(Merged merged, MergeSweeps(arguments));   // a.jsonl b.jsonl
//   Rank(request, &merged.swept);
//
// A variant that several files have counts once; if its lines differ, the files are of different
// sweeps, which is an error. A last line without its end, as a job leaves that was stopped, is left
// out with a note. Linear in the lines. Tested by sweep_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_MERGE_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_MERGE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_report.h"

namespace tessera::pipeline {

struct Merged {
  Swept swept;         // by ascending number; not ranked
  bool timed = false;  // some line has a time
  std::string notes;
};

// All positionals are files of lines (sweep_answer.proto). Errors have file and line.
absl::StatusOr<Merged> MergeSweeps(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_MERGE_H_
