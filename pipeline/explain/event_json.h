// The messages that explanations and levels share, as JSON (pipeline/schema/explain_answer.proto).
//
//   EventJson json(explained);
//   json.AddEvent(event, gain, &writer);    // a message Event
//   json.AddChain(chain, &writer);          // a message Chain

#ifndef TESSERA_PIPELINE_EXPLAIN_EVENT_JSON_H_
#define TESSERA_PIPELINE_EXPLAIN_EVENT_JSON_H_

#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/sharding/explain/chain.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

class EventJson {
 public:
  // `source_lines` as of Labels.
  explicit EventJson(const Explained& explained, SourceLines* source_lines = nullptr);

  // What one gain of the event brought; an event without gains has -1.
  void AddEvent(const sharding::explain::Event& event, int gain, text::JsonWriter* json) const;
  // All that the event brought: one message Event for each gain.
  void AddChange(const sharding::explain::Event& event, text::JsonWriter* json) const;
  void AddTime(const sharding::explain::Time& time, text::JsonWriter* json) const;
  void AddChain(const sharding::explain::Chain& chain, text::JsonWriter* json) const;
  // A message Value, with its final sharding.
  void AddValue(sharding::explain::SlotId slot, text::JsonWriter* json) const;
  void AddAxis(sharding::AxisRef axis, const sharding::Mesh& mesh, text::JsonWriter* json) const;
  void AddAnnotation(const sharding::explain::Annotation& annotation, text::JsonWriter* json) const;
  // The members that say which op it is; of an output with op kNone.
  void AddOp(sharding::propagation::OpId op, int output, text::JsonWriter* json) const;
  // `operands`: how many of the op's tensors come before its results.
  void AddEndpoint(const sharding::explain::Endpoint& endpoint, int operands,
                   text::JsonWriter* json) const;
  int OperandsOf(sharding::propagation::OpId op) const;

  const Labels& labels() const { return labels_; }

 private:
  void AddInstruction(hlo::InstructionId id, text::JsonWriter* json) const;

  const Explained& explained_;
  const Labels labels_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_EVENT_JSON_H_
