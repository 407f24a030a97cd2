// simplify-conditional. A branch is known if it is the only one, or if the index is a constant. So is the
// platform's branch in what JAX lowers, and then the transpose of jnp.diagonal is a scatter.
//
//   conditional(s32[] 1, (), (x)), branch_computations={f, g}   ->  g((x)), inlined
//
// On GPUs, both of two branches run if they cost little, and a select takes the results of one:
//
//   i = s32[] convert(p: pred[])
//   conditional(i, (x), (y)), branch_computations={f, g}        ->  select(broadcast(p), g((y)), f((x)))
//
// Little: element-wise operations, what only moves elements in order, and reduces. A branch that gives
// back what it takes stays, since a jump costs less. What has side effects stays, so do collectives of
// shard_maps. Measured on small modules of each operation, compiled by jaxlib 0.12.0.1; the compiler of
// TPUs keeps conditionals of unknown branches. Tested by simplify_test.cc and gpu/recorded_passes_test.cc.

#include "tessera/target/simplify/conditionals.h"

#include <iterator>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/passes/call_inliner.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/simplifier.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

bool IsPred(const DeviceProgram& program, InstructionId id) {
  return program.shape(id).element_type() == layout::ElementType::kPred;
}

// The branch that runs, whatever the arguments of the program are.
std::optional<size_t> KnownBranch(const DeviceProgram& program, InstructionId conditional) {
  const size_t count = program.module().called(conditional).size();
  if (count == 1) return 0;
  const InstructionId index = program.operand(conditional, 0);
  if (program.opcode(index) != Opcode::kConstant) return std::nullopt;
  const absl::string_view text = program.module().LiteralText(index);
  if (IsPred(program, index)) return text == "true" ? 0 : 1;
  size_t number = 0;
  return absl::SimpleAtoi(text, &number) && number < count ? number : count - 1;
}

// Of two branches the one that runs if `is_first` is true, and the other one.
struct Choice {
  InstructionId is_first = kNoId;
  size_t first = 0, second = 0;
};

std::optional<Choice> ChoiceOf(const DeviceProgram& program, InstructionId conditional) {
  if (program.module().called(conditional).size() != 2) return std::nullopt;
  const InstructionId index = program.operand(conditional, 0);
  if (IsPred(program, index)) return Choice{index, 0, 1};
  if (program.opcode(index) != Opcode::kConvert) return std::nullopt;
  const InstructionId truth = program.operand(index, 0);
  if (!IsPred(program, truth)) return std::nullopt;
  return Choice{truth, 1, 0};
}

bool CostsLittle(Opcode opcode) {
  constexpr Opcode kMoves[] = {Opcode::kBroadcast,       Opcode::kConcatenate, Opcode::kConstant,
                               Opcode::kDynamicSlice,    Opcode::kPad,         Opcode::kParameter,
                               Opcode::kGetTupleElement, Opcode::kReduce,      Opcode::kReshape,
                               Opcode::kBitcastConvert,  Opcode::kSlice,       Opcode::kTuple};
  return sharding::rules::IsElementWiseOpcode(opcode) || absl::c_linear_search(kMoves, opcode);
}

bool CostsLittle(DeviceProgram& program, ComputationId branch) {
  const InstructionId root = program.module().computation(branch).root;
  if (program.opcode(root) == Opcode::kParameter) return false;
  return absl::c_all_of(program.PostOrder(branch),
                        [&](InstructionId id) { return CostsLittle(program.opcode(id)); });
}

bool IsStaticArray(const layout::Shape& shape) {
  return shape.is_array() && !shape.has_dynamic_dim();
}

bool GivesArrays(const DeviceProgram& program, InstructionId conditional) {
  const layout::Shape& shape = program.shape(conditional);
  return shape.is_tuple() ? absl::c_all_of(shape.tuple_elements(), IsStaticArray)
                          : IsStaticArray(shape);
}

InstructionId ResultOf(Context& context, InstructionId conditional, size_t branch) {
  const DeviceProgram& program = context.program;
  return CopyInto(context, program.module().called(conditional)[branch],
                  program.computation(conditional), {program.operand(conditional, 1 + branch)});
}

