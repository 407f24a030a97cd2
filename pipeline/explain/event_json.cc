#include "tessera/pipeline/explain/event_json.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Annotation;
using sharding::explain::Chain;
using sharding::explain::Endpoint;
using sharding::explain::Event;
using sharding::explain::Link;
using sharding::explain::SlotId;
using sharding::explain::Step;
namespace propagation = sharding::propagation;
using propagation::kNone;
using text::JsonWriter;

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

EventJson::EventJson(const Explained& explained, SourceLines* source_lines)
    : explained_(explained), labels_(explained, source_lines) {}

void EventJson::AddTime(const sharding::explain::Time& time, JsonWriter* json) const {
  json->BeginObject().Key("stage").String(Word(kStages, time.stage));
  json->Key("priority").Int(time.round);
  json->Key("level").Int(time.level);
  json->Key("strategy").String(time.aggressive ? "aggressive" : "basic");
  json->Key("step").Int(time.step).EndObject();
}

void EventJson::AddAxis(sharding::AxisRef axis, const sharding::Mesh& mesh,
                        JsonWriter* json) const {
  json->BeginObject().Key("name").String(mesh.axis(axis.axis()).name);
  json->Key("pre").Int(axis.pre_size()).Key("size").Int(axis.size(mesh)).EndObject();
}

void EventJson::AddInstruction(hlo::InstructionId id, JsonWriter* json) const {
  if (id == hlo::kNoId) return;
  const hlo::Module& module = explained_.sharded->module;
  const hlo::Instruction& instruction = module.instruction(id);
  json->Key("computation").String(module.computation(instruction.computation).name);
  json->Key("instruction").String(instruction.name);
  const std::string op_name = hlo::GetOpName(module, id);
  const bool is_parameter = instruction.opcode == hlo::Opcode::kParameter;
  json->TextUnlessEmpty(is_parameter ? "arg_path" : "op_name", op_name);
  const std::string place = labels_.Place(id);
  const size_t colon = place.rfind(':');
  int64_t line = 0;
  if (colon == std::string::npos) return;
  if (!absl::SimpleAtoi(absl::string_view(place).substr(colon + 1), &line)) return;
  json->Key("place").BeginObject().Key("file").String(place.substr(0, colon));
  json->Key("line").Int(line);
  const std::string text = labels_.SourceLine(place);
  json->TextUnlessEmpty("text", text);
  json->EndObject();
}

void EventJson::AddValue(SlotId slot, JsonWriter* json) const {
  const auto& log = *explained_.log;
  json->BeginObject();
  if (log.IsOutput(slot)) {
    json->Key("result").Int(log.OutputOf(slot));
  } else {
    const sharding::explain::ValueName& name = explained_.names->Of(slot);
    AddInstruction(name.instruction, json);
    if (name.num_leaves > 1) json->Key("tuple_index").Ints({name.leaf});
  }
  json->Key("shape").String(labels_.Shape(slot));
  // A target of a data-flow edge has the sharding of the edge.
  const SlotId owner = log.IsOutput(slot) ? slot : log.SlotOf(slot);
  json->Key("sharding").String(labels_.Spec(explained_.FinalId(owner))).EndObject();
}

int EventJson::OperandsOf(propagation::OpId op) const {
  if (op == kNone) return 1;
  const auto& numbered = explained_.log->numbered();
  const auto edge = numbered.edge(op);
  return edge == kNone
             ? static_cast<int>(numbered.operands(op).size())
             : static_cast<int>(numbered.edges()[static_cast<size_t>(edge)].sources.size());
}

void EventJson::AddEndpoint(const Endpoint& endpoint, int operands, JsonWriter* json) const {
  json->BeginObject().Key("value");
  AddValue(endpoint.value == kNone ? endpoint.slot : endpoint.value, json);
  const int t = endpoint.tensor;
  if (t >= 0) {
    json->Key("role").String(t < operands ? absl::StrCat("operand-", t)
                                          : absl::StrCat("result-", t - operands));
  }
  json->Key("dimension").Int(endpoint.dim).EndObject();
}

void EventJson::AddOp(propagation::OpId op, int output, JsonWriter* json) const {
  json->Key("op").BeginObject();
  AddInstruction(labels_.InstructionOfOp(op), json);
  if (op == kNone) json->Key("result").Int(output);
  json->EndObject();
  json->Key("op_kind").String(labels_.Op(op, output));
}

void EventJson::AddEvent(const Event& event, int gain_number, JsonWriter* json) const {
  json->BeginObject().Key("time");
  AddTime(event.time, json);
  const Step* step = event.step < 0 ? nullptr : &explained_.log->StepOf(event);
  const int operands = step == nullptr ? 0 : OperandsOf(step->op);
  if (step != nullptr) {
    AddOp(step->op, step->output, json);
    const std::string rule = labels_.Rule(step->rule);
    json->TextUnlessEmpty("rule", rule);
  }
  Endpoint to;
  to.slot = event.target;
  to.tensor = event.tensor;
  if (gain_number >= 0) {
    const sharding::explain::Gain& gain = event.gains[static_cast<size_t>(gain_number)];
    to.dim = gain.dim;
    if (gain.factor >= 0) json->Key("factor").String(Labels::Factor(gain.factor));
    json->Key("from").BeginArray();
    for (const Endpoint& from : gain.from) AddEndpoint(from, operands, json);
    json->EndArray().Key("axes").BeginArray();
    const sharding::Mesh& mesh = explained_.log->MeshOf(event.after);
    for (const sharding::AxisRef axis : gain.axes) AddAxis(axis, mesh, json);
    json->EndArray();
  }
  json->Key("to");
  AddEndpoint(to, operands, json);
  json->Key("before").String(labels_.Spec(event.before));
  json->Key("after").String(labels_.Spec(event.after));
  json->Key("cause").String(Word(kCauses, event.cause)).EndObject();
}

void EventJson::AddChange(const Event& event, JsonWriter* json) const {
  if (event.gains.empty()) AddEvent(event, -1, json);
  for (size_t g = 0; g < event.gains.size(); ++g) AddEvent(event, static_cast<int>(g), json);
}

void EventJson::AddAnnotation(const Annotation& a, JsonWriter* json) const {
  json->BeginObject().Key("kind").String(Word(kKinds, a.kind));
  json->Key("number").Int(a.number).Key("at");
  AddValue(a.slot, json);
  json->Key("text").String(labels_.Spec(a.sharding)).EndObject();
}

void EventJson::AddChain(const Chain& chain, JsonWriter* json) const {
  const Link& first = chain.links.front();
  const sharding::Mesh& mesh = explained_.log->MeshOf(explained_.log->event(first.event).after);
  json->BeginObject().Key("axis");
  AddAxis(chain.axis, mesh, json);
  json->Key("dimension").Int(first.dim).Key("events").BeginArray();
  for (const Link& link : chain.links) AddEvent(explained_.log->event(link.event), link.gain, json);
  json->EndArray();
  if (chain.annotation >= 0) {
    json->Key("origin");
    AddAnnotation(explained_.log->annotations()[static_cast<size_t>(chain.annotation)], json);
  }
  const std::string sdy_origin = explained_.sdy_records().OriginText(first.slot, chain.axis);
  json->TextUnlessEmpty("sdy_origin", sdy_origin);
  if (!chain.also.empty()) {
    json->Key("also").BeginArray();
    for (const Chain& also : chain.also) AddChain(also, json);
    json->EndArray();
  }
  json->EndObject();
}

}  // namespace tessera::pipeline
