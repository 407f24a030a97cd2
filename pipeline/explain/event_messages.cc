#include "tessera/pipeline/explain/event_messages.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Chain;
using sharding::explain::Endpoint;
using sharding::explain::Event;
using sharding::explain::Gain;
using sharding::explain::Link;
using sharding::explain::SlotId;
using sharding::explain::Step;
namespace propagation = sharding::propagation;
using propagation::kNone;

// By Stage, EventCause and AnnotationKind.
constexpr const char* kStages[] = {"annotation",  "import", "sync",
                                   "propagation", "export", "reshard"};
constexpr const char* kCauses[] = {"annotation",
                                   "flow",
                                   "overwritten_by_second_operand",
                                   "constraint_pushed",
                                   "group_sync",
                                   "group_write",
                                   "hide",
                                   "reveal",
                                   "open_filling",
                                   "boundary_cut",
                                   "closed",
                                   "reshard"};
constexpr const char* kKinds[] = {"parameter", "result",     "constraint",
                                  "manual_in", "manual_out", "operation"};

template <typename Enum, size_t N>
const char* Word(const char* const (&words)[N], Enum value) {
  return words[static_cast<size_t>(value)];
}

}  // namespace

EventMessages::EventMessages(const Explained& explained, SourceLines* source_lines)
    : explained_(explained), labels_(explained, source_lines) {}

void EventMessages::FillTime(const sharding::explain::Time& time, answers::Time* to) {
  to->set_stage(Word(kStages, time.stage));
  to->set_priority(time.round);
  to->set_level(time.level);
  to->set_strategy(time.aggressive ? "aggressive" : "basic");
  to->set_step(time.step);
}

void EventMessages::FillAxis(sharding::AxisRef axis, const sharding::Mesh& mesh,
                             answers::AxisPart* to) {
  to->set_name(mesh.axis(axis.axis()).name);
  to->set_pre(axis.pre_size());
  to->set_size(axis.size(mesh));
}

void EventMessages::FillInstruction(hlo::InstructionId id, answers::Value* to) const {
  if (id == hlo::kNoId) return;
  const hlo::Module& module = explained_.sharded->module;
  const hlo::Instruction& instruction = module.instruction(id);
  to->set_computation(std::string(module.computation(instruction.computation).name));
  to->set_instruction(std::string(instruction.name));
  const bool is_parameter = instruction.opcode == hlo::Opcode::kParameter;
  (is_parameter ? to->mutable_arg_path() : to->mutable_op_name())
      ->assign(hlo::GetOpName(module, id));
  FillPlace(id, to);
}

void EventMessages::FillPlace(hlo::InstructionId id, answers::Value* to) const {
  const std::string place = labels_.Place(id);
  const size_t colon = place.rfind(':');
  int32_t line = 0;
  if (colon == std::string::npos) return;
  if (!absl::SimpleAtoi(absl::string_view(place).substr(colon + 1), &line)) return;
  to->mutable_place()->set_file(place.substr(0, colon));
  to->mutable_place()->set_line(line);
  to->mutable_place()->set_text(labels_.SourceLine(place));
}

void EventMessages::FillValue(SlotId slot, answers::Value* to) const {
  const auto& log = *explained_.log;
  if (log.IsOutput(slot)) {
    to->set_result(log.OutputOf(slot));
  } else {
    const sharding::explain::ValueName& name = explained_.names->Of(slot);
    FillInstruction(name.instruction, to);
    if (name.num_leaves > 1) to->add_tuple_index(name.leaf);
  }
  to->set_shape(labels_.Shape(slot));
  // A target of a data-flow edge has the sharding of the edge.
  const SlotId owner = log.IsOutput(slot) ? slot : log.SlotOf(slot);
  to->set_sharding(labels_.Spec(explained_.FinalId(owner)));
}

