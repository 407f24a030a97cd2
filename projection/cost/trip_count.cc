// Three ways, the first that answers wins.
//
// 1. What the compiler wrote down: backend_config={"known_trip_count":{"n":"10"}}.
// 2. A counter i -> i + c with a constant start, and a condition `i OP K`: a division.
// 3. The scalar slice of the loop, run step by step: integers and booleans that start as constants.
// Everything else is
//    unknown, and unknown spreads; the loop is counted as soon as the condition is known to be
//    false.
//
// Tested by trip_count_test.cc: closed form against the simulation.
#include "tessera/projection/cost/trip_count.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/projection/checked.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

constexpr int64_t kMostSteps = 128;
constexpr int kDeepest = 10000;  // chains of scalars longer than this are not followed

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

bool IsScalarInteger(const layout::Shape& shape) {
  return shape.is_array() && shape.rank() == 0 &&
         (layout::IsInteger(shape.element_type()) ||
          shape.element_type() == layout::ElementType::kPred);
}

// Keeps the low bits of a value, as its type does.
int64_t Wrap(int64_t value, layout::ElementType type) {
  const int bits = layout::BitWidth(type);
  if (bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << bits) - 1, low = static_cast<uint64_t>(value) & mask;
  const bool negative = layout::IsSigned(type) && (low >> (bits - 1)) != 0;
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

bool Less(int64_t a, int64_t b, layout::ElementType type) {
  return layout::IsSigned(type) ? a < b : static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
}

bool Compare(absl::string_view direction, int64_t a, int64_t b, layout::ElementType type) {
  if (direction == "EQ") return a == b;
  if (direction == "NE") return a != b;
  if (direction == "LT") return Less(a, b, type);
  if (direction == "GT") return Less(b, a, type);
  return direction == "LE" ? !Less(b, a, type) : !Less(a, b, type);
}

int64_t WrapMultiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// Values of scalar integers of one computation, none where they are not known.
class Scalars {
 public:
  using Value = std::optional<int64_t>;
  using Tuple = std::vector<Value>;  // the carried elements

  Scalars(const Module& module, const Tuple& carried) : module_(module), carried_(carried) {}

  Value Get(InstructionId id) {
    if (!IsScalarInteger(module_.shape(id))) return std::nullopt;
    const auto known = values_.find(id);
    if (known != values_.end()) return known->second;
    if (depth_ >= kDeepest) return std::nullopt;
    ++depth_;
    Value value = Compute(id);
    --depth_;
    if (value.has_value()) value = Wrap(*value, module_.shape(id).element_type());
    values_[id] = value;
    return value;
  }

 private:
  Value Compute(InstructionId id) {
    const auto operands = module_.operands(id);
    switch (module_.instruction(id).opcode) {
      case Opcode::kConstant:
        return hlo::SplatInt(module_, id);
      case Opcode::kGetTupleElement:
        return Carried(id);
      case Opcode::kCopy:
      case Opcode::kBitcast:
      case Opcode::kReshape:
      case Opcode::kConvert:
        return Get(operands[0]);
      case Opcode::kNot:
        return Map(operands[0], [](int64_t a) { return ~a; });
      case Opcode::kNegate:
        return Map(operands[0], [](int64_t a) { return WrapMultiply(a, -1); });
      case Opcode::kSelect:
        return Choose(operands[0], operands[1], operands[2]);
      default:
        return operands.size() == 2 ? Binary(id, Get(operands[0]), Get(operands[1])) : std::nullopt;
    }
  }

  Value Carried(InstructionId id) const {
    const size_t index = static_cast<size_t>(hlo::GetTupleIndex(module_, id));
    const bool of_parameter =
        module_.instruction(module_.operands(id)[0]).opcode == Opcode::kParameter;
    return of_parameter && index < carried_.size() ? carried_[index] : std::nullopt;
  }

  template <typename F>
  Value Map(InstructionId operand, F f) {
    const Value a = Get(operand);
    return a.has_value() ? Value(f(*a)) : std::nullopt;
  }

  Value Choose(InstructionId which, InstructionId yes, InstructionId no) {
    const Value w = Get(which);
    return w.has_value() ? Get(*w != 0 ? yes : no) : std::nullopt;
  }

  Value Binary(InstructionId id, Value a, Value b) {
    if (!a.has_value() || !b.has_value()) return std::nullopt;
    const layout::ElementType type = module_.shape(module_.operands(id)[0]).element_type();
    switch (module_.instruction(id).opcode) {
      case Opcode::kAdd:
        return WrapAdd(*a, *b);
      case Opcode::kSubtract:
        return WrapAdd(*a, WrapMultiply(*b, -1));
      case Opcode::kMultiply:
        return WrapMultiply(*a, *b);
      case Opcode::kDivide:
        return *b == 0 || *b == -1 || !layout::IsSigned(type) ? std::nullopt : Value(*a / *b);
      case Opcode::kMaximum:
        return Less(*a, *b, type) ? b : a;
      case Opcode::kMinimum:
        return Less(*a, *b, type) ? a : b;
      case Opcode::kAnd:
        return *a & *b;
      case Opcode::kOr:
        return *a | *b;
      case Opcode::kXor:
        return *a ^ *b;
      case Opcode::kShiftLeft:
        return *b < 0 || *b >= 63 ? std::nullopt : Value(WrapMultiply(*a, int64_t{1} << *b));
      case Opcode::kCompare:
        return Compare(hlo::GetComparisonDirection(module_, id), *a, *b, type);
      default:
        return std::nullopt;
    }
  }

  const Module& module_;
  const Tuple& carried_;
  int depth_ = 0;
  absl::flat_hash_map<InstructionId, Value> values_;
};

// What a value outside the loop is, through tuples and copies.
std::optional<int64_t> ConstantOutside(const Module& module, InstructionId id) {
  const Scalars::Tuple none;
  return Scalars(module, none).Get(id);
}

Scalars::Tuple InitialTuple(const Module& module, InstructionId loop) {
  InstructionId init = module.operands(loop)[0];
  while (module.instruction(init).opcode == Opcode::kCopy ||
         module.instruction(init).opcode == Opcode::kOptBarrier) {
    init = module.operands(init)[0];
  }
  Scalars::Tuple out(module.shape(loop).tuple_elements().size());
  if (module.instruction(init).opcode != Opcode::kTuple) return out;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = ConstantOutside(module, module.operands(init)[i]);
  return out;
}

struct Loop {
  const Module& module;
  const hlo::Computation& body;
  const hlo::Computation& condition;
  Scalars::Tuple init;
};

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
  const Scalars::Tuple none;
  Scalars constants(m, none);
  const InstructionId a = m.operands(next)[0], b = m.operands(next)[1];
  if (ElementOf(m, a) == element) {
    const std::optional<int64_t> c = constants.Get(b);
    if (!c.has_value()) return std::nullopt;
    return opcode == Opcode::kAdd ? c : std::optional<int64_t>(WrapMultiply(*c, -1));
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
    const bool hits = distance.value() % c == 0 && distance.value() / c >= 0;
    return hits ? std::optional<int64_t>(distance.value() / c) : std::nullopt;
  }
  if (direction != "LT" && direction != "LE") return std::nullopt;
  if (distance.value() <= 0) return 0;
  return c > 0 ? std::optional<int64_t>(CeilDiv(distance.value(), c)) : std::nullopt;
}

std::optional<int64_t> ClosedForm(const Loop& loop) {
  const Module& m = loop.module;
  const InstructionId root = loop.condition.root;
  if (m.instruction(root).opcode != Opcode::kCompare) return std::nullopt;
  const Scalars::Tuple none;
  Scalars constants(m, none);
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
                     Wrap(last.value(), m.shape(counter).element_type()) == last.value();
  return stays ? n : std::nullopt;
}

std::optional<int64_t> Simulate(const Loop& loop) {
  const Module& m = loop.module;
  Scalars::Tuple carried = loop.init;
  for (int64_t steps = 0; steps <= kMostSteps; ++steps) {
    const Scalars::Value goes_on = Scalars(m, carried).Get(loop.condition.root);
    if (!goes_on.has_value()) return std::nullopt;
    if (*goes_on == 0) return steps;
    if (m.instruction(loop.body.root).opcode != Opcode::kTuple) return std::nullopt;
    Scalars now(m, carried);
    Scalars::Tuple next(carried.size());
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
  const std::optional<int64_t> closed = ClosedForm(l);
  return closed.has_value() ? closed : Simulate(l);
}

}  // namespace tessera::projection
