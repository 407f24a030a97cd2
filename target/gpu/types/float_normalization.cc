// float-normalization-bf16, simplify-fp-conversions: a GPU computes some operations on bfloat16 as float32.
//
//   t = bf16[8] tanh(x: bf16[8])        ->  convert(tanh(convert(x) to f32)) to bf16
//   convert(convert(y: f32) to bf16) to f32      ->  y: excess precision is allowed
//
// Of operations on elements, those that no GPU has (quotients, tanh, roots ..) or that its compute capability is too
// low for. Each operand gets a convert of its own. A convert of the result to float32 is the result. Then a chain of
// converts between floats is one convert, or none.
//
// What a product computes besides (priority_fusion/products/product_fusion.h) stays as it is: in XLA it is a fusion already.
//
// Not modelled: reductions by an operation that the GPU does not have, and types other than bfloat16.
//
// Cost: linear in the program. Tested by float_normalization_test.cc.

#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/layout/element_type.h"
#include "tessera/sharding/rules/op_traits.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/gpu/types/wide_reducer.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/priority_fusion/products/product_fusion.h"

namespace tessera::target {
namespace {

using layout::ElementType;

// Operations on elements of bfloat16, and the least compute capability that has them.
struct Supported {
  Opcode opcode;
  int compute_capability;
};

constexpr Supported kSupported[] = {
    {Opcode::kAbs, 80},
    {Opcode::kAdd, 90},
    {Opcode::kBitcastConvert, 0},
    {Opcode::kCompare, 0},
    {Opcode::kConvert, 0},
    {Opcode::kCopy, 0},
    {Opcode::kExponential, 0},
    {Opcode::kLog, 0},
    {Opcode::kMaximum, 80},
    {Opcode::kMinimum, 80},
    {Opcode::kMultiply, 90},
    {Opcode::kNegate, 80},
    {Opcode::kReducePrecision, 0},
    {Opcode::kSelect, 0},
    {Opcode::kSubtract, 90},
};

bool IsSupported(Opcode opcode, const Chip& gpu) {
  if (opcode == Opcode::kReduceWindow) return false;
  if (!sharding::rules::IsElementWiseOpcode(opcode)) return true;
  return absl::c_any_of(kSupported, [&](const Supported& row) {
    return row.opcode == opcode && gpu.compute_capability >= row.compute_capability;
  });
}

class Widener {
 public:
  explicit Widener(Context& context) : program_(context.program), gpu_(*context.target.chip) {}

  void Run(ComputationId c) {
    const std::vector<InstructionId> order = program_.PostOrder(c);
    std::vector<InstructionId> found;
    absl::c_copy_if(order, std::back_inserter(found),
                    [&](InstructionId id) { return IsWidened(id); });
    if (found.empty()) return;
    const absl::flat_hash_set<InstructionId> fused = ComputedByProducts(program_, c);
    for (const InstructionId id : found) {
      if (!fused.contains(id)) Widen(id);
    }
  }

 private:
  bool Has(InstructionId id, ElementType type) const {
    return program_.shape(id).is_array() && program_.shape(id).element_type() == type;
  }
  bool IsNarrow(InstructionId id) const { return Has(id, ElementType::kBf16); }

  // Elements of a tuple are converted one by one, where nothing else reads the tuple.
  bool IsReadWhole(InstructionId id) const {
    return program_.IsRoot(id) || absl::c_any_of(program_.Users(id), [&](InstructionId user) {
             return program_.opcode(user) != Opcode::kGetTupleElement;
           });
  }

  bool IsWidened(InstructionId id) const {
    if (IsSupported(program_.opcode(id), gpu_) || program_.IsPinned(id)) return false;
    if (program_.shape(id).is_tuple() && IsReadWhole(id)) return false;
    return IsNarrow(id) ||
           absl::c_any_of(program_.operands(id), [&](InstructionId o) { return IsNarrow(o); });
  }

