#include "tessera/target/priority_fusion/model/op_facts.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "tessera/layout/element_type.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/priority_fusion/model/tiled_ops.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {
namespace {

using layout::ElementType;

// Beside what is element-wise.
constexpr Opcode kFusible[] = {
    Opcode::kBitcast,     Opcode::kBitcastConvert, Opcode::kBroadcast,
    Opcode::kConcatenate, Opcode::kDynamicSlice,   Opcode::kDynamicUpdateSlice,
    Opcode::kGather,      Opcode::kIota,           Opcode::kMap,
    Opcode::kPad,         Opcode::kReduce,         Opcode::kReduceWindow,
    Opcode::kReverse,     Opcode::kScatter,        Opcode::kSlice,
    Opcode::kTranspose};

constexpr double kOtherCycles = 3;

struct Cycles {
  Opcode opcode;
  double f32, f16, s32;
};

constexpr Cycles kCycles[] = {
    {Opcode::kAdd, 7, 7, kOtherCycles},
    {Opcode::kSubtract, 7, 7, kOtherCycles},
    {Opcode::kMultiply, 3, 7, 3},
    {Opcode::kDivide, 19, 43, 297},
    {Opcode::kPower, 510, 526, 71},
    {Opcode::kExponential, 79, 102, kOtherCycles},
    {Opcode::kExponentialMinusOne, 190, 217, kOtherCycles},
    {Opcode::kLog, 166, 182, kOtherCycles},
    {Opcode::kLogPlusOne, 229, 245, kOtherCycles},
    {Opcode::kRsqrt, 75, 95, kOtherCycles},
    {Opcode::kSqrt, 75, 95, kOtherCycles},
    {Opcode::kCbrt, 178, 201, kOtherCycles},
    {Opcode::kTanh, 467, 502, kOtherCycles},
    {Opcode::kCosine, 978, 997, kOtherCycles},
    {Opcode::kSine, 958, 993, kOtherCycles},
    {Opcode::kAtan2, 431, 451, kOtherCycles},
    {Opcode::kCopy, 0, 0, 0},
};

// Of types that few operations of a program have, as those of random numbers.
struct CyclesOfType {
  Opcode opcode;
  ElementType type;
  double cycles;
};

constexpr CyclesOfType kCyclesOfTypes[] = {
    {Opcode::kMultiply, ElementType::kS64, 11}, {Opcode::kMultiply, ElementType::kU64, 11},
    {Opcode::kDivide, ElementType::kS64, 685},  {Opcode::kDivide, ElementType::kU64, 629},
    {Opcode::kDivide, ElementType::kU32, 122},
};

double CyclesOf(Opcode opcode, ElementType type) {
  for (const CyclesOfType& row : kCyclesOfTypes) {
    if (row.opcode == opcode && row.type == type) return row.cycles;
  }
  const auto* const row =
      absl::c_find_if(kCycles, [&](const Cycles& cycles) { return cycles.opcode == opcode; });
  if (row == std::end(kCycles)) return kOtherCycles;
  if (opcode == Opcode::kCopy || type == ElementType::kF32) return row->f32;
  if (type == ElementType::kF16) return row->f16;
  return type == ElementType::kS32 ? row->s32 : kOtherCycles;
}

double Elements(const layout::Shape& shape) {
  if (!shape.is_tuple()) {
    return shape.is_array() ? static_cast<double>(shape.NumElements().value_or(0)) : 0;
  }
  double sum = 0;
  for (const layout::Shape& element : shape.tuple_elements()) sum += Elements(element);
  return sum;
}

double WindowElements(const DeviceProgram& program, InstructionId id) {
  double elements = 1;
  for (const auto& dimension : hlo::GetWindow(program.module(), id)) {
    elements *= static_cast<double>(dimension.size);
  }
  return elements;
}

// Of operand k, for each element of it.
double UtilizationOf(const DeviceProgram& program, InstructionId id, size_t k, double elements) {
  const auto operands = program.operands(id);
  // Reads of each element, of so many in all.
  const auto each = [&](double reads) {
    return reads / std::max(1.0, Elements(program.shape(operands[k])));
  };
  switch (program.opcode(id)) {
    case Opcode::kBroadcast:
      return each(elements);
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return k == 0 ? each(elements) : 1;
    case Opcode::kDynamicUpdateSlice:
      return k == 0 ? 0 : 1;
    case Opcode::kScatter:
      return k == 0 ? each(Elements(program.shape(operands.back()))) : 1;
    case Opcode::kReduceWindow:
      return k == 0 ? each(elements * WindowElements(program, id)) : 1;
    case Opcode::kReduce:
      return k < operands.size() / 2 ? 1 : elements / (static_cast<double>(operands.size()) / 2);
    default:
      return 1;
  }
}

// Each thread writes an element of each operand.
bool IsOfEqualArrays(const DeviceProgram& program, InstructionId id) {
  const auto operands = program.operands(id);
  return absl::c_all_of(operands, [&](InstructionId operand) {
    return program.shape(operand).dims() == program.shape(operands[0]).dims();
  });
}

// Of a concatenate: which operand it is. Where a warp crosses operands, each thread goes both ways.
double ChoiceCycles(const DeviceProgram& program, InstructionId id) {
  constexpr double kCompare = 6, kBoth = 400;
  const auto dimension = hlo::GetInts(program.module(), id, hlo::AttributeName::kDimensions);
  if (!dimension.has_value() || dimension->empty() || (*dimension)[0] == 0) return kCompare;
  return program.shape(id).dim((*dimension)[0]) % kWarp == 0 ? kCompare : kBoth;
}

double FlopsOf(const DeviceProgram& program, InstructionId id, const OpFacts& facts) {
  const auto operands = program.operands(id);
  if (facts.is_elementwise) {
    return facts.elements * CyclesOf(facts.opcode, program.shape(id).element_type());
  }
  if (facts.opcode == Opcode::kReduce) {
    const layout::Shape& reduced = program.shape(operands[0]);
    const double all = Elements(reduced) * static_cast<double>(operands.size() / 2);
    return std::max(0.0, all - facts.elements) * CyclesOf(Opcode::kAdd, reduced.element_type());
  }
  if (facts.opcode == Opcode::kReduceWindow) {
    return facts.elements * WindowElements(program, id) * kOtherCycles;
  }
  if (facts.opcode == Opcode::kScatter) {
    return Elements(program.shape(operands.back())) * kOtherCycles;
  }
  if (facts.opcode == Opcode::kConcatenate) return facts.elements * ChoiceCycles(program, id);
  return 0;
}

}  // namespace

