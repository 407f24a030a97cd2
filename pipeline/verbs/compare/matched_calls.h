// Which collectives of a prediction are which collectives of the compiled program.
//
//   const std::vector<CallMatch> all = MatchCalls(predicted, compiled);
//   all[0].verdict;               // CallVerdict::kDiffers
//   all[0].predicted, all[0].compiled    // numbers in the two lists
//   all[0].differs;               // {"op", "bytes"}
//
// Names say nothing, since passes rename. Operation, devices, bytes of a run and runs say which is
// which, and so do the places in the user's program: op_names and lines. Calls are matched in
// steps, and each step looks only at calls that the steps before left:
//
//   1. equal in operation, devices, bytes and runs, from a place in common          agrees
//   2. equal in these four                                                          agrees
//   3. all that is left of one operation, over the same devices, as often, when
//      both sides send the same bytes in all: one call in place of three            other_calls
//   4. the same, whatever the runs: a call moved out of a loop, or into one         other_calls
//   5. from a place in common; more things equal first                              differs
//   6. from the place of one of these: permutes of a loop in place of a gather      joins it
//   7. the only one that is left of its operation and devices, on both sides         differs
//   8. the rest                                                                     only_..
//
// Cost: linear in the calls and their places. Tested by matched_calls_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COMPARE_MATCHED_CALLS_H_
#define TESSERA_PIPELINE_VERBS_COMPARE_MATCHED_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::pipeline {

// A collective as one side has it.
struct ComparedCall {
  std::string op;
  std::string devices;               // equal texts: the same groups
  int64_t sent = 0;                  // bytes by each device, in one run
  int64_t runs = 1;                  //
  std::vector<std::string> origins;  // op_names and lines, each once
};

enum class CallVerdict : uint8_t {
  kAgrees,
  kOtherCalls,  // the same bytes in other calls
  kDiffers,     // from the same place, or the only ones left
  kOnlyPredicted,
  kOnlyCompiled,
};

// "agrees", "other_calls", "differs", "only_predicted", "only_compiled".
const char* VerdictName(CallVerdict verdict);

struct CallMatch {
  CallVerdict verdict = CallVerdict::kAgrees;
  std::vector<size_t> predicted, compiled;
  std::vector<std::string> differs;  // of op, devices, bytes, runs, calls
  bool is_sole = false;              // step 7: no place says that they are one
};

// Each call is in exactly one match. In order of verdicts, then of the lists.
std::vector<CallMatch> MatchCalls(const std::vector<ComparedCall>& predicted,
                                  const std::vector<ComparedCall>& compiled);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COMPARE_MATCHED_CALLS_H_
