// scan: N inputs and M initial carries give outputs and M carries; one dimension S is walked along.
//
// The op counts as element-wise but for S if inputs, outputs and carries correspond one to one, and
// a carry is an input without S. Its body must be element-wise, too, or the other dimensions need
// replication. Otherwise inputs and outputs share only S.

#include "tessera/sharding/rules/families.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::rules {
namespace {

using hlo::AttributeName;
using Shapes = absl::Span<const layout::Shape* const>;

struct ScanTensors {
  Shapes inputs, inits, outputs, carries;
  int64_t dim = 0;
};

std::optional<ScanTensors> Understand(const OpView& op) {
  const hlo::IntList along = DimensionsOf(op);
  const size_t carries =
      hlo::GetInt(*op.module, op.instruction, AttributeName::kNumCarries).value_or(0);
  if (along.size() != 1 || carries > op.operands.size() || carries > op.results.size()) {
    return std::nullopt;
  }
  const size_t inputs = op.operands.size() - carries;
  const size_t outputs = op.results.size() - carries;
  return ScanTensors{op.operands.first(inputs), op.operands.subspan(inputs),
                     op.results.first(outputs), op.results.subspan(outputs), along[0]};
}

bool IsWithoutDim(Dims carry, Dims input, int64_t dim) {
  if (carry.size() + 1 != input.size()) return false;
  size_t n = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(input.size()); ++d) {
    if (d != dim && carry[n++] != input[d]) return false;
  }
  return true;
}

bool PreservesShapes(const ScanTensors& scan, bool alike) {
  const size_t n = scan.inputs.size();
  if (n == 0 || scan.outputs.size() != n || scan.inits.size() != n) return false;
  for (size_t k = 0; k < n; ++k) {
    const Dims input = scan.inputs[k]->dims();
    if (input != scan.outputs[k]->dims()) return false;
    if (alike && input != scan.inputs[0]->dims()) return false;
    if (!IsWithoutDim(scan.inits[k]->dims(), input, scan.dim)) return false;
  }
  return true;
}

bool IsScalarBroadcast(const hlo::Module& module, hlo::InstructionId id) {
  return module.instruction(id).opcode == hlo::Opcode::kBroadcast &&
         module.shape(module.operands(id)[0]).rank() == 0;
}

bool IsFullSelect(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode != hlo::Opcode::kSelect) return false;
  for (hlo::InstructionId operand : module.operands(id)) {
    if (module.shape(operand).dims() != module.shape(id).dims()) return false;
  }
  return true;
}

bool IsElementWiseStep(const hlo::Module& module, hlo::InstructionId id) {
  const hlo::Opcode opcode = module.instruction(id).opcode;
  if (opcode == hlo::Opcode::kParameter) return true;
  if (opcode == hlo::Opcode::kConstant) return module.shape(id).rank() == 0;
  if (opcode == hlo::Opcode::kSelect) return IsFullSelect(module, id);
  if (opcode == hlo::Opcode::kBitcastConvert) {
    return module.shape(module.operands(id)[0]).dims() == module.shape(id).dims();
  }
  return IsElementWiseOpcode(opcode) || IsScalarBroadcast(module, id);
}

bool HasElementWiseBody(const OpView& op) {
  const absl::Span<const hlo::ComputationId> called = op.module->called(op.instruction);
  if (called.empty()) return false;
  const hlo::Computation& body = op.module->computation(called[0]);
  for (hlo::InstructionId id : body.instructions) {
    const bool is_root_tuple =
        id == body.root && op.module->instruction(id).opcode == hlo::Opcode::kTuple;
    if (!is_root_tuple && !IsElementWiseStep(*op.module, id)) return false;
  }
  return true;
}

// The kinds of the factor along the scan, and of the others.
struct ScanKinds {
  FactorKind along = kNeedReplication;
  FactorKind other = kPassThrough;
};

ScanKinds KindsOf(const OpView& op, bool preserving, bool reads_body) {
  const bool associative =
      hlo::GetBool(*op.module, op.instruction, AttributeName::kIsAssociative).value_or(false);
  ScanKinds kinds;
  if (associative && (preserving || !reads_body)) kinds.along = kPermutation;
  if (reads_body && !(preserving && HasElementWiseBody(op))) kinds.other = kNeedReplication;
  return kinds;
}

void AddPreserved(const ScanTensors& scan, ScanKinds kinds, RuleBuilder& b) {
  const Dims shape = scan.inputs[0]->dims();
  const size_t n = scan.inputs.size();
  int64_t carry_dim = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    const bool along = d == scan.dim;
    const DimList dims = Join(Same(n, d), Same(n, along ? kNone : carry_dim++));
    b.Factor(dims, dims, shape[d], along ? kinds.along : kinds.other);
  }
}

// Only the dimension of the scan is shared. Nothing is, without an array to take its size from.
void AddScanDim(const ScanTensors& scan, ScanKinds kinds, RuleBuilder& b) {
  const Shapes& with_size = scan.inputs.empty() ? scan.outputs : scan.inputs;
  if (with_size.empty() || scan.dim >= with_size[0]->rank()) return;
  b.Factor(Join(Same(scan.inputs.size(), scan.dim), Same(scan.inits.size(), kNone)),
           Join(Same(scan.outputs.size(), scan.dim), Same(scan.carries.size(), kNone)),
           with_size[0]->dim(scan.dim), kinds.along);
}

}  // namespace

MaybeRule ScanRule(const OpView& op, const RuleMode& mode) {
  const std::optional<ScanTensors> scan = Understand(op);
  if (!scan) return std::nullopt;
  const bool reads_body = mode.behaviors.scan_bodies_matter;
  const bool preserving = PreservesShapes(*scan, /*alike=*/reads_body);
  const ScanKinds kinds = KindsOf(op, preserving, reads_body);
  RuleBuilder b(op);
  if (preserving) {
    AddPreserved(*scan, kinds, b);
  } else {
    AddScanDim(*scan, kinds, b);
  }
  return b.Build();
}

}  // namespace tessera::sharding::rules
