// scatter_simplifier: scatters with one dimension of indices and whole windows.
//
//   y = f32[1000,64] scatter(x, i: s32[4,16,1], u: f32[4,16,64]), inserted_window_dims={0}, ..
//   ->  y = scatter(x, reshape(i): s32[64,1], reshape(u): f32[64,1,64]), inserted_window_dims={}, ..
//
// The updates are transposed first where a window stands in front of a dimension of the indices. So a layout that the
// updates have goes no further, as the reshape stops it. XLA also transposes an array whose only indexed dimension is not the
// first one; such scatters are left alone here.
//
// Cost: linear in the instructions. Tested by scatters_test.cc and recorded_passes_test.cc.

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/gpu/scatters/scatter_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

class ScatterSimplifier {
 public:
  ScatterSimplifier(DeviceProgram& program, InstructionId scatter)
      : program_(program),
        scatter_(scatter),
        arrays_(program.operands(scatter).size() / 2),
        dims_(hlo::GetScatterDimensions(program.module(), scatter)) {}

  bool CanRun() const {
    const IntList& indexed = dims_.scatter_dims_to_operand_dims;
    const bool is_led = indexed.size() > 1 || indexed == IntList({0});
    return is_led && absl::c_is_sorted(indexed) && !IsSimple() &&
           dims_.index_vector_dim + 1 >= Indices().rank();
  }

  void Run() {
    std::vector<InstructionId> operands(program_.operands(scatter_).begin(),
                                        program_.operands(scatter_).end());
    const int64_t count = Count();
    const IntList sizes = {count, static_cast<int64_t>(dims_.scatter_dims_to_operand_dims.size())};
    operands[arrays_] = ReshapeTo(program_, operands[arrays_], Resized(Indices(), sizes));
    for (size_t k = arrays_ + 1; k < operands.size(); ++k) {
      operands[k] = WholeWindows(operands[k], count);
    }
    program_.SetOperands(scatter_, operands);
    program_.SetAttribute(scatter_, AttributeName::kUpdateWindowDims,
                          hlo::PrintInts(WindowDimensions()));
    program_.SetAttribute(scatter_, AttributeName::kInsertedWindowDims, hlo::PrintInts({}));
    program_.SetAttribute(scatter_, AttributeName::kIndexVectorDim, "1");
  }

 private:
  const layout::Shape& Indices() const {
    return program_.shape(program_.operand(scatter_, arrays_));
  }

  // After the one dimension of the indices.
  IntList WindowDimensions() const {
    IntList dimensions(dims_.update_window_dims.size() + dims_.inserted_window_dims.size());
    absl::c_iota(dimensions, 1);
    return dimensions;
  }

  bool IsSimple() const {
    return Indices().rank() == 2 && dims_.index_vector_dim == 1 &&
           dims_.inserted_window_dims.empty() && dims_.update_window_dims == WindowDimensions();
  }

  int64_t Count() const {
    int64_t count = 1;
    for (int64_t d = 0; d < Indices().rank(); ++d) {
      count *= d == dims_.index_vector_dim ? 1 : Indices().dim(d);
    }
    return count;
  }

  InstructionId WholeWindows(InstructionId updates, int64_t count) {
    const IntList& window = dims_.update_window_dims;
    IntList order;
    for (int64_t d = 0; d < program_.shape(updates).rank(); ++d) {
      if (!absl::c_linear_search(window, d)) order.push_back(d);
    }
    order.insert(order.end(), window.begin(), window.end());
    const layout::Shape shape = program_.shape(updates);
    IntList sizes = {count};
    for (const int64_t d : window) sizes.push_back(shape.dim(d));
    const InstructionId windows =
        ReshapeTo(program_, TransposeTo(program_, updates, order), Resized(shape, sizes));
    for (const int64_t d : dims_.inserted_window_dims) sizes.insert(sizes.begin() + 1 + d, 1);
    return ReshapeTo(program_, windows, Resized(shape, sizes));
  }

  DeviceProgram& program_;
  const InstructionId scatter_;
  const size_t arrays_;  // what is scattered into; the indices stand after
  const hlo::ScatterDimensions dims_;
};

}  // namespace

absl::Status SimplifyScatters(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kScatter) continue;
    ScatterSimplifier simplifier(program, id);
    if (simplifier.CanRun()) simplifier.Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
