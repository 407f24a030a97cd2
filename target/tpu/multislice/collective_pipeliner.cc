// collective-pipeliner-forward: a loop sums between slices and stacks the result; the sum runs beside the
// next trip.
//
//   loop of 8 trips:  s = stack[i] <- all-reduce(x), groups {0,4}       s is read only after the loop
//   ->  x0 = the first trip in front of the loop, without the sum
//       loop of 7 trips:  stack[i-1] <- all-reduce(x of the trip before), x to the next trip
//       stack[7] <- all-reduce(x of the last trip)
//
// Between the sum and the stack are only other collectives and ops that move elements, at places that no trip changes.
// They go with it (stacked_sums.h). So the loop's collectives run once in front of it and seven times in it. Those that
// move run seven times in it and once after it. Found in dumps of the compiler for 14 training steps with loops; XLA
// has a pass of this name. Cost: linear in the bodies. Tested by ../multislice_test.cc.

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/loops/loop_match.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/multislice/stacked_sums.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

class LoopPipeliner {
 public:
  LoopPipeliner(Context& context, const CarriedLoop& loop, const Counter& counter,
                std::vector<StackedSum> sums)
      : context_(context),
        program_(context.program),
        loop_(loop),
        counter_(counter),
        sums_(std::move(sums)),
        parent_(program_.computation(loop.loop)),
        body_(program_.computation(loop.root)),
        elements_(program_.operands(loop.root).size()) {}

  void Run() {
    const std::vector<InstructionId> readers = program_.Users(loop_.loop);
    const layout::Shape shape = program_.shape(loop_.loop);
    RunFirstTrip();
    ChangeBody();
    Connect(readers, shape, ElementsAfter());
  }

 private:
  // In front of the loop. What a trip hands to the next one stands after the elements of the tuple.
  void RunFirstTrip() {
    const InstructionId old_start = loop_.start;
    clones_ = CloneInstructions(program_, body_, parent_, {old_start});
    for (const InstructionId id : program_.PostOrder(body_)) {
      if (IsCollective(program_.opcode(id))) TakePlace(id, clones_[id]);
    }
    std::vector<InstructionId> next;
    for (const InstructionId id : program_.operands(loop_.root)) next.push_back(clones_[id]);
    next[counter_.element] = program_.AddConstant(
        parent_, program_.shape(program_.operand(old_start, counter_.element)), "1");
    for (const StackedSum& sum : sums_) {
      next[sum.element] = program_.operand(old_start, sum.element);
    }
    for (const InstructionId id : HandedOver()) next.push_back(clones_[id]);
    loop_.start = AddTuple(parent_, next);
    program_.RemoveDead(clones_[loop_.root]);
  }

  std::vector<InstructionId> HandedOver() const {
    std::vector<InstructionId> ids;
    for (const StackedSum& sum : sums_) {
      ids.push_back(program_.operand(sum.sum(), 0));
      for (const size_t k : sum.indices) ids.push_back(program_.operand(sum.update, k));
    }
    return ids;
  }

  InstructionId AddTuple(ComputationId computation, const std::vector<InstructionId>& elements) {
    std::vector<layout::Shape> shapes;
    for (const InstructionId id : elements) shapes.push_back(program_.shape(id));
    return program_.Add(computation, Opcode::kTuple, "tuple", layout::Shape::Tuple(shapes),
                        elements);
  }

  void ChangeBody() {
    std::vector<InstructionId> next(program_.operands(loop_.root).begin(),
                                    program_.operands(loop_.root).end());
    const std::vector<InstructionId> handed = HandedOver();
    next.insert(next.end(), handed.begin(), handed.end());
    const layout::Shape shape = program_.shape(loop_.start);
    for (const InstructionId id : {loop_.parameter, loop_.of_condition, loop_.loop}) {
      program_.SetShape(id, shape);
    }
    program_.SetOperand(loop_.loop, 0, loop_.start);
    program_.RemoveAttribute(loop_.loop, hlo::AttributeName::kBackendConfig);
    int64_t element = static_cast<int64_t>(elements_);
    for (const StackedSum& sum : sums_) {
      program_.SetOperand(sum.sum(), 0, program_.AddGetTupleElement(loop_.parameter, element++));
      for (const size_t k : sum.indices) {
        program_.SetOperand(sum.update, k, program_.AddGetTupleElement(loop_.parameter, element++));
      }
    }
    const InstructionId old_root = loop_.root;
    loop_.root = AddTuple(body_, next);
    program_.SetRoot(body_, loop_.root);
    program_.RemoveDead(old_root);
  }

