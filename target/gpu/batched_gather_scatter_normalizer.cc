// batched_gather_scatter_normalizer: gathers and scatters have no batching dimensions.
//
//   g = f32[8,1] gather(x: f32[8,16], i: s32[8,1,1]), operand_batching_dims={0}, index_vector_dim=2, ..
//   ->  g = f32[8,1] gather(x, concatenate(iota over dimension 0, i) of s32[8,1,2]), start_index_map={0,1}, ..
//
// The place in a batching dimension is one more number of each index.
//
// Cost: linear in the instructions. Tested by recorded_passes_test.cc.

#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/gpu/gpu_passes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/simplify/parts.h"

namespace tessera::target {
namespace {

using hlo::AttributeName;

// The attributes of a gather, or of a scatter.
struct Names {
  Opcode opcode;
  AttributeName batching;          // dimensions of the array
  AttributeName indices_batching;  // those of the indices that run with them
  AttributeName indexed;           // dimensions of the array that the numbers of an index are for
  AttributeName dropped;           // dimensions of the array that a window has not
};

constexpr Names kNames[] = {
    {Opcode::kGather, AttributeName::kOperandBatchingDims, AttributeName::kStartIndicesBatchingDims,
     AttributeName::kStartIndexMap, AttributeName::kCollapsedSliceDims},
    {Opcode::kScatter, AttributeName::kInputBatchingDims,
     AttributeName::kScatterIndicesBatchingDims, AttributeName::kScatterDimsToOperandDims,
     AttributeName::kInsertedWindowDims},
};

IntList Joined(IntList a, const IntList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Normalizer {
 public:
  Normalizer(DeviceProgram& program, InstructionId id, const Names& names)
      : program_(program), id_(id), names_(names), batching_(Ints(names.batching)) {}

  bool IsBatched() const { return !batching_.empty(); }

  void Run() {
    program_.SetOperand(id_, PlaceOfIndices(), WholeIndices());
    IntList dropped = Joined(Ints(names_.dropped), batching_);
    absl::c_sort(dropped);
    const IntList indexed = Joined(batching_, Ints(names_.indexed));
    if (!absl::c_is_sorted(indexed)) {
      program_.RemoveAttribute(id_, AttributeName::kIndicesAreSorted);
    }
    program_.SetAttribute(id_, names_.dropped, hlo::PrintInts(dropped));
    program_.SetAttribute(id_, names_.indexed, hlo::PrintInts(indexed));
    program_.RemoveAttribute(id_, names_.batching);
    program_.RemoveAttribute(id_, names_.indices_batching);
  }

 private:
  IntList Ints(AttributeName name) const {
    return hlo::GetInts(program_.module(), id_, name).value_or(IntList());
  }

  // The indices stand after the arrays; a scatter may have several.
  size_t PlaceOfIndices() const { return program_.operands(id_).size() / 2; }

  int64_t VectorDimension() const {
    return hlo::GetInt(program_.module(), id_, AttributeName::kIndexVectorDim).value_or(0);
  }

  InstructionId Iota(const layout::Shape& shape, int64_t along) {
    const InstructionId iota =
        program_.Add(program_.computation(id_), Opcode::kIota, "iota", shape, {});
    program_.SetAttribute(iota, AttributeName::kIotaDimension, absl::StrCat(along));
    return iota;
  }

  // The indices with a number for each batching dimension in front.
  InstructionId WholeIndices() {
    const InstructionId given = program_.operand(id_, PlaceOfIndices());
    const layout::Shape shape = program_.shape(given);
    const auto vector = static_cast<size_t>(VectorDimension());
    IntList sizes(shape.dims().begin(), shape.dims().end());
    if (vector == sizes.size()) sizes.push_back(1);
    const InstructionId indices = ReshapeTo(program_, given, Resized(shape, sizes));
    const int64_t numbers = sizes[vector];
    sizes[vector] = 1;
    std::vector<InstructionId> parts;
    for (const int64_t d : Ints(names_.indices_batching)) {
      parts.push_back(Iota(Resized(shape, sizes), d));
    }
    parts.push_back(indices);
    sizes[vector] = numbers + static_cast<int64_t>(batching_.size());
    return AddConcatenate(program_, parts, Resized(shape, sizes), VectorDimension());
  }

  DeviceProgram& program_;
  const InstructionId id_;
  const Names& names_;
  const IntList batching_;
};

}  // namespace

absl::Status NormalizeBatchedGathersAndScatters(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    for (const Names& names : kNames) {
      if (program.opcode(id) != names.opcode) continue;
      Normalizer normalizer(program, id, names);
      if (normalizer.IsBatched()) normalizer.Run();
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
