// `r = ((a, b), c, d) OP-start(p, q), attributes of OP`, OP-update, OP-done.
//
// The short form of a start stands for a computation that holds nothing but OP and an async-start
// that calls it. That computation is made here: parameters of the shapes a, b, a root of the shape
// c with the attributes of OP. Update and done hold nothing; they must name the same OP. An update
// may bring operands that the start did not have, as TPUs write for what runs on another core:
//
//   s = ((), (), (s32[1])) call-start(), to_apply=f
//   u = ((f32[4], s32[8]), f32[8]) call-update(s, x, i)
//
// Some OP have starts and dones of their own, whose shapes hold the operands plainly: (a, b)
// all-gather-start. Compilers for GPUs wrap these operations, too, and XLA prints both with the same
// word; its own reader then takes the second for the first. Here the shape tells them apart:
// ((a), b) all-gather-start is a wrapped one.

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/parse/native_async.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

bool HasNativeAsync(Opcode opcode) {
  constexpr Opcode kNative[] = {Opcode::kAllGather, Opcode::kAllReduce, Opcode::kCollectivePermute,
                                Opcode::kCopy,      Opcode::kRecv,      Opcode::kSend};
  return absl::c_linear_search(kNative, opcode);
}

bool IsAsyncShape(const layout::Shape& shape) {
  return shape.is_tuple() && shape.tuple_elements().size() >= 2 &&
         shape.tuple_elements()[0].is_tuple();
}

// Of a wrapped operation, not of a native start. Several arrays that are gathered or sent together
// look alike in both, and are taken as XLA takes them.
bool IsWrappedShape(Opcode plain, const layout::Shape& shape) {
  return IsAsyncShape(shape) &&
         (plain == Opcode::kAllReduce || !shape.tuple_elements()[1].is_tuple());
}

// Where an attribute of the short form goes.
bool GoesToWrapped(A name) {
  return !IsCommonAttribute(name)
             ? name != A::kAsyncExecutionThread && name != A::kOutputToOperandAliasing
             : name == A::kMetadata || name == A::kOrigin || name == A::kBackendConfig ||
                   name == A::kFrontendAttributes || name == A::kStatistics;
}

bool GoesToStart(A name) {
  return IsCommonAttribute(name) || name == A::kAsyncExecutionThread ||
         name == A::kOutputToOperandAliasing;
}

std::string ThreadOf(const ParsedInstruction& d) {
  for (const Attribute& a : d.attributes) {
    if (a.name() == A::kAsyncExecutionThread) return UnquoteString(a.value()).value_or("main");
  }
  return "main";
}

}  // namespace

bool ModuleParser::ReadAsyncSugar(absl::string_view word, ParsedInstruction& d) {
  static constexpr std::pair<absl::string_view, AsyncStage> kEndings[] = {
      {"-start", AsyncStage::kStart},
      {"-update", AsyncStage::kUpdate},
      {"-done", AsyncStage::kDone}};
  for (const auto& [ending, stage] : kEndings) {
    if (!absl::ConsumeSuffix(&word, ending)) continue;
    const auto wrapped = OpcodeFromName(word);
    if (!wrapped.has_value() || HasNativeAsync(*wrapped)) return false;
    d.opcode = *wrapped;
    d.sugar = stage;
    return true;
  }
  return false;
}

void ModuleParser::NoteWrappedStart(ParsedInstruction& d) const {
  const Opcode plain = kPlainOfStart[d.opcode];
  if (!d.has_shape || !IsWrappedShape(plain, module_.interned_shape(d.shape))) return;
  d.opcode = plain;
  d.sugar = AsyncStage::kStart;
}

void ModuleParser::NoteWrappedDone(ParsedInstruction& d) const {
  if (d.operands.size() != 1) return;
  const Opcode ended = module_.instruction(d.operands[0]).opcode;
  if (ended != Opcode::kAsyncStart && ended != Opcode::kAsyncUpdate) return;
  d.opcode = kPlainOfDone[d.opcode];
  d.sugar = AsyncStage::kDone;
}

bool ModuleParser::AddAsyncSugar(ParsedInstruction& d, InstructionId* id) {
  const Opcode wrapped = d.opcode;
  ComputationId wrapper = kNoId;
  if (d.sugar == AsyncStage::kStart) {
    const layout::Shape shape = module_.interned_shape(d.shape);
    if (!IsAsyncShape(shape)) {
      return in_.FailAt(d.attributes_at, "the shape of an async start is ((operands), result, ..)");
    }
    if (!WrapOperation(d, shape, &wrapper)) return false;
  }
  d.opcode = d.sugar == AsyncStage::kStart    ? Opcode::kAsyncStart
             : d.sugar == AsyncStage::kUpdate ? Opcode::kAsyncUpdate
                                              : Opcode::kAsyncDone;
  d.called.clear();
  if (wrapper != kNoId) d.called.emplace_back(A::kCalls, wrapper);
  d.attributes.erase(std::remove_if(d.attributes.begin(), d.attributes.end(),
                                    [](const Attribute& a) { return !GoesToStart(a.name()); }),
                     d.attributes.end());
  *id = AddDraft(d);
  module_.mutable_instruction(*id).is_async_sugar = true;
  if (d.sugar == AsyncStage::kStart) return true;
  if (!CheckAsync(*id, d)) return false;
  if (d.sugar == AsyncStage::kUpdate && !BindLateOperands(*id)) return false;
  const Opcode expected =
      module_.instruction(module_.computation(module_.called(AsyncStartOf(*id))[0]).root).opcode;
  return expected == wrapped ||
         in_.FailAfter(absl::StrCat("this ends an async ", OpcodeName(expected), ", not a ",
                                     OpcodeName(wrapped)));
}

