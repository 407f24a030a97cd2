// Edits of annotations in the user's words, each once: what fix_candidates.h is made with.
//
//   CandidateList list(explained, labels);
//   list.Change("drop 'a' from ", annotation, without_a);   // "drop 'a' from w: P('a') -> P()"
//   list.Constrain(slot, wanted);                           // "constrain y: P('a', None)"
//   list.Take();

#ifndef TESSERA_PIPELINE_EXPLAIN_FIXES_CANDIDATE_LIST_H_
#define TESSERA_PIPELINE_EXPLAIN_FIXES_CANDIDATE_LIST_H_

#include <string>
#include <vector>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/passes/import/annotations/annotation_edits.h"

namespace tessera::pipeline {

// Edits that are tried together.
struct FixCandidate {
  std::vector<sharding::passes::AnnotationEdit> edits;
  std::vector<std::string> texts;  // one for each edit; for all constraints of a line together one
  sharding::explain::SlotId slot = sharding::explain::kNoIndex;  // the tensor of the first edit
};

// True if both edit one place: the later one stands.
bool IsSamePlace(const sharding::passes::AnnotationEdit& a,
                 const sharding::passes::AnnotationEdit& b);
// True if all edits are equal, whatever the texts say.
bool HaveSameEdits(const FixCandidate& a, const FixCandidate& b);

class CandidateList {
 public:
  CandidateList(const Explained& explained, const Labels& labels)
      : e_(explained), labels_(labels) {}

  // Of annotation number `annotation`: WHAT, its name, and its specs before and after. Nothing for
  // -1, for what has no place of its own in the program, and where it says so already.
  void Change(const std::string& what, int32_t annotation, sharding::TensorSharding sharding);
  // The same with specs that the text says already, after the name: WHAT, name, ": spec", AFTER.
  void ChangeTo(const std::string& what, int32_t annotation, const std::string& after,
                sharding::TensorSharding sharding);
  // Its own annotation if it has one, else a new constraint after it.
  void Constrain(sharding::explain::SlotId slot, sharding::TensorSharding wanted);

  std::vector<FixCandidate> Take() { return std::move(candidates_); }

 private:
  // The same edit of all constraints that one line of the program makes, where there are several.
  void AddForPlace(const std::string& what, const sharding::explain::Annotation& annotation,
                   const sharding::passes::AnnotationEdit& edit, const std::string& change);
  void Keep(FixCandidate candidate);
  std::string NameOf(const sharding::explain::Annotation& annotation) const;

  const Explained& e_;
  const Labels& labels_;
  std::vector<FixCandidate> candidates_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_FIXES_CANDIDATE_LIST_H_
