// The kernel of an op family: a function from the values of the operands to the value of the
// result.
//
//   absl::StatusOr<Value> Reverse(const Op& op) {
//     ...
//     return Gathered(op, 0, [&](const ZPoint& o) { ... index of operand 0 ... });
//   }
//
// A kernel computes the cells that are asked for (Op::ForEachAsked), each from the cells that it
// needs and no others: the guards of its operands see every read (cell_array.h). Kernels that run
// whole computations (RunsComputations) may compute everything.
#ifndef TESSERA_TESTING_EVALUATOR_KERNEL_H_
#define TESSERA_TESTING_EVALUATOR_KERNEL_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/set/split.h"
#include "tessera/testing/evaluator/interpreter.h"
#include "tessera/testing/evaluator/value.h"

namespace tessera::testing::evaluator {

using hlo::AttributeName;
using hlo::IntList;
using hlo::Opcode;
using projection::EvenPart;

struct Op {
  Interpreter& interpreter;
  const hlo::Module& module;
  hlo::InstructionId id;
  Values operands;
  const Part* part = nullptr;  // null: all of the result

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

  // The cells to compute, of a result array of these dimensions.
  ZRange Asked(const ZPoint& dims) const {
    return part == nullptr ? ZRange::FromShape(dims) : part->block;
  }
  // The same along one dimension.
  EvenPart AskedAlong(const ZPoint& dims, int dim) const {
    const ZRange asked = Asked(dims);
    return {asked.start()[dim], asked.end()[dim]};
  }
  // f(position, index) for each of them, in row-major order.
  template <typename F>
  void ForEachAsked(const ZPoint& dims, F f) const {
    const ZRange asked = Asked(dims);
    const int last = dims.rank() - 1;
    int64_t place = 0;
    projection::ForEachCell(asked, [&](const ZPoint& at) {
      if (last < 0 || at[last] == asked.start()[last]) place = LinearOf(at, dims);
      f(place++, at);
      return true;
    });
  }
  // f(position) for each of them.
  template <typename F>
  void ForEachPosition(const ZPoint& dims, F f) const {
    if (part != nullptr) return ForEachAsked(dims, [&](int64_t i, const ZPoint&) { f(i); });
    int64_t size = 1;
    for (int64_t d : dims) size *= d;
    for (int64_t i = 0; i < size; ++i) f(i);
  }
};

using Kernel = absl::StatusOr<Value> (*)(const Op& op);

// Null for opcodes that mean nothing here.
Kernel KernelOf(Opcode opcode);
// Kernels that run a computation on whole arrays: call, fusion, while, ..
bool RunsComputations(Opcode opcode);

// A custom call that nobody here knows: its result is made up from all cells of its operands.
bool IsScrambled(const hlo::Module& module, hlo::InstructionId id);

// `count` rows of `in` from row `from` on, to row `to` on of `out`; what lies outside is left out.
void MoveRaggedRows(const Array& in, int64_t from, int64_t count, int64_t to, Array* out);

// The branch of `branches` that a conditional takes.
int64_t BranchOf(const Array& index, int64_t branches);

// The coordinate of cell `linear` of an array of these dimensions.
ZPoint IndexOf(int64_t linear, const ZPoint& dims);
// Part of a point: result[i] = p[which[i]].
ZPoint Pick(const ZPoint& p, const IntList& which);
// 0..rank-1 without `taken`, ascending.
IntList Others(int rank, const IntList& taken);
bool Contains(const IntList& list, int64_t value);

// Of an operation that mixes the last `minor` dimensions: the numbers of the others' cells, row
// major, that the asked part meets; and the cells of one of them.
std::vector<int64_t> AskedBatches(const Op& op, const ZPoint& dims, int minor);
Array BatchOf(const Array& a, int64_t batch, int minor);

// The result whose cell at `o` is the cell of operand `k` at source(o).
template <typename Source>
Value Gathered(const Op& op, int k, Source source) {
  Array out = op.Out();
  Cell* cells = out.cells.Data();
  op.ForEachAsked(out.dims, [&](int64_t i, const ZPoint& o) { cells[i] = op.in(k).At(source(o)); });
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
absl::StatusOr<Value> Bitcast(const Op& op);      // bitcast.cc

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
absl::StatusOr<Value> TopK(const Op& op);                // top_k.cc
absl::StatusOr<Value> ApproxTopK(const Op& op);          // top_k.cc
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
absl::StatusOr<Value> StartCopy(const Op& op);     // transfer.cc
absl::StatusOr<Value> Done(const Op& op);          // transfer.cc
absl::StatusOr<Value> Send(const Op& op);          // transfer.cc
absl::StatusOr<Value> ReceiveDone(const Op& op);   // transfer.cc
absl::StatusOr<Value> Zero(const Op& op);  // transfer.cc: tokens, ids of the one device, infeed
absl::StatusOr<Value> Collective(const Op& op);       // collectives.cc
absl::StatusOr<Value> CollectiveStart(const Op& op);  // collectives.cc
absl::StatusOr<Value> RaggedAllToAll(const Op& op);   // collectives.cc
absl::StatusOr<Value> CustomCall(const Op& op);       // custom_call.cc

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_KERNEL_H_