  // The results of the loop, with the sums of the last trip.
  std::vector<InstructionId> ElementsAfter() {
    std::vector<InstructionId> after;
    for (size_t k = 0; k < elements_; ++k) after.push_back(Element(k));
    size_t handed = elements_;
    for (const StackedSum& sum : sums_) {
      InstructionId value = Element(handed++);
      for (const InstructionId id : sum.path) value = CloneAfter(id, value);
      const auto& old = program_.operands(sum.update);
      std::vector<InstructionId> operands(old.begin(), old.end());
      operands[0] = after[sum.element];
      operands[1] = value;
      for (size_t k = 2; k < operands.size(); ++k) {
        operands[k] =
            absl::c_linear_search(sum.indices, k) ? Element(handed++) : OfDeviceAfter(operands[k]);
      }
      after[sum.element] = program_.CloneInto(parent_, sum.update, operands);
    }
    return after;
  }

  InstructionId Element(size_t k) {
    return program_.AddGetTupleElement(loop_.loop, static_cast<int64_t>(k));
  }

  InstructionId CloneAfter(InstructionId id, InstructionId value) {
    std::vector<InstructionId> operands = {value};
    for (const InstructionId operand : program_.operands(id).subspan(1)) {
      operands.push_back(OfDeviceAfter(operand));
    }
    const InstructionId clone = program_.CloneInto(parent_, id, operands);
    if (IsCollective(program_.opcode(id))) TakePlace(id, clone);
    return clone;
  }

  // As a collective of its own.
  void TakePlace(InstructionId id, InstructionId clone) {
    context_.origins.Copy(id, clone);
    RenewChannel(context_, clone);
  }

  // What IsOfDevice(), which the first trip has too.
  InstructionId OfDeviceAfter(InstructionId id) {
    if (const auto known = clones_.find(id);
        known != clones_.end() && !program_.IsRemoved(known->second)) {
      return known->second;
    }
    std::vector<InstructionId> operands;
    for (const InstructionId operand : program_.operands(id)) {
      operands.push_back(OfDeviceAfter(operand));
    }
    return clones_[id] = program_.CloneInto(parent_, id, operands);
  }

  // Readers of the loop read its results and those of the last sums.
  void Connect(const std::vector<InstructionId>& readers, const layout::Shape& shape,
               const std::vector<InstructionId>& after) {
    const InstructionId tuple = program_.Add(parent_, Opcode::kTuple, "tuple", shape, after);
    for (const InstructionId reader : readers) program_.ReplaceOperand(reader, loop_.loop, tuple);
    if (program_.IsRoot(loop_.loop)) program_.SetRoot(parent_, tuple);
    program_.RemoveDead(tuple);
  }

  Context& context_;
  DeviceProgram& program_;
  CarriedLoop loop_;
  const Counter counter_;
  const std::vector<StackedSum> sums_;
  const ComputationId parent_, body_;
  const size_t elements_;
  absl::flat_hash_map<InstructionId, InstructionId> clones_;  // of the body
};

absl::StatusOr<bool> PipelineLoop(Context& context, InstructionId id) {
  DeviceProgram& program = context.program;
  const auto loop = FindLoop(program, id);
  if (!loop.has_value()) return false;
  const auto counter = FindCounter(program, *loop);
  if (!counter.has_value() || counter->trips < 2) return false;
  std::vector<StackedSum> sums;
  const std::vector<InstructionId> order = program.PostOrder(program.computation(loop->root));
  for (const InstructionId sum : order) {
    if (program.IsPinned(sum)) return false;
    if (program.opcode(sum) != Opcode::kAllReduce || !program.shape(sum).is_array()) continue;
    TESSERA_ASSIGN_OR_RETURN(const bool spans_slices, SpansSlices(context, sum));
    if (!spans_slices) continue;
    auto found = FindStackedSum(program, *loop, sum);
    if (found.has_value()) sums.push_back(*std::move(found));
  }
  if (sums.empty()) return false;
  LoopPipeliner(context, *loop, *counter, std::move(sums)).Run();
  return true;
}

}  // namespace

absl::Status PipelineCrossSliceSums(Context& context) {
  DeviceProgram& program = context.program;
  if (context.target.slices == 1) return absl::OkStatus();
  const std::vector<int> callers = CallerCounts(program);
  bool has_changed = false;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (const InstructionId id : order) {
      if (program.opcode(id) != Opcode::kWhile || program.IsPinned(id)) continue;
      if (!HasOwnBody(program, callers, id)) continue;
      TESSERA_ASSIGN_OR_RETURN(const bool is_pipelined, PipelineLoop(context, id));
      has_changed |= is_pipelined;
    }
  }
  return has_changed ? SimplifyTuples(context) : absl::OkStatus();
}

}  // namespace tessera::target
