#include "tessera/pipeline/verbs/costs/time/time_note.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {
namespace {

// How often the device time is right, in words.
absl::string_view SharesOf(const target::Target& target, const TimedForm& form) {
  if (target.slices > 1) {
    return form.is_final
               ? "on several slices, device time from a final module was within 15 % in 14 of 14 "
                 "training steps"
               : "on several slices, device time was within 15 % in 8 of 14 training steps";
  }
  if (form.is_final) {
    return "from a final module, device time was within 15 % in 42 of 42 training and serving "
           "steps";
  }
  return form.was_partitioned
             ? "from a partitioned module, device time was within 15 % in 40 of 42 training and "
               "serving steps"
             : "from a lowered module, device time was within 15 % in 40 of 42 training and "
               "serving steps";
}

// How often kernels and waits of a GPU are those of the compiler's program, by the form that was read.
std::string SharesOfGpu(const target::Chip& chip, const TimedForm& form) {
  if (form.is_final) return "";
  return absl::StrCat(": from a ", form.was_partitioned ? "partitioned" : "lowered",
                      " module, the time of kernels was within 15 % of the compiler's program in "
                      "17 of 18 steps, and waits within 25 % in ",
                      form.was_partitioned ? 14 : 13, target::NotComparedText(chip));
}

}  // namespace

std::string NoteOnTimes(const target::Target& target, const TimedForm& form) {
  if (target.chip->platform == target::Platform::kGpu) {
    return absl::StrCat("note: times follow XLA's model of GPUs, and no device was measured",
                        SharesOfGpu(*target.chip, form), " (docs/cost.md)\n");
  }
  return absl::StrCat("note: times follow the estimates of the TPU compiler",
                      form.is_final && !form.is_of_target
                          ? ""
                          : absl::StrCat(": ", SharesOf(target, form),
                                         ", on which rules were chosen; expect less on others"),
                      "; no device was measured (docs/cost.md)\n");
}

}  // namespace tessera::pipeline
