// while-loop-all-reduce-code-motion: a sum over devices in each trip of a loop is done after the
// loop, once.
//
// 1. Results that the loop stacks (loop_stacking.cc): the body stacks what each device has, and the
//    stack is summed after the loop. Of any reduction, up to a number of bytes.
//      body: b' = dynamic-update-slice(b: f32[5,4,16], all-reduce(g: f32[1,4,16]), i, 0, 0)
//      ->  after the loop: f32[5,4,16] all-reduce
// 2. Sums that the loop adds up (loop_accumulation.cc): the body adds what each device has, beginning
//    at 0; after the loop that is summed and added to what the loop began with. Of sums of numbers.
//      body: a' = add(a, all-reduce(g: f32[1024,4096]))
//      ->  after the loop: add(start of a, f32[1024,4096] all-reduce)
// The sum after the loop has the shape of the element, or of the part that is filled, and the type of
// the all-reduce. Of what is added up, on TPUs, it has the type of the element.
//
// Inner loops come first, so that what leaves one may leave the next. Reduce-scatters stay, as XLA
// leaves them by default. Tested by gpu/recorded_passes_test.cc and tpu/tpu_passes_test.cc.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"

namespace tessera::target {
namespace {

constexpr char kWhileLoopAllReduceCodeMotion[] = "while-loop-all-reduce-code-motion";

bool IsNumber(layout::ElementType type) {
  return layout::IsInteger(type) || type == layout::ElementType::kBf16 ||
         type == layout::ElementType::kF16 || type == layout::ElementType::kF32 ||
         type == layout::ElementType::kF64;
}

class Mover {
 public:
  Mover(Context* context, const Replication& replication, bool is_summed_as_element,
        const CarriedLoop& loop)
      : context_(*context),
        program_(context->program),
        replication_(replication),
        is_summed_as_element_(is_summed_as_element),
        loop_(loop) {}

  // True if something has moved.
  bool Run() {
    const std::vector<InstructionId> order = program_.PostOrder(program_.computation(loop_.root));
    for (const InstructionId id : order) {
      const bool is_sum = program_.opcode(id) == Opcode::kAllReduce &&
                          program_.operands(id).size() == 1 && !program_.IsPinned(id);
      if (is_sum && ReductionOf(program_, id).has_value()) Try(id);
    }
    return !elements_.empty();
  }

  // Readers of the loop read the results of the sums.
  void ReplaceLoop() {
    for (size_t k = 0; k < elements_.size(); ++k) {
      if (elements_[k] == kNoId) {
        elements_[k] = program_.AddGetTupleElement(loop_.loop, static_cast<int64_t>(k));
      }
    }
    const std::vector<InstructionId> own = ReadersAfter();
    const InstructionId tuple = program_.Add(program_.computation(loop_.loop), Opcode::kTuple,
                                             "tuple", program_.shape(loop_.loop), elements_);
    program_.ReplaceUses(loop_.loop, tuple);
    for (const InstructionId reader : own) program_.SetOperand(reader, 0, loop_.loop);
    ReadPast(tuple);
  }

 private:
  void Try(InstructionId all_reduce) {
    if (!counter_is_known_) counter_ = FindCounter(program_, loop_);
    counter_is_known_ = true;
    const auto stacking = counter_.has_value()
                              ? FindStacking(program_, loop_, *counter_, all_reduce,
                                             context_.flags.all_reduce_dus_code_motion_max_bytes)
                              : std::nullopt;
    if (stacking.has_value() && !HasMoved(stacking->element)) return Unstack(all_reduce, *stacking);
    if (ReductionOf(program_, all_reduce) != Opcode::kAdd ||
        !IsNumber(program_.shape(all_reduce).element_type())) {
      return;
    }
    const auto found = FindAccumulations(program_, replication_, loop_, all_reduce);
    if (!found.has_value()) return;
    for (const size_t element : found->elements) {
      if (HasMoved(element)) return;
    }
    Accumulate(all_reduce, *found);
  }

  bool HasMoved(size_t element) const { return !elements_.empty() && elements_[element] != kNoId; }

  void Unstack(InstructionId all_reduce, const Stacking& stacking) {
    DropFromBody(all_reduce);
    const InstructionId after = Element(stacking.element);
    const bool is_whole = program_.shape(after).WithoutLayout() == stacking.region;
    const InstructionId part = is_whole ? after : Region(after, stacking);
    const layout::ElementType type = program_.shape(all_reduce).element_type();
    const InstructionId sum = Converted(SumAfter(all_reduce, Converted(part, type)),
                                        program_.shape(after).element_type());
    elements_[stacking.element] = is_whole ? sum : Update(after, sum, stacking);
  }

  void Accumulate(InstructionId all_reduce, const Accumulations& found) {
    layout::ElementType type = program_.shape(all_reduce).element_type();
    DropFromBody(all_reduce);
    for (const size_t element : found.elements) {
      const InstructionId start = program_.operand(loop_.start, element);
      const InstructionId after = Element(element);
      if (is_summed_as_element_) type = program_.shape(after).element_type();
      const InstructionId sum = Converted(SumAfter(all_reduce, Converted(after, type)),
                                          program_.shape(after).element_type());
      elements_[element] = program_.Add(program_.computation(loop_.loop), Opcode::kAdd, "add",
                                        program_.shape(after), {start, sum});
      BeginAtZero(element);
    }
  }

