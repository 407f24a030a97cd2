// Idea. A loop that counts: one carried element i goes up or down by a constant, and the condition
// compares it with a constant. Then the count is a division, with care at both ends of the
// integers:
//
//   i = 0; i < 10; i += 3      ceil((10 - 0) / 3) = 4 rounds
//   i = 0; i != 10; i += 3     never hits 10: unknown, it would wrap
//
// Tested by cost_test.cc, which also runs 525 such loops.
#include "tessera/projection/cost/compute/counted_loop.h"

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/text/checked.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

// Follows copies and conversions.
InstructionId Skip(const Module& m, InstructionId id) {
  while (m.instruction(id).opcode == Opcode::kCopy ||
         m.instruction(id).opcode == Opcode::kBitcast ||
         m.instruction(id).opcode == Opcode::kConvert) {
    id = m.operands(id)[0];
  }
  return id;
}

// Which carried element `id` is, unchanged; -1 for none.
int64_t ElementOf(const Module& m, InstructionId id) {
  id = Skip(m, id);
  if (m.instruction(id).opcode != Opcode::kGetTupleElement) return -1;
  return m.instruction(m.operands(id)[0]).opcode == Opcode::kParameter ? hlo::GetTupleIndex(m, id)
                                                                       : -1;
}

// How much the body adds to carried element `element` each time.
std::optional<int64_t> StepOf(const Loop& loop, int64_t element) {
  const Module& m = loop.module;
  if (m.instruction(loop.body.root).opcode != Opcode::kTuple) return std::nullopt;
  const InstructionId next = Skip(m, m.operands(loop.body.root)[static_cast<size_t>(element)]);
  const Opcode opcode = m.instruction(next).opcode;
  if (opcode != Opcode::kAdd && opcode != Opcode::kSubtract) return std::nullopt;
  const ScalarValues::Tuple none;
  ScalarValues constants(m, none);
  const InstructionId a = m.operands(next)[0], b = m.operands(next)[1];
  if (ElementOf(m, a) == element) {
    const std::optional<int64_t> c = constants.Get(b);
    if (!c.has_value()) return std::nullopt;
    return opcode == Opcode::kAdd
               ? c
               : std::optional<int64_t>(static_cast<int64_t>(-static_cast<uint64_t>(*c)));
  }
  return opcode == Opcode::kAdd && ElementOf(m, b) == element ? constants.Get(a) : std::nullopt;
}

std::string Mirrored(absl::string_view direction) {
  if (direction == "LT") return "GT";
  if (direction == "GT") return "LT";
  if (direction == "LE") return "GE";
  if (direction == "GE") return "LE";
  return std::string(direction);
}

// Steps of i0, i0 + c, .. while `i OP k`, c and k in range.
std::optional<int64_t> Count(absl::string_view direction, int64_t i0, int64_t c, int64_t k) {
  if (direction == "GT" || direction == "GE") {  // mirrored to LT and LE
    const Checked a = -Checked(i0), b = -Checked(c), d = -Checked(k);
    if (!a.ok() || !b.ok() || !d.ok()) return std::nullopt;
    return Count(direction == "GT" ? "LT" : "LE", a.value(), b.value(), d.value());
  }
  const Checked end = direction == "LE" ? Checked(k) + 1 : Checked(k), distance = end - i0;
  if (!distance.ok()) return std::nullopt;
  if (direction == "NE") {
    if (c == 0) return distance.value() == 0 ? std::optional<int64_t>(0) : std::nullopt;
    // Its quotient by -1 has no 64 bits.
    if (distance.value() == std::numeric_limits<int64_t>::min()) return std::nullopt;
    const bool hits = distance.value() % c == 0 && distance.value() / c >= 0;
    return hits ? std::optional<int64_t>(distance.value() / c) : std::nullopt;
  }
  if (direction != "LT" && direction != "LE") return std::nullopt;
  if (distance.value() <= 0) return 0;
  return c > 0 ? std::optional<int64_t>(CeilDiv(distance.value(), c)) : std::nullopt;
}

}  // namespace

std::optional<int64_t> CountInClosedForm(const Loop& loop) {
  const Module& m = loop.module;
  const InstructionId root = loop.condition.root;
  if (m.instruction(root).opcode != Opcode::kCompare) return std::nullopt;
  const ScalarValues::Tuple none;
  ScalarValues constants(m, none);
  std::string direction(hlo::GetComparisonDirection(m, root));
  InstructionId counter = m.operands(root)[0], bound = m.operands(root)[1];
  if (ElementOf(m, counter) < 0) {
    std::swap(counter, bound);
    direction = Mirrored(direction);
  }
  const int64_t element = ElementOf(m, counter);
  const std::optional<int64_t> k = constants.Get(bound);
  if (element < 0 || !k.has_value() || !loop.init[static_cast<size_t>(element)].has_value())
    return std::nullopt;
  if (layout::BitWidth(m.shape(counter).element_type()) == 64 &&
      layout::IsUnsigned(m.shape(counter).element_type())) {
    return std::nullopt;  // beyond int64: left to the simulation
  }
  const std::optional<int64_t> step = StepOf(loop, element);
  if (!step.has_value()) return std::nullopt;
  const std::optional<int64_t> n =
      Count(direction, *loop.init[static_cast<size_t>(element)], *step, *k);
  // The counter must not leave its type on the way.
  const Checked last = Checked(*step) * n.value_or(0) + *loop.init[static_cast<size_t>(element)];
  const bool stays = n.has_value() && last.ok() &&
                     WrapToType(last.value(), m.shape(counter).element_type()) == last.value();
  return stays ? n : std::nullopt;
}

}  // namespace tessera::projection
