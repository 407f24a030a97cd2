#include "tessera/target/priority_fusion/triton/diamonds.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/target/priority_fusion/triton/tile_time.h"

namespace tessera::target {
namespace {

class Matcher {
 public:
  explicit Matcher(const DeviceProgram& program) : program_(program) {}

  std::optional<Diamond> Match(InstructionId root) const {
    if (!IsBinary(root) || !HasTritonCode(program_, root)) return std::nullopt;
    const InstructionId broadcast = Follow(program_.operand(root, 1), Opcode::kBroadcast);
    if (broadcast == kNoId || program_.OnlyUser(broadcast) == kNoId) return std::nullopt;
    const InstructionId reduce = Follow(program_.operand(broadcast, 0), Opcode::kReduce);
    if (reduce == kNoId || !ReducesRows(reduce) || RepeatsRows(broadcast)) return std::nullopt;
    InstructionId source = program_.operand(reduce, 0);
    while (IsPassed(source)) source = Next(source);
    const InstructionId left = program_.operand(root, 0);
    if (!Leads(left, source)) return std::nullopt;
    if (left != source && program_.OnlyUser(left) == kNoId) return std::nullopt;
    return Diamond{root, Inner(root, source)};
  }

 private:
  static constexpr int64_t kLongestRow = 16384;

  bool IsBinary(InstructionId id) const {
    return projection::IsElementwise(program_.opcode(id)) && program_.operands(id).size() == 2;
  }

  bool IsScalar(InstructionId id) const {
    const Opcode opcode = program_.opcode(id);
    return opcode == Opcode::kConstant && program_.shape(id).rank() == 0;
  }

  // The same number everywhere, or a parameter.
  bool IsBroadcastNumber(InstructionId id) const {
    if (program_.opcode(id) != Opcode::kBroadcast) return false;
    const InstructionId operand = program_.operand(id, 0);
    return IsScalar(operand) || program_.opcode(operand) == Opcode::kParameter;
  }

  // It needs no more memory than what it reads, and no other instruction needs it.
  bool IsPassed(InstructionId id) const {
    if (program_.OnlyUser(id) == kNoId) return false;
    const Opcode opcode = program_.opcode(id);
    if (opcode == Opcode::kBitcast || opcode == Opcode::kReshape) return true;
    if (!projection::IsElementwise(opcode) || !HasTritonCode(program_, id)) return false;
    const auto operands = program_.operands(id);
    if (operands.size() == 1) return true;
    if (operands.size() != 2) return false;
    if (operands[0] == operands[1]) return true;
    return IsBroadcastNumber(operands[0]) != IsBroadcastNumber(operands[1]);
  }

  InstructionId Next(InstructionId id) const {
    const auto operands = program_.operands(id);
    return operands.size() > 1 && IsBroadcastNumber(operands[0]) ? operands[1] : operands[0];
  }

  // The first one with this opcode.
  InstructionId Follow(InstructionId id, Opcode opcode) const {
    while (program_.opcode(id) != opcode) {
      if (!IsPassed(id)) return kNoId;
      id = Next(id);
    }
    return id;
  }

  bool Leads(InstructionId from, InstructionId to) const {
    while (from != to) {
      if (!IsPassed(from)) return false;
      from = Next(from);
    }
    return true;
  }

  bool ReducesRows(InstructionId reduce) const {
    if (program_.OnlyUser(reduce) == kNoId || !HasTritonCode(program_, reduce)) return false;
    const auto operands = program_.operands(reduce);
    const auto dimensions =
        hlo::GetInts(program_.module(), reduce, hlo::AttributeName::kDimensions);
    if (operands.size() != 2 || !dimensions.has_value() || dimensions->size() != 1) return false;
    const layout::Shape& rows = program_.shape(operands[0]);
    const int64_t last = rows.rank() - 1;
    if ((*dimensions)[0] != last || rows.dim(last) > kLongestRow) return false;
    const Opcode first = program_.opcode(operands[1]);
    return first == Opcode::kConstant ||
           (first == Opcode::kConvert && IsScalar(program_.operand(operands[1], 0)));
  }

  // The last dimension of the result is one of the operand's.
  bool RepeatsRows(InstructionId broadcast) const {
    const auto dimensions =
        hlo::GetInts(program_.module(), broadcast, hlo::AttributeName::kDimensions);
    return dimensions.has_value() &&
           absl::c_linear_search(*dimensions, program_.shape(broadcast).rank() - 1);
  }

  std::vector<InstructionId> Inner(InstructionId root, InstructionId source) const {
    std::vector<InstructionId> order;
    Collect(root, source, &order);
    order.pop_back();
    absl::c_reverse(order);
    return order;
  }

  // Operands first.
  void Collect(InstructionId id, InstructionId source, std::vector<InstructionId>* order) const {
    if (id == source || program_.opcode(id) == Opcode::kParameter) return;
    if (absl::c_linear_search(*order, id)) return;
    for (const InstructionId operand : program_.operands(id)) Collect(operand, source, order);
    order->push_back(id);
  }

  const DeviceProgram& program_;
};

}  // namespace

std::vector<Diamond> FindDiamonds(const DeviceProgram& program,
                                  const std::vector<InstructionId>& post_order) {
  const Matcher matcher(program);
  std::vector<Diamond> diamonds;
  for (auto it = post_order.rbegin(); it != post_order.rend(); ++it) {
    if (auto diamond = matcher.Match(*it)) diamonds.push_back(*std::move(diamond));
  }
  return diamonds;
}

}  // namespace tessera::target
