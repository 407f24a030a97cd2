#include "tessera/target/tpu/multislice/stacked_sums.h"

#include "absl/algorithm/container.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {
namespace {

bool GoesWithSum(Opcode opcode) {
  return opcode == Opcode::kAllReduce || opcode == Opcode::kReduceScatter ||
         opcode == Opcode::kAllGather || opcode == Opcode::kReshape || opcode == Opcode::kConvert ||
         opcode == Opcode::kTranspose || opcode == Opcode::kCopy || opcode == Opcode::kBitcast ||
         opcode == Opcode::kSlice || opcode == Opcode::kDynamicSlice;
}

// The partitioner computes a place in some five ops: a table, the number of the device, a slice of the table.
constexpr int kMostOpsOfPlace = 64;

// Made of constants and the number of the device, by at most so many ops.
bool IsOfDevice(const DeviceProgram& program, InstructionId id, int* ops_left) {
  const Opcode opcode = program.opcode(id);
  if (opcode == Opcode::kParameter || opcode == Opcode::kGetTupleElement) return false;
  if (IsCollective(opcode) || --*ops_left < 0) return false;
  return absl::c_all_of(program.operands(id), [&](InstructionId operand) {
    return IsOfDevice(program, operand, ops_left);
  });
}

// It is `user`'s first operand, and the others are the same in each trip.
bool IsMovedBy(const DeviceProgram& program, InstructionId id, InstructionId user) {
  const auto operands = program.operands(user);
  int ops_left = kMostOpsOfPlace;
  return GoesWithSum(program.opcode(user)) && operands[0] == id &&
         absl::c_all_of(operands.subspan(1), [&](InstructionId operand) {
           return IsOfDevice(program, operand, &ops_left);
         });
}

}  // namespace

std::optional<StackedSum> FindStackedSum(const DeviceProgram& program, const CarriedLoop& loop,
                                         InstructionId sum) {
  StackedSum found;
  found.path = {sum};
  InstructionId user = program.OnlyUser(sum);
  for (; user != kNoId && IsMovedBy(program, found.path.back(), user);
       user = program.OnlyUser(user)) {
    found.path.push_back(user);
  }
  if (user == kNoId || program.opcode(user) != Opcode::kDynamicUpdateSlice) return std::nullopt;
  if (program.operand(user, 1) != found.path.back() || program.OnlyUser(user) != loop.root) {
    return std::nullopt;
  }
  const auto element = OnlyElement(program, loop, user);
  if (!element.has_value()) return std::nullopt;
  found.update = user;
  found.element = *element;
  for (size_t k = 2; k < program.operands(user).size(); ++k) {
    if (program.opcode(program.operand(user, k)) != Opcode::kConstant) found.indices.push_back(k);
  }
  return found;
}

}  // namespace tessera::target
