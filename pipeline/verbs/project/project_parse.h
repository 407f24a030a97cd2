// The words of `tessera project`, parsed: which array, which block, which cuts.
//
//   FindArray(module, "%while.6{1}")     // array 1 of the result of while.6
//   ParseBlock("0:8,:", index)           // [0:8, 0:256]: what is left out is the whole extent
//   ParseCuts("0:4,k0:2", axes)          // axis 0 in 4, axis k0 in 2
//
// Errors say what would be right; they have no place in a file.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_PARSE_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_PARSE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/partition/shards.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::pipeline {

// InvalidArgument: --FLAG=TEXT: expected FORM.
absl::Status BadFlag(absl::string_view flag, absl::string_view text, absl::string_view form);

struct NamedArray {
  hlo::InstructionId id = hlo::kNoId;
  int leaf = 0;  // of its result, in order of the text
};
// The instruction as of named_instruction.h; NotFound names instructions that are spelled alike.
absl::StatusOr<NamedArray> FindArray(const hlo::Module& module, const std::string& name);

absl::StatusOr<projection::ZRange> ParseBlock(const std::string& text,
                                              const projection::ZRange& index);

// Axes by number, from the end if negative, or by name; each at most once. They are ones that can
// be cut, into at most 4096 parts in all.
absl::StatusOr<std::vector<projection::Cut>> ParseCuts(const std::string& text,
                                                       const projection::Signature& s);

inline constexpr int64_t kMaxParts = 4096;

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_PARSE_H_
