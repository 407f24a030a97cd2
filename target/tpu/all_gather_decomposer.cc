// all_gather_decomposer: an all-gather is a sum on a whole large torus, or of a vector whose parts do
// not fill tiles.
//
//   g = f32[64,8] all-gather(x: f32[1,8]), groups {0..63}, dimensions={0}
//   ->  g = f32[64,8] all-reduce(dynamic-update-slice(zeros, x, place of the device, 0))
//
// The group is all devices. Of three dimensions every side has four devices or more. Of two, every side has eight or
// more, and the result at most 16 MiB. So 90 gathers on 8x8, 8x16 and 16x16 of v5e and v6e. 4x4 and 4x8 keep theirs.
// A vector has one dimension above 1, and parts that are no multiple of 128 elements. Its group and size do not
// matter (72 vectors on v5e and v5p). Vectors of 8 bits become words of 32 bits: not modelled, they stay all-gathers.
// Twice the bytes are sent; found from outside. Tested by tpu_passes_test.cc.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/element_type.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/program/walk.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kAllGatherDecomposer[] = "all_gather_decomposer";
constexpr int64_t kLanes = 128;

layout::Shape Indices(std::initializer_list<int64_t> sizes) {
  return layout::Shape::Array(layout::ElementType::kS32, sizes);
}

class Decomposer {
 public:
  Decomposer(Context* context, InstructionId gather, GroupsId groups)
      : context_(*context),
        program_(context->program),
        gather_(gather),
        c_(program_.computation(gather)),
        groups_(groups) {}

  void Run() {
    const layout::Shape whole = program_.shape(gather_);
    const InstructionId update = program_.Add(c_, Opcode::kDynamicUpdateSlice, "own", whole, Own());
    const InstructionId sum = program_.Add(c_, Opcode::kAllReduce, "all-reduce", whole, {update});
    CopyCollectiveAttributes(context_, gather_, sum);
    SetReducer(context_.program, sum,
               whole.element_type() == layout::ElementType::kPred ? Opcode::kOr : Opcode::kAdd);
    context_.origins.Set(kAllGatherDecomposer, program_, sum, {gather_});
    program_.ReplaceUses(gather_, sum);
    program_.RemoveDead(gather_);
  }

 private:
  // Zeros, what the device has, and where.
  std::vector<InstructionId> Own() {
    const layout::Shape whole = program_.shape(gather_);
    const InstructionId zero = program_.AddConstant(
        c_, Resized(whole, {}), whole.element_type() == layout::ElementType::kPred ? "false" : "0");
    const InstructionId none = program_.AddConstant(c_, Indices({}), "0");
    std::vector<InstructionId> operands = {AddBroadcast(program_, zero, whole, {}),
                                           program_.operand(gather_, 0)};
    for (int64_t d = 0; d < whole.rank(); ++d) {
      operands.push_back(d == CollectiveDimension(program_, gather_) ? Place() : none);
    }
    return operands;
  }

  InstructionId Place() {
    const int64_t part =
        program_.shape(program_.operand(gather_, 0)).dim(CollectiveDimension(program_, gather_));
    std::vector<int64_t> places(static_cast<size_t>(context_.groups.num_devices()));
    for (const auto& group : context_.groups.list(groups_)) {
      for (size_t j = 0; j < group.size(); ++j) {
        places[static_cast<size_t>(group[j])] = static_cast<int64_t>(j) * part;
      }
    }
    const InstructionId table =
        program_.AddConstant(c_, Indices({static_cast<int64_t>(places.size())}),
                             absl::StrCat("{", absl::StrJoin(places, ", "), "}"));
    const layout::Shape id = layout::Shape::Array(layout::ElementType::kU32, {});
    const InstructionId device = program_.Add(c_, Opcode::kPartitionId, "partition-id", id, {});
    const InstructionId place =
        program_.Add(c_, Opcode::kDynamicSlice, "place", Indices({1}), {table, device});
    program_.SetAttribute(place, hlo::AttributeName::kDynamicSliceSizes, "{1}");
    return AddReshape(program_, place, Indices({}));
  }

  Context& context_;
  DeviceProgram& program_;
  const InstructionId gather_;
  const ComputationId c_;
  const GroupsId groups_;
};

// Bytes of the largest result over all devices that is a sum; 0 where none is.
int64_t LargestSum(const Target& target) {
  const auto least = absl::c_min_element(target.topology);
  if (target.topology.size() == 3 && *least >= 4) return std::numeric_limits<int64_t>::max();
  return target.topology.size() == 2 && *least >= 8 ? int64_t{16} << 20 : 0;
}

// Parts of a vector that fill no whole number of tiles.
bool HasRaggedParts(const DeviceProgram& program, InstructionId gather) {
  const layout::Shape& whole = program.shape(gather);
  const layout::Shape& part = program.shape(program.operand(gather, 0));
  const int64_t d = CollectiveDimension(program, gather);
  return layout::BitWidth(whole.element_type()) > 8 && whole.NumElements() == whole.dim(d) &&
         part.dim(d) % kLanes != 0;
}

}  // namespace

absl::StatusOr<bool> BecomesSum(Context& context, InstructionId gather) {
  const DeviceProgram& program = context.program;
  if (HasRaggedParts(program, gather)) return true;
  TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), gather));
  return context.groups.SizeOf(groups) == context.target.slice_devices() &&
         layout::DataBytes(program.shape(gather)) <= LargestSum(context.target);
}

absl::Status DecomposeAllGathers(Context& context) {
  DeviceProgram& program = context.program;
  for (const InstructionId id : AllInstructions(program)) {
    if (program.opcode(id) != Opcode::kAllGather || !program.shape(id).is_array()) continue;
    if (program.operands(id).size() != 1 || program.IsPinned(id)) continue;
    TESSERA_ASSIGN_OR_RETURN(const bool becomes_sum, BecomesSum(context, id));
    if (!becomes_sum) continue;
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context.groups.Of(program.module(), id));
    Decomposer(&context, id, groups).Run();
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