  void Widen(InstructionId id) {
    for (size_t k = 0; k < program_.operands(id).size(); ++k) {
      const InstructionId operand = program_.operand(id, k);
      if (!IsNarrow(operand)) continue;
      program_.SetOperand(id, k, AddConvert(program_, operand, ElementType::kF32));
    }
    if (program_.opcode(id) == Opcode::kReduceWindow) WidenReducer(program_, id);
    if (program_.shape(id).is_tuple()) return WidenElements(id);
    if (IsNarrow(id)) WidenResult(id);
  }

  void WidenResult(InstructionId id) {
    const std::vector<InstructionId> users = program_.Users(id);
    program_.SetShape(id, Retyped(program_.shape(id), ElementType::kF32));
    ConvertBack(id, users);
  }

  // Of a reduction of several arrays.
  void WidenElements(InstructionId id) {
    std::vector<layout::Shape> shapes;
    for (const layout::Shape& shape : program_.shape(id).tuple_elements()) {
      shapes.push_back(Widened(shape));
    }
    program_.SetShape(id, layout::Shape::Tuple(std::move(shapes)));
    for (const InstructionId user : program_.Users(id)) {
      if (program_.opcode(user) == Opcode::kGetTupleElement && IsNarrow(user)) WidenResult(user);
    }
  }

  void ConvertBack(InstructionId id, const std::vector<InstructionId>& users) {
    const InstructionId narrow = AddConvert(program_, id, ElementType::kBf16);
    program_.ReplaceUses(id, narrow);
    for (const InstructionId user : users) {
      if (program_.opcode(user) != Opcode::kConvert || !Has(user, ElementType::kF32)) continue;
      program_.ReplaceUses(user, id);
      program_.RemoveDead(user);
    }
    program_.RemoveDead(narrow);
  }

  DeviceProgram& program_;
  const Chip& gpu_;
};

// What reductions, sums of devices and sorts call for their elements.
absl::flat_hash_set<ComputationId> CalledForElements(DeviceProgram& program) {
  constexpr Opcode kControl[] = {Opcode::kCall, Opcode::kConditional, Opcode::kWhile};
  absl::flat_hash_set<ComputationId> called;
  for (const ComputationId c : program.Computations()) {
    for (const InstructionId id : program.module().computation(c).instructions) {
      if (program.IsRemoved(id) || absl::c_linear_search(kControl, program.opcode(id))) continue;
      called.insert(program.module().called(id).begin(), program.module().called(id).end());
    }
  }
  return called;
}

bool IsFloatConvert(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kConvert && !program.IsPinned(id) &&
         layout::IsFloat(program.shape(id).element_type());
}

bool IsChain(const DeviceProgram& program, InstructionId id) {
  return IsFloatConvert(program, id) && IsFloatConvert(program, program.operand(id, 0));
}

void SimplifyConversions(DeviceProgram& program, ComputationId c) {
  const std::vector<InstructionId> order = program.PostOrder(c);
  const auto is_chain = [&](InstructionId id) { return IsChain(program, id); };
  if (absl::c_none_of(order, is_chain)) return;
  const absl::flat_hash_set<InstructionId> fused = ComputedByProducts(program, c);
  for (const InstructionId id : order) {
    if (program.IsRemoved(id) || !is_chain(id)) continue;
    InstructionId source = id;
    while (IsFloatConvert(program, source) && !fused.contains(source))
      source = program.operand(source, 0);
    if (source == id || source == program.operand(id, 0)) continue;
    const ElementType type = program.shape(id).element_type();
    const bool is_same = program.shape(source).element_type() == type;
    program.ReplaceUses(id, is_same ? source : AddConvert(program, source, type));
    program.RemoveDead(id);
  }
}

}  // namespace

absl::Status NormalizeBf16(Context& context) {
  Widener widener(context);
  const absl::flat_hash_set<ComputationId> for_elements = CalledForElements(context.program);
  for (const ComputationId c : context.program.Computations()) {
    if (!for_elements.contains(c)) widener.Run(c);
  }
  return absl::OkStatus();
}

absl::Status SimplifyFpConversions(Context& context) {
  for (const ComputationId c : context.program.Computations()) {
    SimplifyConversions(context.program, c);
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
