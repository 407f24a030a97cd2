#include "tessera/projection/signatures/combiner.h"

#include <algorithm>
#include <iterator>

#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::projection {
namespace {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

constexpr Opcode kFree[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum,
                            Opcode::kAnd, Opcode::kOr,       Opcode::kXor};

bool IsFree(Opcode opcode) {
  return std::find(std::begin(kFree), std::end(kFree), opcode) != std::end(kFree);
}

// Copies and conversions between a combiner and its parameters do not change what it is.
InstructionId SkipConversions(const Module& m, InstructionId id) {
  while (m.instruction(id).opcode == Opcode::kConvert ||
         m.instruction(id).opcode == Opcode::kCopy) {
    id = m.operands(id)[0];
  }
  return id;
}

bool IsParameter(const Module& m, InstructionId id, uint32_t number) {
  const hlo::Instruction& i = m.instruction(SkipConversions(m, id));
  return i.opcode == Opcode::kParameter && i.parameter_number == number;
}

// `id` combines parameters `a` and `b` by one free operation, in either order.
bool CombinesFreely(const Module& m, InstructionId id, uint32_t a, uint32_t b) {
  id = SkipConversions(m, id);
  if (!IsFree(m.instruction(id).opcode) || m.operands(id).size() != 2) return false;
  const InstructionId x = m.operands(id)[0], y = m.operands(id)[1];
  return (IsParameter(m, x, a) && IsParameter(m, y, b)) ||
         (IsParameter(m, x, b) && IsParameter(m, y, a));
}

// Selects by a comparison of the values and, when they are equal, one of the positions.
bool IsArgSelection(const Module& m, const hlo::Computation& computation) {
  int comparisons = 0;
  bool breaks_ties = false;
  for (InstructionId id : computation.instructions) {
    const Opcode opcode = m.instruction(id).opcode;
    comparisons += opcode == Opcode::kCompare;
    breaks_ties |= opcode == Opcode::kCompare && hlo::GetComparisonDirection(m, id) == "EQ";
    if (opcode == Opcode::kMinimum || opcode == Opcode::kMaximum) ++comparisons;
    constexpr Opcode kAllowed[] = {Opcode::kParameter, Opcode::kCompare, Opcode::kSelect,
                                   Opcode::kAnd,       Opcode::kOr,      Opcode::kTuple,
                                   Opcode::kMinimum,   Opcode::kMaximum, Opcode::kNot};
    if (std::find(std::begin(kAllowed), std::end(kAllowed), opcode) == std::end(kAllowed))
      return false;
  }
  return breaks_ties && comparisons >= 3;
}

}  // namespace

std::optional<Opcode> BinaryCombiner(const Module& m, ComputationId computation) {
  const hlo::Computation& c = m.computation(computation);
  if (c.parameters.size() != 2 || !CombinesFreely(m, c.root, 0, 1)) return std::nullopt;
  return m.instruction(SkipConversions(m, c.root)).opcode;
}

bool IsReassociable(const Module& m, InstructionId id) {
  if (m.called(id).empty()) return false;
  const hlo::Computation& c = m.computation(m.called(id)[0]);
  if (BinaryCombiner(m, m.called(id)[0]).has_value()) return true;
  if (m.instruction(c.root).opcode != Opcode::kTuple) return false;
  const auto elements = m.operands(c.root);
  const uint32_t n = static_cast<uint32_t>(elements.size());
  if (c.parameters.size() != 2 * n) return false;
  bool each = true;
  for (uint32_t i = 0; i < n; ++i) each &= CombinesFreely(m, elements[i], i, n + i);
  return each || IsArgSelection(m, c);
}

bool IsCellwise(const Module& m, InstructionId id) {
  if (m.called(id).empty()) return false;
  for (InstructionId i : m.computation(m.called(id)[0]).instructions) {
    const Opcode opcode = m.instruction(i).opcode;
    const bool plain =
        IsElementwise(opcode) || opcode == Opcode::kParameter || opcode == Opcode::kTuple;
    const bool same_everywhere = opcode == Opcode::kConstant && m.shape(i).rank() == 0;
    const bool spread = opcode == Opcode::kBroadcast && m.shape(m.operands(i)[0]).rank() == 0;
    if (!plain && !same_everywhere && !spread) return false;
  }
  return true;
}

}  // namespace tessera::projection