InstructionId Element(DeviceProgram& program, InstructionId tuple, size_t k) {
  if (program.opcode(tuple) == Opcode::kTuple) return program.operand(tuple, k);
  return program.AddGetTupleElement(tuple, k);
}

// With the metadata of the conditional.
InstructionId Select(DeviceProgram& program, InstructionId conditional, InstructionId is_first,
                     InstructionId a, InstructionId b) {
  const InstructionId first = program.module().num_instructions();
  const layout::Shape shape = Resized(program.shape(a), program.shape(a).dims());
  const layout::Shape truths = Retyped(shape, layout::ElementType::kPred);
  const InstructionId each = InEachElement(program, is_first, truths);
  const ComputationId c = program.computation(conditional);
  const InstructionId selected = program.Add(c, Opcode::kSelect, "select", shape, {each, a, b});
  GiveMetadata(program, conditional, first);
  return selected;
}

// Both branches, and from each pair of results the one that is taken.
InstructionId SelectResults(Context& context, InstructionId conditional, const Choice& choice) {
  DeviceProgram& program = context.program;
  const InstructionId a = ResultOf(context, conditional, choice.first);
  const InstructionId b = ResultOf(context, conditional, choice.second);
  const layout::Shape shape = program.shape(conditional);
  if (!shape.is_tuple()) return Select(program, conditional, choice.is_first, a, b);
  std::vector<InstructionId> selected;
  for (size_t k = 0; k < shape.tuple_elements().size(); ++k) {
    selected.push_back(Select(program, conditional, choice.is_first, Element(program, a, k),
                              Element(program, b, k)));
  }
  program.RemoveDead(a);
  program.RemoveDead(b);
  return program.Add(program.computation(conditional), Opcode::kTuple, "tuple", shape, selected);
}

// kNoId: stays as it is.
InstructionId ReplacementOf(Context& context, InstructionId conditional) {
  DeviceProgram& program = context.program;
  const auto known = KnownBranch(program, conditional);
  if (known.has_value()) return ResultOf(context, conditional, *known);
  if (context.target.chip->platform != Platform::kGpu) return kNoId;
  const auto choice = ChoiceOf(program, conditional);
  if (!choice.has_value() || !GivesArrays(program, conditional)) return kNoId;
  const auto branches = program.module().called(conditional);
  if (!CostsLittle(program, branches[0]) || !CostsLittle(program, branches[1])) return kNoId;
  return SelectResults(context, conditional, *choice);
}

std::vector<InstructionId> ConditionalsOf(DeviceProgram& program, ComputationId c) {
  std::vector<InstructionId> found;
  absl::c_copy_if(program.PostOrder(c), std::back_inserter(found), [&](InstructionId id) {
    return program.opcode(id) == Opcode::kConditional && !program.IsPinned(id) &&
           !program.HasSideEffects(id);
  });
  return found;
}

// Branches come before what calls them.
bool SimplifyOnce(Context& context) {
  DeviceProgram& program = context.program;
  bool is_changed = false;
  for (const ComputationId c : program.Computations()) {
    for (const InstructionId id : ConditionalsOf(program, c)) {
      const InstructionId replacement = ReplacementOf(context, id);
      if (replacement == kNoId) continue;
      program.ReplaceUses(id, replacement);
      program.RemoveDead(id);
      is_changed = true;
    }
  }
  return is_changed;
}

}  // namespace

absl::Status SimplifyConditionals(Context& context) {
  DeviceProgram& program = context.program;
  const bool has_any = absl::c_any_of(
      program.Computations(), [&](ComputationId c) { return !ConditionalsOf(program, c).empty(); });
  if (!has_any) return absl::OkStatus();
  do {
    TESSERA_RETURN_IF_ERROR(SimplifyTuples(context));
    program.RemoveUnreachableComputations();
  } while (SimplifyOnce(context));
  return absl::OkStatus();
}

}  // namespace tessera::target