int EventMessages::OperandsOf(propagation::OpId op) const {
  if (op == kNone) return 1;
  const auto& numbered = explained_.log->numbered();
  const auto edge = numbered.edge(op);
  return edge == kNone
             ? static_cast<int>(numbered.operands(op).size())
             : static_cast<int>(numbered.edges()[static_cast<size_t>(edge)].sources.size());
}

void EventMessages::FillEndpoint(const Endpoint& endpoint, int operands,
                                 answers::Endpoint* to) const {
  FillValue(endpoint.value == kNone ? endpoint.slot : endpoint.value, to->mutable_value());
  const int t = endpoint.tensor;
  if (t >= 0) {
    to->set_role(t < operands ? absl::StrCat("operand-", t)
                              : absl::StrCat("result-", t - operands));
  }
  to->set_dimension(endpoint.dim);
}

void EventMessages::FillOp(propagation::OpId op, int output, answers::Event* to) const {
  FillInstruction(labels_.InstructionOfOp(op), to->mutable_op());
  if (op == kNone) to->mutable_op()->set_result(output);
  to->set_op_kind(labels_.Op(op, output));
}

void EventMessages::FillEvent(const Event& event, int gain, answers::Event* to) const {
  FillTime(event.time, to->mutable_time());
  const Step* step = event.step < 0 ? nullptr : &explained_.log->StepOf(event);
  const int operands = step == nullptr ? 0 : OperandsOf(step->op);
  if (step != nullptr) {
    FillOp(step->op, step->output, to);
    to->set_rule(labels_.Rule(step->rule));
  }
  Endpoint target;
  target.slot = event.target;
  target.tensor = event.tensor;
  if (gain >= 0) {
    target.dim = event.gains[static_cast<size_t>(gain)].dim;
    FillGain(event, event.gains[static_cast<size_t>(gain)], operands, to);
  }
  FillEndpoint(target, operands, to->mutable_to());
  to->set_before(labels_.Spec(event.before));
  to->set_after(labels_.Spec(event.after));
  to->set_cause(Word(kCauses, event.cause));
}

void EventMessages::FillGain(const Event& event, const Gain& gain, int operands,
                             answers::Event* to) const {
  if (gain.factor >= 0) to->set_factor(Labels::Factor(gain.factor));
  for (const Endpoint& from : gain.from) FillEndpoint(from, operands, to->add_from());
  const sharding::Mesh& mesh = explained_.log->MeshOf(event.after);
  for (const sharding::AxisRef axis : gain.axes) FillAxis(axis, mesh, to->add_axes());
}

void EventMessages::FillChange(const Event& event,
                               google::protobuf::RepeatedPtrField<answers::Event>* to) const {
  if (event.gains.empty()) FillEvent(event, -1, to->Add());
  for (size_t g = 0; g < event.gains.size(); ++g) FillEvent(event, static_cast<int>(g), to->Add());
}

void EventMessages::FillAnnotation(const sharding::explain::Annotation& annotation,
                                   answers::Annotation* to) const {
  to->set_kind(Word(kKinds, annotation.kind));
  to->set_number(annotation.number);
  FillValue(annotation.slot, to->mutable_at());
  to->set_text(labels_.Spec(annotation.sharding));
}

void EventMessages::FillChain(const Chain& chain, answers::Chain* to) const {
  const auto& log = *explained_.log;
  const Link& first = chain.links.front();
  FillAxis(chain.axis, log.MeshOf(log.event(first.event).after), to->mutable_axis());
  to->set_dimension(first.dim);
  for (const Link& link : chain.links) {
    FillEvent(log.event(link.event), link.gain, to->add_events());
  }
  if (chain.annotation >= 0) {
    FillAnnotation(log.annotations()[static_cast<size_t>(chain.annotation)], to->mutable_origin());
  }
  to->set_sdy_origin(explained_.sdy_records().OriginText(first.slot, chain.axis));
  for (const Chain& also : chain.also) FillChain(also, to->add_also());
}

}  // namespace tessera::pipeline
