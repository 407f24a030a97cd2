#include "tessera/target/kernels/work_of_opcode.h"

#include "tessera/projection/signatures/opcode_sets.h"

namespace tessera::target {
namespace {

using hlo::Opcode;

struct Row {
  Opcode opcode;
  OpcodeWork work;
};

// Others: element-wise ones are simple or hard, the rest computes nothing on the vector unit.
constexpr Row kRows[] = {
    {Opcode::kConvert, {kSimple, 2}},  {Opcode::kSelect, {kSimple, 2}},
    {Opcode::kDivide, {kDivision, 1}}, {Opcode::kRemainder, {kDivision, 1}},
    {Opcode::kCopy, {kMoved, 1}},      {Opcode::kTranspose, {kMoved, 1}},
    {Opcode::kReverse, {kMoved, 1}},   {Opcode::kBroadcast, {kSpread, 1}},
    {Opcode::kSlice, {kSpread, 1}},    {Opcode::kDynamicSlice, {kSpread, 1}},
    {Opcode::kIota, {kSpread, 1}},     {Opcode::kConcatenate, {kJoined, 1}},
    {Opcode::kPad, {kJoined, 1}},
};

}  // namespace

OpcodeWork WorkOf(Opcode opcode) {
  for (const Row& row : kRows) {
    if (row.opcode == opcode) return row.work;
  }
  if (projection::IsTranscendental(opcode)) return {kHard, 1};
  if (projection::IsElementwise(opcode)) return {kSimple, 1};
  return {};
}

}  // namespace tessera::target
