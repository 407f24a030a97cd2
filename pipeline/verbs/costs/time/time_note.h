// How far to trust predicted times of a target. For every verb that shows the time of a step.
//
//   NoteOnTimes(target, {.is_final = false, .was_partitioned = true});
//   // note: times follow the estimates of the TPU compiler: from a partitioned module, device time was within 15 % in ..
//
// testing/targets.sh holds the counts to what it measures. Tested by cost_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_COSTS_TIME_TIME_NOTE_H_
#define TESSERA_PIPELINE_VERBS_COSTS_TIME_TIME_NOTE_H_

#include <string>

#include "tessera/target/target.h"

namespace tessera::pipeline {

// Of 42 steps for TPUs, the device times of 40 are within this share of the compiler's (docs/cost.md).
inline constexpr double kErrorOfTimes = 0.15;

// What times are predicted from.
struct TimedForm {
  bool is_final = false, was_partitioned = false;
  bool is_of_target = true;  // a final module says that the compiler of the target made it
};

std::string NoteOnTimes(const target::Target& target, const TimedForm& form);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_COSTS_TIME_TIME_NOTE_H_
