#include "tessera/target/gpu/gathers/sent_to_taker.h"

#include <vector>

#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using hlo::IntList;
using layout::ElementType;
using layout::Shape;
using Groups = DeviceGroups::Groups;

constexpr char kSentToTaker[] = "all-gather-pad-ds-simplifier";

class Sender {
 public:
  Sender(Context& context, const Padded& padded, const Groups& groups, const Taker& taker)
      : context_(context),
        program_(context.program),
        padded_(padded),
        groups_(groups),
        taker_(taker),
        c_(context.program.computation(padded.slice)) {}

  InstructionId Make() {
    const Shape shape = program_.shape(padded_.slice);
    const InstructionId x = program_.operand(padded_.gather, 0);
    const int64_t gathered = program_.shape(padded_.gather).dim(padded_.dimension);
    std::vector<InstructionId> parts;
    AddZeros(taker_.offset, &parts);
    for (size_t k = 0; k < groups_[0].size(); ++k) {
      parts.push_back(k == taker_.place ? x : Sent(x, k));
    }
    AddZeros(shape.dim(padded_.dimension) - taker_.offset - gathered, &parts);
    const InstructionId whole = AddConcatenate(program_, parts, shape, padded_.dimension);
    return program_.Add(c_, Opcode::kSelect, "select", shape, {IsTaker(), whole, Zeros(shape)});
  }

 private:
  InstructionId Zeros(const Shape& shape) {
    const InstructionId zero =
        program_.AddConstant(c_, Shape::Array(shape.element_type(), {}), "0");
    return AddBroadcast(program_, zero, shape, {});
  }

  void AddZeros(int64_t size, std::vector<InstructionId>* parts) {
    if (size <= 0) return;
    const Shape& whole = program_.shape(padded_.slice);
    IntList sizes(whole.dims().begin(), whole.dims().end());
    sizes[static_cast<size_t>(padded_.dimension)] = size;
    parts->push_back(Zeros(Resized(whole, sizes)));
  }

  // From device k of each group to the one that takes it; the last group first, as in XLA.
  InstructionId Sent(InstructionId x, size_t k) {
    DevicePairs pairs;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      pairs.emplace_back((*group)[k], (*group)[taker_.place]);
    }
    return AddPermute(context_, kSentToTaker, padded_.gather, c_, program_.shape(x), x, pairs);
  }

  // Whether this device takes it, as a table says.
  InstructionId IsTaker() {
    std::vector<int64_t> table(static_cast<size_t>(context_.groups.num_devices()), 0);
    for (const std::vector<int64_t>& group : groups_) {
      table[static_cast<size_t>(group[taker_.place])] = 1;
    }
    const InstructionId number = AddNumberOfDevice(context_, c_, table);
    const InstructionId one = program_.AddConstant(c_, Shape::Array(ElementType::kS64, {}), "1");
    const InstructionId is_taker = program_.Add(
        c_, Opcode::kCompare, "compare", Shape::Array(ElementType::kPred, {}), {number, one});
    program_.SetAttribute(is_taker, AttributeName::kDirection, "EQ");
    return is_taker;
  }

  Context& context_;
  DeviceProgram& program_;
  const Padded& padded_;
  const Groups& groups_;
  const Taker taker_;
  const ComputationId c_;
};

}  // namespace

InstructionId SendToTaker(Context& context, const Padded& padded,
                          const DeviceGroups::Groups& groups, const Taker& taker) {
  return Sender(context, padded, groups, taker).Make();
}

}  // namespace tessera::target
