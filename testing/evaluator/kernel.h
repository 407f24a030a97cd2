// File: testing/evaluator/kernel.h
//
// What computes an op family: a function from the values of the operands to the value of the
// result.
//
//   absl::StatusOr<Value> Reverse(const Op& op) {
//     ...
//     return Gathered(op, 0, [&](const ZPoint& o) { ... index of operand 0 ... });
//   }
#ifndef TESSERA_TESTING_EVALUATOR_KERNEL_H_
#define TESSERA_TESTING_EVALUATOR_KERNEL_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/testing/evaluator/interpreter.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

using hlo::AttributeName;
using hlo::IntList;
using hlo::Opcode;

struct Op {
  Interpreter& interpreter;
  const hlo::Module& module;
  hlo::InstructionId id;
  Values operands;

  int num_operands() const { return static_cast<int>(operands.size()); }
  // Operand k, an array.
  const Array& in(int k) const { return operands[static_cast<size_t>(k)]->array; }
  Opcode opcode() const { return module.instruction(id).opcode; }
  const layout::Shape& shape() const { return module.shape(id); }
  Array Out() const { return MakeArray(shape()); }
  // Empty when the attribute is absent.
  IntList Ints(AttributeName name) const {
    return hlo::GetInts(module, id, name).value_or(IntList());
  }
  hlo::ComputationId called(size_t k = 0) const { return module.called(id)[k]; }
};

using Kernel = absl::StatusOr<Value> (*)(const Op& op);

// Null for opcodes that mean nothing here.
Kernel KernelOf(Opcode opcode);

// The coordinate of cell `linear` of an array of these dimensions.
ZPoint IndexOf(int64_t linear, const ZPoint& dims);
// Part of a point: result[i] = p[which[i]].
ZPoint Pick(const ZPoint& p, const IntList& which);
// 0..rank-1 without `taken`, ascending.
IntList Others(int rank, const IntList& taken);
bool Contains(const IntList& list, int64_t value);

// The result whose cell at `o` is the cell of operand `k` at source(o).
template <typename Source>
Value Gathered(const Op& op, int k, Source source) {
  Array out = op.Out();
  size_t next = 0;
  projection::ForEachCell(ZRange::FromShape(out.dims), [&](const ZPoint& o) {
    out.cells[next++] = op.in(k).At(source(o));
    return true;
  });
  return out;
}

// --- The kernels, one family a file --------------------------------------------------------------

absl::StatusOr<Value> Unary(const Op& op);              // unary.cc
absl::StatusOr<Value> Binary(const Op& op);             // binary.cc
absl::StatusOr<Value> Compare(const Op& op);            // compare.cc
absl::StatusOr<Value> Select(const Op& op);             // compare.cc
absl::StatusOr<Value> Clamp(const Op& op);              // compare.cc
absl::StatusOr<Value> Convert(const Op& op);            // convert.cc
absl::StatusOr<Value> BitcastConvert(const Op& op);     // convert.cc
absl::StatusOr<Value> ReducePrecision(const Op& op);    // convert.cc
absl::StatusOr<Value> StochasticConvert(const Op& op);  // convert.cc
absl::StatusOr<Value> Complex(const Op& op);            // convert.cc
absl::StatusOr<Value> Map(const Op& op);                // flow.cc

absl::StatusOr<Value> Constant(const Op& op);     // moving.cc
absl::StatusOr<Value> Iota(const Op& op);         // moving.cc
absl::StatusOr<Value> Broadcast(const Op& op);    // moving.cc
absl::StatusOr<Value> Transpose(const Op& op);    // moving.cc
absl::StatusOr<Value> Reverse(const Op& op);      // moving.cc
absl::StatusOr<Value> Slice(const Op& op);        // moving.cc
absl::StatusOr<Value> Pad(const Op& op);          // moving.cc
absl::StatusOr<Value> Concatenate(const Op& op);  // moving.cc
absl::StatusOr<Value> Reshape(const Op& op);      // moving.cc
absl::StatusOr<Value> Bitcast(const Op& op);      // moving.cc

absl::StatusOr<Value> DynamicSlice(const Op& op);        // dynamic.cc
absl::StatusOr<Value> DynamicUpdateSlice(const Op& op);  // dynamic.cc
absl::StatusOr<Value> GetDimensionSize(const Op& op);    // dynamic.cc
absl::StatusOr<Value> Gather(const Op& op);              // gather.cc
absl::StatusOr<Value> Scatter(const Op& op);             // scatter.cc

absl::StatusOr<Value> Dot(const Op& op);          // dot.cc
absl::StatusOr<Value> ScaledDot(const Op& op);    // dot_variants.cc
absl::StatusOr<Value> RaggedDot(const Op& op);    // dot_variants.cc
absl::StatusOr<Value> Convolution(const Op& op);  // convolution.cc

absl::StatusOr<Value> Reduce(const Op& op);            // reduce.cc
absl::StatusOr<Value> Scan(const Op& op);              // scan.cc
absl::StatusOr<Value> ReduceWindow(const Op& op);      // window.cc
absl::StatusOr<Value> SelectAndScatter(const Op& op);  // window.cc

absl::StatusOr<Value> Sort(const Op& op);                // sort.cc
absl::StatusOr<Value> TopK(const Op& op);                // sort.cc
absl::StatusOr<Value> Fft(const Op& op);                 // fft.cc
absl::StatusOr<Value> Cholesky(const Op& op);            // solve.cc
absl::StatusOr<Value> TriangularSolve(const Op& op);     // solve.cc
absl::StatusOr<Value> BatchNormInference(const Op& op);  // batch_norm.cc
absl::StatusOr<Value> BatchNormTraining(const Op& op);   // batch_norm.cc
absl::StatusOr<Value> BatchNormGrad(const Op& op);       // batch_norm.cc
absl::StatusOr<Value> Rng(const Op& op);                 // random.cc
absl::StatusOr<Value> RngBitGenerator(const Op& op);     // random.cc
absl::StatusOr<Value> RngState(const Op& op);            // random.cc

absl::StatusOr<Value> FirstOperand(const Op& op);  // flow.cc
absl::StatusOr<Value> Tuple(const Op& op);         // flow.cc
absl::StatusOr<Value> TupleElement(const Op& op);  // flow.cc
absl::StatusOr<Value> Call(const Op& op);          // flow.cc
absl::StatusOr<Value> While(const Op& op);         // flow.cc
absl::StatusOr<Value> Conditional(const Op& op);   // flow.cc
absl::StatusOr<Value> AsyncStart(const Op& op);    // flow.cc
absl::StatusOr<Value> StartCopy(const Op& op);     // flow.cc
absl::StatusOr<Value> Done(const Op& op);          // flow.cc
absl::StatusOr<Value> Zero(const Op& op);          // flow.cc: tokens, ids of the one device
absl::StatusOr<Value> Collective(const Op& op);    // collectives.cc
absl::StatusOr<Value> CustomCall(const Op& op);    // custom_call.cc

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_KERNEL_H_
