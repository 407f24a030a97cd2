// select-and-scatter(x: bf16[8,9], s: bf16[8,4], 0), window 1x3
//   ->  (chosen, row: s32[8,4], column: s32[8,4]) = reduce-window(x, iota 0, iota 1, 0, -1, -1)
//       scatter(broadcast(0): bf16[8,9], concatenate(row, column): s32[8,4,2], s)
//
// The reduction chooses an element of each window, and so its place; -1 is the place of no element. On a GPU the zeros
// and each place have memory. Cost: linear in the program. Tested by scatters_test.cc.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/gpu/scatters/scatter_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

// The computation of the reduction: of (element, its place) and (other, its place), one of both.
class Chooser {
 public:
  Chooser(DeviceProgram* program, ComputationId select, ElementType type, int64_t rank)
      : program_(*program),
        select_(select),
        c_(program->AddComputation("select.reduce_window")),
        type_(type),
        rank_(rank) {}

  ComputationId Make() {
    const std::vector<InstructionId> left = Parameters(), right = Parameters();
    const InstructionId is_left = IsChosen(left, right);
    std::vector<InstructionId> chosen;
    std::vector<layout::Shape> shapes;
    for (size_t k = 0; k < left.size(); ++k) {
      shapes.push_back(program_.shape(left[k]));
      chosen.push_back(
          program_.Add(c_, Opcode::kSelect, "select", shapes[k], {is_left, left[k], right[k]}));
    }
    program_.SetRoot(
        c_, program_.Add(c_, Opcode::kTuple, "tuple", layout::Shape::Tuple(shapes), chosen));
    return c_;
  }

 private:
  static layout::Shape Scalar(ElementType type) {
    return layout::Shape::Array(type, {}, std::nullopt);
  }

  std::vector<InstructionId> Parameters() {
    std::vector<InstructionId> made = {
        program_.Add(c_, Opcode::kParameter, "element", Scalar(type_), {})};
    for (int64_t d = 0; d < rank_; ++d) {
      made.push_back(program_.Add(c_, Opcode::kParameter, "place", Scalar(ElementType::kS32), {}));
    }
    return made;
  }

  // The left one, if it is one and selected, or if the right one is none.
  InstructionId IsChosen(const std::vector<InstructionId>& left,
                         const std::vector<InstructionId>& right) {
    const InstructionId selected = CloneBody(program_, select_, c_, {left[0], right[0]});
    const InstructionId none = program_.AddConstant(c_, Scalar(ElementType::kS32), "-1");
    const InstructionId is = Make(Opcode::kAnd, {selected, IsOne(left[1], none)});
    return Make(Opcode::kOr, {is, Make(Opcode::kNot, {IsOne(right[1], none)})});
  }

  InstructionId Make(Opcode opcode, absl::Span<const InstructionId> operands) {
    return program_.Add(c_, opcode, hlo::OpcodeName(opcode), Scalar(ElementType::kPred), operands);
  }

  InstructionId IsOne(InstructionId place, InstructionId none) {
    const InstructionId is = Make(Opcode::kCompare, {place, none});
    program_.SetAttribute(is, AttributeName::kDirection, "NE");
    return is;
  }

  DeviceProgram& program_;
  const ComputationId select_, c_;
  const ElementType type_;
  const int64_t rank_;
};

class Expander {
 public:
  Expander(DeviceProgram* program, InstructionId id)
      : program_(*program),
        id_(id),
        c_(program->computation(id)),
        rank_(program->shape(id).rank()),
        select_(program->module().called(id)[0]),
        add_(program->module().called(id)[1]) {}

  void Run() {
    const InstructionId places = Places();
    const layout::Shape whole = program_.shape(id_);
    const InstructionId start = AddBroadcast(program_, program_.operand(id_, 2), whole, {});
    const InstructionId scatter = program_.Add(c_, Opcode::kScatter, "scatter", whole,
                                               {start, places, program_.operand(id_, 1)});
    hlo::IntList all;
    for (int64_t d = 0; d < rank_; ++d) all.push_back(d);
    program_.SetAttribute(scatter, AttributeName::kUpdateWindowDims, "{}");
    program_.SetAttribute(scatter, AttributeName::kInsertedWindowDims, hlo::PrintInts(all));
    program_.SetAttribute(scatter, AttributeName::kScatterDimsToOperandDims, hlo::PrintInts(all));
    program_.SetAttribute(scatter, AttributeName::kIndexVectorDim, absl::StrCat(rank_));
    program_.SetCalled(scatter, {add_});
    CopyMetadata(scatter);
    program_.ReplaceUses(id_, scatter);
    program_.RemoveDead(id_);
  }

 private:
  void CopyMetadata(InstructionId id) {
    const auto said = program_.module().FindAttribute(id_, AttributeName::kMetadata);
    if (said.has_value()) program_.SetAttribute(id, AttributeName::kMetadata, std::string(*said));
  }

  // s32[.., rank]: where the chosen element of each window stands.
  InstructionId Places() {
    const InstructionId chosen = Reduction();
    layout::Shape shape = Retyped(program_.shape(program_.operand(id_, 1)), ElementType::kS32);
    hlo::IntList sizes(shape.dims().begin(), shape.dims().end());
    sizes.push_back(1);
    std::vector<InstructionId> parts;
    for (int64_t d = 0; d < rank_; ++d) {
      parts.push_back(
          AddReshape(program_, program_.AddGetTupleElement(chosen, d + 1), Resized(shape, sizes)));
    }
    sizes.back() = rank_;
    return AddConcatenate(program_, parts, Resized(shape, sizes), rank_);
  }

  InstructionId Reduction() {
    const InstructionId x = program_.operand(id_, 0);
    const layout::Shape from = Resized(program_.shape(x), program_.shape(x).dims());
    const layout::Shape windows = Resized(from, program_.shape(program_.operand(id_, 1)).dims());
    const layout::Shape none = layout::Shape::Array(ElementType::kS32, {}, std::nullopt);
    std::vector<InstructionId> operands = {x}, starts = {program_.operand(id_, 2)};
    std::vector<layout::Shape> shapes = {windows};
    starts.resize(static_cast<size_t>(rank_) + 1, program_.AddConstant(c_, none, "-1"));
    for (int64_t d = 0; d < rank_; ++d) {
      operands.push_back(
          program_.Add(c_, Opcode::kIota, "iota", Retyped(from, ElementType::kS32), {}));
      program_.SetAttribute(operands.back(), AttributeName::kIotaDimension, absl::StrCat(d));
      shapes.push_back(Retyped(windows, ElementType::kS32));
    }
    operands.insert(operands.end(), starts.begin(), starts.end());
    const InstructionId chosen = program_.Add(c_, Opcode::kReduceWindow, "reduce-window",
                                              layout::Shape::Tuple(shapes), operands);
    const auto window = program_.module().FindAttribute(id_, AttributeName::kWindow);
    program_.SetAttribute(chosen, AttributeName::kWindow, std::string(window.value_or("{}")));
    program_.SetCalled(chosen, {Chooser(&program_, select_, from.element_type(), rank_).Make()});
    CopyMetadata(chosen);
    return chosen;
  }

  DeviceProgram& program_;
  const InstructionId id_;
  const ComputationId c_;
  const int64_t rank_;
  const ComputationId select_, add_;
};

}  // namespace

absl::Status ExpandSelectAndScatters(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kSelectAndScatter || program.IsPinned(id)) continue;
    if (program.module().called(id).size() == 2) Expander(&program, id).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
