// The page of surprises: where a module's shardings cost most, as a list of questions to ask.
//
//   const std::vector<Surprise> surprises = FindSurprises(explained);   // ten, costliest first
//   SurprisesText(explained, surprises, "step.hlo", " --mesh=data=8");
//
//   replicated   a big array is whole on every device, while its neighbours are split, or, of an
//                argument, another argument of the same shape
//   conflict     an array is split, but not by an axis that a neighbour has and offered, or that a
//                conflict further up took from it (lost_axes.h)
//   border       a parameter or result was split, until a boundary of a function took that away
//   ignored      an annotation stands where XLA does not read it
//
// The cost is in bytes of one device: what the array has there beyond what it would have if it were
// split. Arrays that look alike (shape, operation, line of the program) are one entry, and so are
// places whose dimensions one annotation closes: the costliest stands for them. Constants, iotas,
// broadcasts, and all-gathers of the program's own are left out.
//
// Cost: linear in the program, and a search for each array that is shown or that leads to one.
// Tested by explain_verb_test.cc.

#ifndef TESSERA_PIPELINE_EXPLAIN_SURPRISES_H_
#define TESSERA_PIPELINE_EXPLAIN_SURPRISES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/why_not.h"

namespace tessera::pipeline {

enum class SurpriseKind : uint8_t { kReplicated, kConflict, kBorder, kIgnored };

struct Surprise {
  SurpriseKind kind = SurpriseKind::kReplicated;
  sharding::explain::SlotId slot = sharding::explain::kNoIndex;
  int64_t bytes = 0;                      // of all that are alike, beyond what they would have
  int alike = 1;                          // how many there are
  int same_annotation = 0;                // smaller arrays that the same annotation blocks
  std::string axis;                       // that it could have had
  int dim = 0;                            // where
  sharding::explain::Endpoint neighbour;  // that has it; kReplicated, kConflict
  bool is_twin = false;                   // it is another argument of the same shape
  std::optional<sharding::explain::Verdict> verdict;  // why the axis is not there
};

// Which of them to list: those that `shows` says, the costliest `most`.
struct SurpriseChoice {
  std::function<bool(const Labels&, const Surprise&)> shows;  // null: all
  size_t most = 10;
};
std::vector<Surprise> FindSurprises(const Explained& explained, const SurpriseChoice& choice = {});

// "is replicated on every device; x has 'data' on dim 0"
std::string SurpriseInWords(const Labels& labels, const Surprise& surprise);

// Two lines each, and the question to ask. `file`: as the user named it; `flags`: of the question,
// as FlagsAgain() gives them.
std::string SurprisesText(const Explained& explained, const std::vector<Surprise>& surprises,
                          const std::string& file, const std::string& flags);
// A message Surprises of pipeline/schema/explain_answer.proto.
std::string SurprisesJson(const Explained& explained, const std::vector<Surprise>& surprises);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_SURPRISES_H_
