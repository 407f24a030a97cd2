// The parts of the sentences about one refusal: its tensors, axes, operation and annotation, as the
// user knows them.
//
//   const RefusalWords words(explained, labels, refusal);
//   words.At(refusal.holder);     // "w dim 1"
//   words.OpWithRule();           // "y ([i, k], [k, j])->([i, j])"
//   words.FactorAt(refusal.to);   // "w dim 0 is k (summed over)"

#ifndef TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_WORDS_H_
#define TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_WORDS_H_

#include <optional>
#include <string>

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/sharding/explain/whynot/reasons/refusal.h"
#include "tessera/sharding/factors/rule.h"

namespace tessera::pipeline {

class RefusalWords {
 public:
  RefusalWords(const Explained& explained, const Labels& labels,
               const sharding::explain::Refusal& refusal)
      : e_(explained), labels_(labels), r_(refusal) {}

  const sharding::explain::Refusal& refusal() const { return r_; }
  const Explained& explained() const { return e_; }
  const Labels& labels() const { return labels_; }

  // "" without one.
  std::string At(const sharding::explain::Endpoint& at) const;
  std::string Tensor(const sharding::explain::Endpoint& at) const;
  // "'a'", or "an axis" where it is not known.
  std::string Axis(const std::optional<sharding::AxisRef>& axis) const;
  // "'a', 'b'": those of the dimension in the end.
  std::string AxesAt(const sharding::explain::Endpoint& at) const;
  std::string Instruction(hlo::InstructionId id) const;

  std::string Op() const;
  // "dot", "custom-call mine"
  std::string Opcode() const;
  // Null where the op has none.
  const sharding::factors::OpShardingRule* Rule() const;
  std::string OpWithRule() const;
  // The letter of a dimension in the rule, and its part if the op ends or begins it.
  std::string FactorAt(const sharding::explain::Endpoint& at) const;

  // "constraint P(), model.py:50"
  std::string Sayer() const;
  // " from w dim 1", what is in the way came from there.
  std::string Winner() const;  // empty where that is the holder itself
  // "; 'c':(1)2 went through"
  std::string Kept() const;
  // ", and it stands after 'b'"
  std::string AfterAxis() const;

 private:
  std::string RoleOf(int factor) const;

  const Explained& e_;
  const Labels& labels_;
  const sharding::explain::Refusal& r_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_REFUSALS_REFUSAL_WORDS_H_
