// cross-slice-rewrites: a collective that still spans slices works inside of each slice first, then
// between them.
//
//   s = f32[5000] all-reduce(x), groups {0,1,8,9}, of slices of 8 devices
//   ->  p = f32[5120] all-reduce(pad(x)), groups {0,1},{8,9}; a device takes 3 of the 6 tiles of 1024 elements
//       q = f32[3072] all-reduce(p), groups {0,8},{1,9}
//       s = f32[5000] slice(f32[6144] all-gather(q), groups {0,1},{8,9})
//
//   r = f32[16,8] reduce-scatter(x: f32[64,8]), groups {0,1,8,9}, dimensions={0}
//   ->  p = f32[64,8] all-reduce(x), groups {0,1},{8,9}; a device takes the 32 rows of its place in the slice
//       r = f32[16,8] reduce-scatter(p), groups {0,8},{1,9}
//
// It runs late, on what split-ici-dcn leaves and on combined all-reduces. Arrays of one type become one vector. All of
// it crosses if it has no more tiles than a slice has devices. All-to-alls cross the network as they are.
// An all-reduce of one device of each slice stays one, of a vector if it was combined.
// cross-slice-legalizer, in front of it: a sum of several slices of which each device keeps its part is a
// reduce-scatter, whatever its size.
//
// Found by 95 probes on two and four slices of v5e, v5p and v6e.
// Cost: linear. Tested by ../multislice_test.cc.

#include <map>
#include <vector>

#include "tessera/target/layouts/array_sizes.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/passes/sums/scatter_sums.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/multislice/slice_collectives.h"
#include "tessera/target/tpu/scattered_part.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr absl::string_view kCrossSliceRewrites = "cross-slice-rewrites";
constexpr int64_t kTileOfSum = 1024;

layout::Shape VectorOf(const layout::Shape& like, int64_t elements) {
  return Resized(like, {elements});
}

InstructionId Flat(DeviceProgram& program, InstructionId x) {
  return AddReshape(program, x, VectorOf(program.shape(x), *program.shape(x).NumElements()));
}

class SumRewrite {
 public:
  SumRewrite(Context& context, InstructionId sum, const SliceGroups& groups)
      : context_(context),
        program_(context.program),
        sum_(sum),
        groups_(groups),
        made_(context, kCrossSliceRewrites, sum, groups) {}

  void Run() {
    const auto& operands = program_.operands(sum_);
    const std::vector<InstructionId> arrays(operands.begin(), operands.end());
    std::map<layout::ElementType, std::vector<size_t>> by_type;
    for (size_t k = 0; k < arrays.size(); ++k) {
      by_type[program_.shape(arrays[k]).element_type()].push_back(k);
    }
    std::vector<InstructionId> results(arrays.size());
    for (const auto& [type, numbers] : by_type) SumAll(arrays, numbers, &results);
    made_.Replace(program_.shape(sum_).is_tuple() ? Tuple(results) : results[0]);
  }

 private:
  void SumAll(const std::vector<InstructionId>& arrays, const std::vector<size_t>& numbers,
              std::vector<InstructionId>* results) {
    std::vector<InstructionId> vectors;
    int64_t elements = 0;
    for (const size_t k : numbers) {
      const layout::Shape& shape = program_.shape(arrays[k]);
      vectors.push_back(Flat(program_, arrays[k]));
      elements += *shape.NumElements();
    }
    const InstructionId all =
        vectors.size() == 1
            ? vectors[0]
            : AddConcatenate(program_, vectors, VectorOf(program_.shape(vectors[0]), elements), 0);
    const InstructionId sum =
        SumOf(PadWithZeros(program_, all, {TiledElements(Laid(program_.shape(all)))}));
    int64_t begin = 0;
    for (const size_t k : numbers) {
      const layout::Shape& shape = program_.shape(arrays[k]);
      const int64_t end = begin + *shape.NumElements();
      (*results)[k] = AddReshape(program_, SliceAlong(program_, sum, 0, begin, end),
                                 Resized(shape, shape.dims()));
      begin = end;
    }
  }

  InstructionId SumOf(InstructionId x) {
    if (groups_.devices_inside() == 1) return made_.SumAcross(x);
    const InstructionId inside = made_.SumInside(x);
    const int64_t devices = groups_.devices_inside();
    if (program_.shape(x).dim(0) <= devices * kTileOfSum) return made_.SumAcross(inside);
    const int64_t whole = RoundUp(program_.shape(x).dim(0), devices * kTileOfSum);
    const InstructionId part = made_.OwnPart(PadWithZeros(program_, inside, {whole}), 0);
    return made_.GatherInside(made_.SumAcross(part), 0);
  }

  layout::Shape Laid(const layout::Shape& array) const {
    return ArraySizes(*context_.target.chip).Laid(array);
  }

  InstructionId Tuple(const std::vector<InstructionId>& results) {
    const layout::Shape shape = program_.shape(sum_);
    return program_.Add(program_.computation(sum_), Opcode::kTuple, "tuple", shape, results);
  }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId sum_;
  const SliceGroups& groups_;
  SliceCollectives made_;
};

// Groups name the first device of each slice, then the second: a device of a slice takes rows that are next to each
// other. Else it takes some from each slice's part.
void SplitScatter(Context& context, InstructionId scatter, const SliceGroups& groups) {
  DeviceProgram& program = context.program;
  const int64_t d = CollectiveDimension(program, scatter);
  SliceCollectives made(context, kCrossSliceRewrites, scatter, groups);
  const InstructionId sum = made.SumInside(program.operand(scatter, 0));
  if (groups.order == SliceOrder::kSliceMinor) {
    made.Replace(made.ScatterAcross(made.OwnPart(sum, d), d));
    return;
  }
  const layout::Shape shape = program.shape(sum);
  const InstructionId by_slice =
      AddReshape(program, sum, SplitDimension(shape, d, groups.slices()));
  const InstructionId part = made.ScatterAcross(made.OwnPart(by_slice, d + 1), d);
  made.Replace(AddReshape(program, part, Resized(shape, program.shape(scatter).dims())));
}

bool IsSumOrScatter(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kAllReduce ||
         (program.opcode(id) == Opcode::kReduceScatter && program.shape(id).is_array());
}

}  // namespace

absl::Status RewriteCrossSlice(Context& context) {
  DeviceProgram& program = context.program;
  if (context.target.slices == 1) return absl::OkStatus();
  for (const InstructionId id : AllInstructions(program)) {
    if (!IsSumOrScatter(program, id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const std::optional<SliceGroups> groups, GroupsOver(context, id));
    if (!groups.has_value()) continue;
    const bool is_across = groups->devices_inside() == 1;
    if (program.opcode(id) == Opcode::kAllReduce) {
      if (!is_across || program.shape(id).is_tuple()) SumRewrite(context, id, *groups).Run();
    } else if (!is_across && groups->order != SliceOrder::kOther) {
      SplitScatter(context, id, *groups);
    }
  }
  return absl::OkStatus();
}

absl::Status ScatterCrossSliceSums(Context& context) {
  if (context.target.slices == 1) return absl::OkStatus();
  return ScatterSums(context, "cross-slice-legalizer", [&](const SplitSum& sum) {
    return SliceGroupsOf(context, sum.groups).has_value();
  });
}

}  // namespace tessera::target
