// Names of tensors, operations and places in explanations, in the user's words.
//
//   Labels labels(explained);
//   labels.Slot(slot);              // "params['w']", "dot.7", "while.3{1}", "result{0}"
//   labels.Op(step.op, step.output) // "dot.7", "loop edge of while.3{1}", "result{0}"
//   labels.Annotation(annotation);  // "P(None, 'a') on parameter 1"

#ifndef TESSERA_PIPELINE_EXPLAIN_LABELS_H_
#define TESSERA_PIPELINE_EXPLAIN_LABELS_H_

#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/sharding/explain/event.h"
#include "tessera/sharding/factors/rule.h"

namespace tessera::pipeline {

class Labels {
 public:
  // `source_lines`: of the user's program; null where they are not to be shown.
  explicit Labels(const Explained& explained, SourceLines* source_lines = nullptr);

  // A parameter by its argument path, anything else by its instruction.
  std::string Value(sharding::propagation::ValueId value) const;
  std::string Slot(sharding::explain::SlotId slot) const;
  // "result" of one array, "result{0}" of several, as `shardings` has it; or "out['w1']" where ShardOptions::result_names has it.
  std::string Result(int number) const;
  // The value that a step read or wrote.
  std::string At(const sharding::explain::Endpoint& endpoint) const;
  // The op of a step; of an output with op kNone.
  std::string Op(sharding::propagation::OpId op, int output) const;
  // The user's annotation, and the tensor that it is on.
  std::string Annotation(const sharding::explain::Annotation& annotation) const;

  // kNoId for what the pass added, and for results.
  hlo::InstructionId InstructionOf(sharding::explain::SlotId slot) const;
  hlo::InstructionId InstructionOfOp(sharding::propagation::OpId op) const;
  // "model.py:41", "" if the module does not say.
  std::string Place(hlo::InstructionId instruction) const;
  // The place of an annotation. Of a constraint in a function that several lines call: "model.py:41 from model.py:50".
  std::string PlaceOf(const sharding::explain::Annotation& annotation) const;
  // The lines of the user's program that lead to a constraint, which jax.grad and jax.checkpoint repeat; empty for
  // other annotations.
  std::vector<std::string> LinesOf(const sharding::explain::Annotation& annotation) const;
  // The line of the user's program at a place, without blanks around it; "" if it is not known.
  std::string SourceLine(const std::string& place) const;

  std::string Shape(sharding::explain::SlotId slot) const;
  // "P()" also without a sharding.
  std::string Spec(sharding::ShardingId sharding) const;
  // "([i, k], [k, j])->([i, j])", without sizes.
  std::string Rule(sharding::factors::RuleId rule) const;
  static std::string Rule(const sharding::factors::OpShardingRule& rule);
  // "dot", "custom-call mine"
  std::string OpcodeAndTarget(hlo::InstructionId instruction) const;
  // "j"; "" for kNoIndex.
  static std::string Factor(int factor);

 private:
  // A copy that the pass puts in front of a loop.
  bool IsOpened(sharding::propagation::OpId op) const;

  const Explained& explained_;
  SourceLocations locations_;
  SourceLines* source_lines_;
  // LinesOf() each constraint; made where the first place is asked for.
  mutable std::vector<std::vector<std::string>> constraint_lines_;
};

// "element-wise, ..": what runs at a level of op priority.
const char* LevelInWords(int level);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_LABELS_H_
