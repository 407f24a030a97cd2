// Who else reads an operand of a dot, and how: XLA asks its sharding propagation what each user would
// want of the operand. Only one level is looked at; users of which nothing is known do not count.
//
//   d = dot(x, w), e = dot(y, w)      // both want w whole: one gather serves both, no windows

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/sharding/partition/ops/dot/convolution.h"
#include "tessera/sharding/partition/ops/dot/windows.h"
#include "tessera/sharding/rules/op_traits.h"

namespace tessera::sharding::partition {
namespace {

using hlo::InstructionId;

class UserTilings {
 public:
  UserTilings(const Visit& v, InstructionId operand)
      : v_(v), module_(v.module()), operand_(operand) {}

  // How `user` would have the operand lie.
  std::optional<Tiling> Of(InstructionId user) const {
    const Tiling lies = LiesAs(user);
    if (!lies.IsTiled()) return std::nullopt;
    switch (module_.instruction(user).opcode) {
      case Opcode::kDot:
      case Opcode::kConvolution:
        return OfDot(user, lies);
      case Opcode::kTranspose:
        return OfTranspose(user, lies);
      case Opcode::kReshape:
        return PartlyThroughReshape(module_.shape(user), module_.shape(operand_), lies);
      case Opcode::kBroadcast:
        return OfBroadcast(user, lies);
      case Opcode::kReduce:
        return OfReduce(user, lies);
      default:
        if (module_.shape(user).is_array() &&
            module_.shape(user).dims() == module_.shape(operand_).dims()) {
          return lies;
        }
        return std::nullopt;
    }
  }

  Tiling LiesAs(InstructionId id) const { return (*v_.sharding_of)(id).AsV1(); }

 private:
  std::optional<Tiling> OfDot(InstructionId user, const Tiling& lies) const {
    const auto operands = module_.operands(user);
    const Side side = operands[0] == operand_ ? Side::kLhs : Side::kRhs;
    const Tiling other = LiesAs(operands[side == Side::kLhs ? 1 : 0]);
    return ImpliedOperand(lies, &other, side, DimsOfProduct(module_, user));
  }

  // Of an operand with the dimension `from[i]` of the user at i; -1: it has none.
  std::optional<Tiling> Placed(const Tiling& lies, const Dims& from, int64_t rank) const {
    Dims back(static_cast<size_t>(rank), -1), lost;
    for (int64_t i = 0; i < Size(from); ++i) {
      if (At(from, i) >= 0) At(back, At(from, i)) = i;
    }
    for (int64_t i = 0; i < rank; ++i) {
      if (At(back, i) < 0) lost.push_back(i);
    }
    return TransposeCollapsed(ReplicateOn(lies, lost), back, from);
  }

  std::optional<Tiling> OfTranspose(InstructionId user, const Tiling& lies) const {
    const auto order = hlo::GetInts(module_, user, hlo::AttributeName::kDimensions);
    if (!order.has_value()) return std::nullopt;
    Dims from(order->size());
    for (int64_t i = 0; i < Size(*order); ++i) At(from, At(*order, i)) = i;
    return Placed(lies, from, Size(from));
  }

  std::optional<Tiling> OfBroadcast(InstructionId user, const Tiling& lies) const {
    const auto dims = hlo::GetInts(module_, user, hlo::AttributeName::kDimensions);
    if (!dims.has_value()) return std::nullopt;
    return Placed(lies, Dims(dims->begin(), dims->end()), module_.shape(user).rank());
  }

  std::optional<Tiling> OfReduce(InstructionId user, const Tiling& lies) const {
    const auto dims = hlo::GetInts(module_, user, hlo::AttributeName::kDimensions);
    if (!dims.has_value() || !module_.shape(user).is_array()) return std::nullopt;
    Dims from;
    int64_t next = 0;
    for (int64_t i = 0; i < module_.shape(operand_).rank(); ++i) {
      from.push_back(Contains(*dims, i) ? -1 : next++);
    }
    if (next != module_.shape(user).rank()) return std::nullopt;
    return Placed(lies, from, next);
  }

  const Visit& v_;
  const hlo::Module& module_;
  const InstructionId operand_;
};

}  // namespace

bool SharesGather(const Visit& v, Side operand) {
  const InstructionId id = v.module().operands(v.id)[operand == Side::kLhs ? 0 : 1];
  const auto users = v.view->users(id);
  if (users.size() < 2) return false;
  const UserTilings tilings(v, id);
  const std::optional<Tiling> own = tilings.Of(v.id);
  if (!own.has_value()) return false;
  const Tiling lies = tilings.LiesAs(id);
  for (const InstructionId user : users) {
    if (user == v.id) continue;
    const std::optional<Tiling> other = tilings.Of(user);
    if (other.has_value() && *other != lies && *other == *own) return true;
  }
  return false;
}

}  // namespace tessera::sharding::partition
