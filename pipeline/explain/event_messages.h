// The messages that explanations and levels share (pipeline/schema/explain_answer.proto).
//
//   const EventMessages messages(explained);
//   messages.FillEvent(event, gain, level.add_events());
//   messages.FillChain(chain, explanation.add_why());

#ifndef TESSERA_PIPELINE_EXPLAIN_EVENT_MESSAGES_H_
#define TESSERA_PIPELINE_EXPLAIN_EVENT_MESSAGES_H_

#include "google/protobuf/repeated_field.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/input/source_lines.h"
#include "tessera/pipeline/schema/explain_answer.pb.h"
#include "tessera/sharding/explain/chain.h"

namespace tessera::pipeline {

class EventMessages {
 public:
  // `source_lines` as of Labels.
  explicit EventMessages(const Explained& explained, SourceLines* source_lines = nullptr);

  // The message of one gain of the event; an event without gains has -1.
  void FillEvent(const sharding::explain::Event& event, int gain, answers::Event* to) const;
  // All that the event brought: one message for each gain.
  void FillChange(const sharding::explain::Event& event,
                  google::protobuf::RepeatedPtrField<answers::Event>* to) const;
  void FillChain(const sharding::explain::Chain& chain, answers::Chain* to) const;
  // With its final sharding.
  void FillValue(sharding::explain::SlotId slot, answers::Value* to) const;
  void FillAnnotation(const sharding::explain::Annotation& annotation,
                      answers::Annotation* to) const;
  // Which op it is; of an output with op kNone.
  void FillOp(sharding::propagation::OpId op, int output, answers::Event* to) const;
  // `operands`: how many of the op's tensors come before its results.
  void FillEndpoint(const sharding::explain::Endpoint& endpoint, int operands,
                    answers::Endpoint* to) const;
  int OperandsOf(sharding::propagation::OpId op) const;

  static void FillTime(const sharding::explain::Time& time, answers::Time* to);
  static void FillAxis(sharding::AxisRef axis, const sharding::Mesh& mesh, answers::AxisPart* to);

  const Labels& labels() const { return labels_; }

 private:
  void FillInstruction(hlo::InstructionId id, answers::Value* to) const;
  void FillPlace(hlo::InstructionId id, answers::Value* to) const;
  void FillGain(const sharding::explain::Event& event, const sharding::explain::Gain& gain,
                int operands, answers::Event* to) const;

  const Explained& explained_;
  const Labels labels_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_EXPLAIN_EVENT_MESSAGES_H_
