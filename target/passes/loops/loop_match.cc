#include "tessera/target/passes/loops/loop_match.h"

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/projection/cost/compute/trip_count.h"

namespace tessera::target {
namespace {

bool IsConstant(const DeviceProgram& program, InstructionId id, int64_t value) {
  return program.opcode(id) == Opcode::kConstant && program.shape(id).rank() == 0 &&
         hlo::SplatInt(program.module(), id) == value;
}

// `id` is `read` plus one.
bool IsNext(const DeviceProgram& program, InstructionId id, const CarriedLoop& loop,
            size_t element) {
  if (program.opcode(id) != Opcode::kAdd) return false;
  for (size_t k = 0; k < 2; ++k) {
    if (ElementRead(program, loop, program.operand(id, k)) == element &&
        IsConstant(program, program.operand(id, 1 - k), 1)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<CarriedLoop> FindLoop(const DeviceProgram& program, InstructionId loop) {
  const auto called = program.module().called(loop);
  const hlo::Computation& body = program.module().computation(called[0]);
  const hlo::Computation& condition = program.module().computation(called[1]);
  const CarriedLoop found = {loop, program.operand(loop, 0), body.root, body.parameters[0],
                             condition.parameters[0]};
  const bool are_tuples =
      program.opcode(found.start) == Opcode::kTuple && program.opcode(found.root) == Opcode::kTuple;
  return are_tuples ? std::optional<CarriedLoop>(found) : std::nullopt;
}

std::optional<size_t> ElementRead(const DeviceProgram& program, const CarriedLoop& loop,
                                  InstructionId id) {
  if (program.opcode(id) != Opcode::kGetTupleElement) return std::nullopt;
  if (program.operand(id, 0) != loop.parameter) return std::nullopt;
  return static_cast<size_t>(hlo::GetTupleIndex(program.module(), id));
}

bool IsReadByCondition(const DeviceProgram& program, const CarriedLoop& loop, size_t element) {
  bool is_read = false;
  program.ForEachUse(loop.of_condition, [&](InstructionId user) {
    const bool is_element = program.opcode(user) == Opcode::kGetTupleElement;
    is_read |=
        !is_element || hlo::GetTupleIndex(program.module(), user) == static_cast<int64_t>(element);
  });
  return is_read;
}

std::optional<size_t> OnlyElement(const DeviceProgram& program, const CarriedLoop& loop,
                                  InstructionId update) {
  const InstructionId before = program.operand(update, 0);
  const auto element = ElementRead(program, loop, before);
  if (!element.has_value() || program.OnlyUser(before) != update) return std::nullopt;
  const auto next = program.operands(loop.root);
  int readers = 0;
  program.ForEachUse(loop.parameter, [&](InstructionId user) {
    readers += ElementRead(program, loop, user) == element ? 1 : 0;
  });
  const bool is_only = readers == 1 && next[*element] == update &&
                       absl::c_count(next, update) == 1 &&
                       !IsReadByCondition(program, loop, *element);
  return is_only ? element : std::nullopt;
}

std::vector<int> CallerCounts(DeviceProgram& program) {
  std::vector<int> callers(program.module().num_computations(), 0);
  for (const ComputationId c : program.Computations()) {
    for (const InstructionId id : program.module().computation(c).instructions) {
      for (const ComputationId called : program.module().called(id)) ++callers[called];
    }
  }
  return callers;
}

bool HasOwnBody(const DeviceProgram& program, const std::vector<int>& callers, InstructionId loop) {
  const auto called = program.module().called(loop);
  return callers[called[0]] == 1 && callers[called[1]] == 1;
}

std::optional<Counter> FindCounter(const DeviceProgram& program, const CarriedLoop& loop) {
  const auto trips = projection::TripCount(program.module(), loop.loop);
  if (!trips.has_value()) return std::nullopt;
  for (size_t k = 0; k < program.operands(loop.root).size(); ++k) {
    if (IsReadByCondition(program, loop, k) &&
        IsConstant(program, program.operand(loop.start, k), 0) &&
        IsNext(program, program.operand(loop.root, k), loop, k)) {
      return Counter{k, *trips};
    }
  }
  return std::nullopt;
}

}  // namespace tessera::target