OpFacts FactsOfResult(const DeviceProgram& program, InstructionId id) {
  OpFacts facts;
  facts.opcode = program.opcode(id);
  if (facts.opcode == Opcode::kReshape) facts.opcode = Opcode::kBitcast;
  facts.is_elementwise = projection::IsElementwise(facts.opcode) ||
                         facts.opcode == Opcode::kBitcastConvert || facts.opcode == Opcode::kMap;
  facts.is_fusible = facts.is_elementwise || absl::c_linear_search(kFusible, facts.opcode);
  facts.elements = Elements(program.shape(id));
  facts.bytes = static_cast<double>(ResultBytes(program, id));
  facts.written_bytes = facts.bytes;
  facts.looped_elements = facts.elements;
  return facts;
}

OpFacts FactsOf(const DeviceProgram& program, InstructionId id) {
  OpFacts facts = FactsOfResult(program, id);
  if (facts.opcode == Opcode::kDynamicUpdateSlice) {
    facts.written_bytes = static_cast<double>(ResultBytes(program, program.operand(id, 1)));
    facts.looped_elements = Elements(program.shape(program.operand(id, 1)));
  }
  if (facts.opcode == Opcode::kScatter) {
    facts.written_bytes = static_cast<double>(ResultBytes(program, program.operands(id).back()));
    facts.looped_elements = Elements(program.shape(program.operands(id).back()));
  }
  if (facts.opcode == Opcode::kConcatenate && IsOfEqualArrays(program, id)) {
    facts.looped_elements = Elements(program.shape(program.operand(id, 0)));
  }
  if (facts.opcode == Opcode::kReduce) {
    AddReduction(program, id, Elements(program.shape(program.operand(id, 0))), &facts);
  }
  if (facts.opcode == Opcode::kSlice) facts.slice = hlo::GetSlice(program.module(), id);
  if (facts.opcode == Opcode::kTranspose) AddTranspose(program, id, &facts);
  if (!facts.is_fusible) return facts;
  facts.flops = FlopsOf(program, id, facts);
  for (size_t k = 0; k < program.operands(id).size(); ++k) {
    facts.utilization.push_back(UtilizationOf(program, id, k, facts.elements));
  }
  return facts;
}

}  // namespace tessera::target
