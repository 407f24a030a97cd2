// scatter(x: f32[16,32], i: s32[1], u: f32[32]), one window
//   ->  dynamic-update-slice(x, u: f32[1,32], i, 0)
//
// The window is what stands there, changed by the combiner; where it is not wholly inside of x,
// nothing changes:
//
//   old = dynamic-slice(x, i, 0);  new = select(0 <= i & i <= 15, combiner(old, u), old)

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/simplify/parts.h"
#include "tessera/target/simplify/rules.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;
using layout::ElementType;

class Window {
 public:
  Window(DeviceProgram* program, InstructionId scatter)
      : program_(*program), scatter_(scatter), c_(program->computation(scatter)) {}

  InstructionId Update() {
    if (!IsOne() || !FindCombiner()) return kNoId;
    const layout::Shape whole = Plain(scatter_);
    const InstructionId x = program_.operand(scatter_, 0), given = program_.operand(scatter_, 2);
    const InstructionId update = ReshapeTo(program_, given, Resized(Plain(given), Sizes()));
    const std::vector<InstructionId> starts = Starts(whole);
    const InstructionId is_inside = IsInside(starts, whole, program_.shape(update));
    const InstructionId fresh = Changed(x, update, starts, is_inside);
    std::vector<InstructionId> operands = {x, fresh};
    operands.insert(operands.end(), starts.begin(), starts.end());
    return program_.Add(c_, Opcode::kDynamicUpdateSlice, "dynamic-update-slice", whole, operands);
  }

 private:
  IntList Ints(AttributeName name) const {
    return hlo::GetInts(program_.module(), scatter_, name).value_or(IntList());
  }

  layout::Shape Plain(InstructionId id) const {
    return Resized(program_.shape(id), program_.shape(id).dims());
  }

  bool IsOne() const {
    if (program_.operands(scatter_).size() != 3 || !program_.shape(scatter_).is_array()) {
      return false;
    }
    const layout::Shape& indices = program_.shape(program_.operand(scatter_, 1));
    const int64_t vector =
        hlo::GetInt(program_.module(), scatter_, AttributeName::kIndexVectorDim).value_or(0);
    const int64_t length = vector < indices.rank() ? indices.dim(vector) : 1;
    return Ints(AttributeName::kInputBatchingDims).empty() && indices.NumElements() == length &&
           length > 0;
  }

  // The update itself, or an operation on both.
  bool FindCombiner() {
    if (program_.module().called(scatter_).size() != 1) return false;
    const ComputationId called = program_.module().called(scatter_)[0];
    const InstructionId root = program_.module().computation(called).root;
    is_replaced_ = program_.opcode(root) == Opcode::kParameter &&
                   program_.module().instruction(root).parameter_number == 1;
    step_ = OnlyStep(program_, scatter_);
    return is_replaced_ || step_.has_value();
  }

  // Of the window, in the dimensions of x.
  IntList Sizes() const {
    const layout::Shape& update = program_.shape(program_.operand(scatter_, 2));
    const IntList inserted = Ints(AttributeName::kInsertedWindowDims),
                  windows = Ints(AttributeName::kUpdateWindowDims);
    IntList sizes;
    size_t next = 0;
    for (int64_t d = 0; d < program_.shape(scatter_).rank(); ++d) {
      sizes.push_back(absl::c_linear_search(inserted, d) ? 1 : update.dim(windows[next++]));
    }
    return sizes;
  }

  // A scalar for each dimension of x.
  std::vector<InstructionId> Starts(const layout::Shape& whole) {
    const InstructionId indices = program_.operand(scatter_, 1);
    const layout::Shape scalar = Resized(Plain(indices), {});
    const IntList indexed = Ints(AttributeName::kScatterDimsToOperandDims);
    const auto count = static_cast<int64_t>(indexed.size());
    const InstructionId vector = ReshapeTo(program_, indices, Resized(scalar, {count}));
    std::vector<InstructionId> starts(static_cast<size_t>(whole.rank()), kNoId);
    for (int64_t k = 0; k < count; ++k) {
      const auto d = static_cast<size_t>(indexed[static_cast<size_t>(k)]);
      starts[d] = ReshapeTo(program_, count == 1 ? vector : ElementOf(vector, k), scalar);
    }
    for (InstructionId& start : starts) {
      if (start == kNoId) start = program_.AddConstant(c_, scalar, "0");
    }
    return starts;
  }

  InstructionId ElementOf(InstructionId vector, int64_t k) {
    const InstructionId slice = AddSlice(program_, vector, {1});
    program_.SetAttribute(slice, AttributeName::kSlice, absl::StrCat("{[", k, ":", k + 1, "]}"));
    return slice;
  }

  // pred[].
  InstructionId IsInside(const std::vector<InstructionId>& starts, const layout::Shape& whole,
                         const layout::Shape& window) {
    InstructionId all = kNoId;
    for (const int64_t d : Ints(AttributeName::kScatterDimsToOperandDims)) {
      const int64_t room = whole.dim(d) - window.dim(d);
      const InstructionId start = starts[static_cast<size_t>(d)];
      all = And(all, Compare(start, "GE", 0));
      all = And(all, Compare(start, "LE", room));
    }
    return all;
  }

  InstructionId Compare(InstructionId start, absl::string_view direction, int64_t bound) {
    const layout::Shape shape = Plain(start);
    const InstructionId limit = program_.AddConstant(c_, shape, absl::StrCat(bound));
    const InstructionId is_so = program_.Add(c_, Opcode::kCompare, "compare",
                                             Retyped(shape, ElementType::kPred), {start, limit});
    program_.SetAttribute(is_so, AttributeName::kDirection, direction);
    return is_so;
  }

  InstructionId And(InstructionId a, InstructionId b) {
    return a == kNoId ? b : program_.Add(c_, Opcode::kAnd, "and", Plain(b), {a, b});
  }

  InstructionId Changed(InstructionId x, InstructionId update,
                        const std::vector<InstructionId>& starts, InstructionId is_inside) {
    const layout::Shape shape = Plain(update);
    const InstructionId old = AddDynamicSlice(program_, x, starts, shape);
    const InstructionId fresh =
        is_replaced_ ? update : program_.Add(c_, *step_, "combined", shape, {old, update});
    const InstructionId mask =
        AddBroadcast(program_, is_inside, Retyped(shape, ElementType::kPred), {});
    return program_.Add(c_, Opcode::kSelect, "select", shape, {mask, fresh, old});
  }

  DeviceProgram& program_;
  const InstructionId scatter_;
  const ComputationId c_;
  bool is_replaced_ = false;
  std::optional<Opcode> step_;
};

}  // namespace

InstructionId UpdateInPlaceOfScatter(DeviceProgram& program, InstructionId scatter) {
  return Window(&program, scatter).Update();
}

}  // namespace tessera::target
