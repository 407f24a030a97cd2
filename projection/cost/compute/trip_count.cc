// Three ways, the first that answers wins.
//
// 1. What the compiler wrote down: backend_config={"known_trip_count":{"n":"10"}}.
// 2. A counter i -> i + c with a constant start, and a condition `i OP K`: a division
//    (counted_loop.h).
// 3. The scalar slice of the loop, run step by step (scalar_values.h); the loop is counted as soon
// as
//    the condition is known to be false.
//
// Tested by cost_test.cc: closed form against the simulation.
#include "tessera/projection/cost/compute/trip_count.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/cost/compute/counted_loop.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

constexpr int64_t kMaxSteps = 128;

std::optional<int64_t> WrittenDown(const Module& module, InstructionId loop) {
  const auto config = module.FindAttribute(loop, hlo::AttributeName::kBackendConfig);
  if (!config.has_value()) return std::nullopt;
  size_t at = config->find("known_trip_count");
  if (at == absl::string_view::npos) return std::nullopt;
  at = config->find_first_of("0123456789", at);
  if (at == absl::string_view::npos) return std::nullopt;
  const size_t end = config->find_first_not_of("0123456789", at);
  int64_t n;
  return absl::SimpleAtoi(config->substr(at, end - at), &n) ? std::optional<int64_t>(n)
                                                            : std::nullopt;
}

// The constant of a value outside the loop, through tuples and copies.
std::optional<int64_t> ConstantOutside(const Module& module, InstructionId id) {
  const ScalarValues::Tuple none;
  return ScalarValues(module, none).Get(id);
}

ScalarValues::Tuple InitialTuple(const Module& module, InstructionId loop) {
  InstructionId init = module.operands(loop)[0];
  while (module.instruction(init).opcode == Opcode::kCopy ||
         module.instruction(init).opcode == Opcode::kOptBarrier) {
    init = module.operands(init)[0];
  }
  ScalarValues::Tuple out(module.shape(loop).tuple_elements().size());
  if (module.instruction(init).opcode != Opcode::kTuple) return out;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = ConstantOutside(module, module.operands(init)[i]);
  return out;
}

std::optional<int64_t> Simulate(const Loop& loop) {
  const Module& m = loop.module;
  ScalarValues::Tuple carried = loop.init;
  for (int64_t steps = 0; steps <= kMaxSteps; ++steps) {
    const ScalarValues::Value goes_on = ScalarValues(m, carried).Get(loop.condition.root);
    if (!goes_on.has_value()) return std::nullopt;
    if (*goes_on == 0) return steps;
    if (m.instruction(loop.body.root).opcode != Opcode::kTuple) return std::nullopt;
    ScalarValues now(m, carried);
    ScalarValues::Tuple next(carried.size());
    for (size_t i = 0; i < next.size(); ++i) next[i] = now.Get(m.operands(loop.body.root)[i]);
    carried = std::move(next);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int64_t> TripCount(const Module& module, InstructionId loop) {
  const std::optional<int64_t> written = WrittenDown(module, loop);
  if (written.has_value()) return written;
  const auto called = module.called(loop);
  const Loop l{module, module.computation(called[0]), module.computation(called[1]),
               InitialTuple(module, loop)};
  if (l.init.empty()) return std::nullopt;
  const std::optional<int64_t> closed = CountInClosedForm(l);
  return closed.has_value() ? closed : Simulate(l);
}

}  // namespace tessera::projection