bool ModuleParser::WrapOperation(ParsedInstruction& d, const layout::Shape& shape,
                                 ComputationId* wrapper) {
  Computation c;
  c.name = "async_wrapped";
  c.is_async_wrapper = true;
  c.execution_thread = ThreadOf(d);
  OpenScope();
  for (const layout::Shape& operand : shape.tuple_elements()[0].tuple_elements()) {
    scope().parameters.push_back(AddAsyncParameter(operand, scope().parameters.size()));
  }
  scope().instructions = scope().parameters;
  ParsedInstruction op = d;
  op.name = OpcodeName(op.opcode);
  op.sugar = AsyncStage::kNone;
  op.shape = module_.InternShape(shape.tuple_elements()[1]);
  op.operands.assign(scope().parameters.begin(), scope().parameters.end());
  op.control_predecessors.clear();
  op.attributes.erase(std::remove_if(op.attributes.begin(), op.attributes.end(),
                                     [](const Attribute& a) { return !GoesToWrapped(a.name()); }),
                      op.attributes.end());
  if (!CheckOperandCount(op) || !CheckRequired(op)) {
    CloseScope();
    return false;
  }
  const InstructionId id = AddDraft(op);
  module_.mutable_instruction(id).is_implied = true;
  module_.mutable_instruction(id).source = {};
  scope().instructions.push_back(id);
  scope().root = id;
  const bool good = CheckOpcode(id, op);
  if (good) *wrapper = AddComputation(std::move(c), scope());
  CloseScope();
  return good;
}

InstructionId ModuleParser::AddAsyncParameter(const layout::Shape& shape, size_t number) {
  Instruction i;
  i.name = "async_param";
  i.shape = module_.InternShape(shape);
  i.parameter_number = static_cast<uint32_t>(number);
  i.computation = scope().expected_id;
  i.is_implied = true;
  return module_.AddDetached(i);
}

bool ModuleParser::BindLateOperands(InstructionId update) {
  const size_t more = module_.operands(update).size() - 1;
  if (more == 0) return true;
  const layout::Shape shape = module_.shape(update);
  const ComputationId id = module_.called(AsyncStartOf(update))[0];
  if (!module_.computation(id).is_async_wrapper) return true;
  const size_t bound = module_.computation(id).parameters.size();
  if (!IsAsyncShape(shape) || shape.tuple_elements()[0].tuple_elements().size() != bound + more) {
    return in_.FailAfter(absl::StrCat("the shape of this update should begin with a tuple of the ",
                                       bound + more, " operands that it and the start have"));
  }
  Computation& c = module_.mutable_computation(id);
  for (size_t k = bound; k < bound + more; ++k) {
    const InstructionId p = AddAsyncParameter(shape.tuple_elements()[0].tuple_elements()[k], k);
    module_.mutable_instruction(p).computation = id;
    c.parameters.push_back(p);
    c.instructions.insert(c.instructions.end() - 1, p);
  }
  module_.SetOperands(c.root, c.parameters);
  module_.SetShape(c.root, shape.tuple_elements()[1]);
  return true;
}

// The async-start at the head of a chain of updates; kNoId when the chain begins otherwise.
InstructionId ModuleParser::AsyncStartOf(InstructionId id) const {
  while (module_.instruction(id).opcode != Opcode::kAsyncStart) {
    const auto operands = module_.operands(id);
    if (operands.empty()) return kNoId;
    const Opcode before = module_.instruction(operands[0]).opcode;
    if (before != Opcode::kAsyncStart && before != Opcode::kAsyncUpdate) return kNoId;
    id = operands[0];
  }
  return id;
}

bool ModuleParser::CheckAsync(InstructionId id, const ParsedInstruction& d) {
  if (d.opcode == Opcode::kAsyncStart) {
    return IsAsyncShape(module_.shape(id)) ||
           in_.FailAt(d.attributes_at, "the shape of an async start is ((operands), result, ..)");
  }
  const InstructionId start = AsyncStartOf(id);
  if (start == kNoId) {
    return in_.FailAfter(
        "the first operand of an async update or done is an async start or update");
  }
  const auto called = module_.called(start);
  if (!d.called.empty() && (called.empty() || d.called[0].second != called[0])) {
    return in_.FailAfter("the async start calls another computation");
  }
  const auto thread = GetString(module_, id, A::kAsyncExecutionThread);
  if (thread.has_value() &&
      *thread != GetString(module_, start, A::kAsyncExecutionThread).value_or("main")) {
    return in_.FailAfter("the async start runs in another execution_thread");
  }
  module_.SetCalled(id, {});
  return true;
}

bool ModuleParser::CheckAsyncCallers() {
  if (!has_async_start_) return true;
  absl::flat_hash_set<ComputationId> called;
  for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
    if (module_.instruction(id).opcode != Opcode::kAsyncStart) continue;
    for (ComputationId c : module_.called(id)) {
      if (called.insert(c).second) continue;
      return in_.FailAt(module_.instruction(id).source.begin,
                        absl::StrCat("computation '", module_.computation(c).name,
                                     "' is called by a second async start"));
    }
  }
  return true;
}

}  // namespace tessera::hlo
