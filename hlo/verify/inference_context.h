// The view of an instruction for the functions of shape inference. Each function has the type Infer
// and stands in the table of shape_inference.cc.

#ifndef TESSERA_HLO_VERIFY_INFERENCE_CONTEXT_H_
#define TESSERA_HLO_VERIFY_INFERENCE_CONTEXT_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/verify/values_by_text.h"
#include "tessera/layout/shape.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

// The inferred shape: one of the module, which is not copied, or one that was made.
class InferredShape {
 public:
  InferredShape(const layout::Shape* known) : known_(known) {}     // NOLINT: a result
  InferredShape(layout::Shape&& made) : made_(std::move(made)) {}  // NOLINT: the same

  const layout::Shape& get() const { return known_ != nullptr ? *known_ : *made_; }
  layout::Shape Take() && { return known_ != nullptr ? *known_ : *std::move(made_); }

 private:
  const layout::Shape* known_ = nullptr;
  std::optional<layout::Shape> made_;
};

using ShapeOr = absl::StatusOr<InferredShape>;

// Values of convolutions beside their operands.
struct ConvolutionValues {
  ValuesByText<Window> windows;
  ValuesByText<std::optional<ConvolutionDimensions>> labels;
};

inline const layout::Shape& OperandShape(const Module& module, InstructionId id, size_t i) {
  return module.shape(module.operands(id)[i]);
}

inline IntList Joined(IntList a, const IntList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// As messages have it: f32[2,3], without a layout.
inline std::string ShapeText(const layout::Shape& shape) {
  return layout::ShapeToString(shape, layout::kNoLayout);
}

struct InferenceContext {
  const Module& module;
  InstructionId id;
  ConvolutionValues& convolutions;  // read before

  size_t count() const { return module.operands(id).size(); }
  const layout::Shape& operand(size_t i) const { return OperandShape(module, id, i); }
  IntList ints(AttributeName name) const { return GetInts(module, id, name).value_or(IntList()); }
  IntList dimensions() const { return ints(AttributeName::kDimensions); }
  // Of the i-th called computation: the shape of its root.
  const layout::Shape& callee_result(size_t i = 0) const {
    return module.shape(module.computation(module.called(id)[i]).root);
  }
  size_t callees() const { return module.called(id).size(); }
};

using Infer = ShapeOr (*)(const InferenceContext&);

// Null for opcodes whose shape does not follow from their operands.
Infer InferenceOf(Opcode opcode);

template <typename... Parts>
absl::Status Mismatch(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// `type` with the sizes and dynamic flags of `dims_of` and the default layout.
layout::Shape WithType(const layout::Shape& dims_of, layout::ElementType type);

// --- inference_elementwise.cc ---
ShapeOr InferSame(const InferenceContext& c);
ShapeOr InferUnary(const InferenceContext& c);
ShapeOr InferAbs(const InferenceContext& c);
ShapeOr InferIsFinite(const InferenceContext& c);
ShapeOr InferBinary(const InferenceContext& c);
ShapeOr InferCompare(const InferenceContext& c);
ShapeOr InferComplex(const InferenceContext& c);
ShapeOr InferClamp(const InferenceContext& c);
ShapeOr InferSelect(const InferenceContext& c);
ShapeOr InferMap(const InferenceContext& c);
ShapeOr InferBatchNormTraining(const InferenceContext& c);

// --- inference_dims.cc ---
ShapeOr InferBroadcast(const InferenceContext& c);
ShapeOr InferTranspose(const InferenceContext& c);
ShapeOr InferReverse(const InferenceContext& c);
ShapeOr InferConcatenate(const InferenceContext& c);
ShapeOr InferPad(const InferenceContext& c);
ShapeOr InferGather(const InferenceContext& c);
ShapeOr InferScatter(const InferenceContext& c);
ShapeOr InferGetDimensionSize(const InferenceContext& c);
ShapeOr InferSetDimensionSize(const InferenceContext& c);
ShapeOr InferReduce(const InferenceContext& c);
ShapeOr InferReduceWindow(const InferenceContext& c);
ShapeOr InferSort(const InferenceContext& c);
ShapeOr InferTopK(const InferenceContext& c);

// --- inference_contraction.cc ---
ShapeOr InferDot(const InferenceContext& c);
ShapeOr InferRaggedDot(const InferenceContext& c);
ShapeOr InferConvolution(const InferenceContext& c);
ShapeOr InferFft(const InferenceContext& c);
ShapeOr InferCholesky(const InferenceContext& c);
ShapeOr InferTriangularSolve(const InferenceContext& c);

// --- inference_structure.cc ---
ShapeOr InferTuple(const InferenceContext& c);
ShapeOr InferGetTupleElement(const InferenceContext& c);
ShapeOr InferCall(const InferenceContext& c);
ShapeOr InferWhile(const InferenceContext& c);
ShapeOr InferScan(const InferenceContext& c);
ShapeOr InferToken(const InferenceContext& c);
ShapeOr InferId(const InferenceContext& c);

// Whether the instruction has the shape that InferTuple would make.
bool IsTupleOfOperands(const InferenceContext& c);

// Every entry in [0, rank), none twice, of one list or of two together.
bool AreDistinct(const IntList& dims, int64_t rank);
bool AreDistinct(const IntList& dims, const IntList& more, int64_t rank);

// Size of one dimension of a window's result; nullopt when the numbers make no sense.
std::optional<int64_t> WindowedSize(int64_t size, const WindowDimension& w);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VERIFY_INFERENCE_CONTEXT_H_