  void DropFromBody(InstructionId all_reduce) {
    program_.ReplaceUses(all_reduce, program_.operand(all_reduce, 0));
    program_.RemoveDead(all_reduce);
  }

  // An element of the loop's result; its readers read elements_ in the end.
  InstructionId Element(size_t element) {
    if (elements_.empty()) elements_.resize(program_.operands(loop_.root).size(), kNoId);
    return program_.AddGetTupleElement(loop_.loop, static_cast<int64_t>(element));
  }

  InstructionId SumAfter(InstructionId all_reduce, InstructionId operand) {
    const InstructionId sum = program_.Add(program_.computation(operand), Opcode::kAllReduce,
                                           "all-reduce", program_.shape(operand), {operand});
    CopyCollectiveAttributes(context_, all_reduce, sum);
    if (program_.shape(operand).element_type() != program_.shape(all_reduce).element_type()) {
      SetReducer(context_.program, sum, *ReductionOf(program_, all_reduce));
    }
    context_.origins.Set(kWhileLoopAllReduceCodeMotion, program_, sum, {all_reduce});
    return sum;
  }

  InstructionId Converted(InstructionId id, layout::ElementType type) {
    return program_.shape(id).element_type() == type ? id : AddConvert(program_, id, type);
  }

  InstructionId Region(InstructionId whole, const Stacking& stacking) {
    const InstructionId slice = AddSlice(program_, whole, stacking.region.dims());
    std::vector<std::string> ranges;
    for (size_t d = 0; d < stacking.offsets.size(); ++d) {
      const int64_t begin = stacking.offsets[d];
      ranges.push_back(
          absl::StrCat("[", begin, ":", begin + stacking.region.dim(static_cast<int64_t>(d)), "]"));
    }
    program_.SetAttribute(slice, hlo::AttributeName::kSlice,
                          absl::StrCat("{", absl::StrJoin(ranges, ", "), "}"));
    return slice;
  }

  InstructionId Update(InstructionId whole, InstructionId part, const Stacking& stacking) {
    const ComputationId c = program_.computation(whole);
    const layout::Shape index = layout::Shape::Array(layout::ElementType::kS32, {});
    std::vector<InstructionId> operands = {whole, part};
    for (const int64_t offset : stacking.offsets) {
      operands.push_back(program_.AddConstant(c, index, absl::StrCat(offset)));
    }
    return program_.Add(c, Opcode::kDynamicUpdateSlice, "dynamic-update-slice",
                        program_.shape(whole), operands);
  }

  void BeginAtZero(size_t element) {
    const InstructionId before = program_.operand(loop_.start, element);
    const InstructionId zero =
        program_.AddConstant(program_.computation(loop_.loop), program_.shape(before), "0");
    std::vector<InstructionId> starts(program_.operands(loop_.start).begin(),
                                      program_.operands(loop_.start).end());
    starts[element] = zero;
    const InstructionId tuple = program_.Clone(loop_.start, starts, program_.shape(loop_.start));
    program_.SetOperand(loop_.loop, 0, tuple);
    program_.RemoveDead(loop_.start);
    loop_.start = tuple;
  }

  // Get-tuple-elements of `tuple` read its operands: an outer loop looks for the sums there.
  void ReadPast(InstructionId tuple) {
    const auto users = program_.Users(tuple);
    const std::vector<InstructionId> readers(users.begin(), users.end());
    for (const InstructionId reader : readers) {
      if (program_.opcode(reader) != Opcode::kGetTupleElement) continue;
      const auto k = static_cast<size_t>(hlo::GetTupleIndex(program_.module(), reader));
      program_.ReplaceUses(reader, elements_[k]);
      program_.RemoveDead(reader);
    }
  }

  // The get-tuple-elements that were added here.
  std::vector<InstructionId> ReadersAfter() const {
    std::vector<InstructionId> added;
    for (const InstructionId user : program_.Users(loop_.loop)) {
      if (user >= first_added_) added.push_back(user);
    }
    return added;
  }

  Context& context_;
  DeviceProgram& program_;
  const Replication& replication_;
  const bool is_summed_as_element_;
  CarriedLoop loop_;
  const InstructionId first_added_ =
      static_cast<InstructionId>(program_.module().num_instructions());
  bool counter_is_known_ = false;
  std::optional<Counter> counter_;
  std::vector<InstructionId> elements_;  // by element of the loop; kNoId: as the loop leaves it
};

absl::Status MoveSumsOutOfLoops(Context& context, bool is_summed_as_element) {
  DeviceProgram& program = context.program;
  const std::vector<ComputationId> computations = program.Computations();
  const std::vector<int> callers = CallerCounts(program);
  const Replication replication(program);  // loops stay, whatever moves
  bool has_moved = false;
  for (const ComputationId c : computations) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) continue;
      const auto loop = FindLoop(program, id);
      if (!HasOwnBody(program, callers, id) || !loop.has_value()) continue;
      Mover mover(&context, replication, is_summed_as_element, *loop);
      if (!mover.Run()) continue;
      mover.ReplaceLoop();
      has_moved = true;
    }
  }
  return has_moved ? SimplifyTuples(context) : absl::OkStatus();
}

}  // namespace

absl::Status MoveAllReducesOutOfLoops(Context& context) {
  return MoveSumsOutOfLoops(context, /*is_summed_as_element=*/false);
}

absl::Status MoveAddedSumsOutOfLoops(Context& context) {
  return MoveSumsOutOfLoops(context, /*is_summed_as_element=*/true);
}

}  // namespace tessera::target
