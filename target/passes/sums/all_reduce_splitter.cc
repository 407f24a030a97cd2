// all-reduce-splitter: each device keeps a part of a sum, and some others keep the same one. The sum
// is done in two steps, and the first becomes a reduce-scatter.
//
//   a = bf16[32000,1024] all-reduce(x), groups {{0..7}}
//   d = bf16[8000,1024] dynamic-slice(a, (partition mod 4) * 8000, 0)
//   ->  a = all-reduce(x), groups {{0,1,2,3},{4,5,6,7}}
//       d = dynamic-slice(a, ..)
//       r = bf16[8000,1024] all-reduce(d), groups {{0,4},{1,5},{2,6},{3,7}}
//
// One dimension shrinks, by a factor f that divides the size of the groups. In each group the devices
// that keep the same part are a bucket, all of one size. The second sum is over buckets, the first
// over the k-th devices of all buckets. It is done only where some all-reduce of the computation has
// the groups of the first or of the second step already.

#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/passes.h"
#include "tessera/target/program/device_offsets.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

constexpr char kAllReduceSplitter[] = "all-reduce-splitter";

using Groups = DeviceGroups::Groups;

struct Steps {
  Groups first, second;
};

class Splitter {
 public:
  Splitter(Context* context, DeviceOffsets* offsets)
      : context_(*context), program_(context->program), offsets_(*offsets) {}

  absl::Status Run(ComputationId c) {
    const std::vector<InstructionId> order = program_.PostOrder(c);
    TESSERA_RETURN_IF_ERROR(FindGroups(order));
    for (const InstructionId id : order) {
      if (program_.opcode(id) == Opcode::kAllReduce) TESSERA_RETURN_IF_ERROR(Try(id));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status FindGroups(const std::vector<InstructionId>& order) {
    there_.clear();
    for (const InstructionId id : order) {
      if (program_.opcode(id) != Opcode::kAllReduce) continue;
      TESSERA_ASSIGN_OR_RETURN(const GroupsId groups, context_.groups.Of(program_.module(), id));
      there_.insert(groups);
    }
    return absl::OkStatus();
  }

  absl::Status Try(InstructionId all_reduce) {
    const InstructionId slice = program_.OnlyUser(all_reduce);
    if (slice == kNoId || program_.opcode(slice) != Opcode::kDynamicSlice) return absl::OkStatus();
    if (!ModeOf(program_, all_reduce).uses_global_ids || program_.IsPinned(all_reduce) ||
        program_.IsPinned(slice) || program_.operand(slice, 0) != all_reduce ||
        (program_.HasUsers(slice) && program_.OnlyUser(slice) == kNoId)) {
      return absl::OkStatus();
    }
    TESSERA_ASSIGN_OR_RETURN(const GroupsId groups,
                             context_.groups.Of(program_.module(), all_reduce));
    const auto dimension = SplitDimension(slice);
    if (!dimension.has_value()) return absl::OkStatus();
    const auto steps = StepsOf(slice, *dimension, context_.groups.list(groups));
    if (!steps.has_value()) return absl::OkStatus();
    const bool pays = there_.contains(context_.groups.Add(steps->first)) ||
                      there_.contains(context_.groups.Add(steps->second));
    if (pays) Split(all_reduce, slice, *steps);
    return absl::OkStatus();
  }

  // The one that shrinks.
  std::optional<size_t> SplitDimension(InstructionId slice) const {
    const layout::Shape& whole = program_.shape(program_.operand(slice, 0));
    std::optional<size_t> found;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      if (whole.dim(d) == program_.shape(slice).dim(d)) continue;
      if (found.has_value()) return std::nullopt;
      found = static_cast<size_t>(d);
    }
    return found;
  }

  std::optional<Steps> StepsOf(InstructionId slice, size_t dimension, const Groups& groups) {
    const auto d = static_cast<int64_t>(dimension);
    const int64_t part = program_.shape(slice).dim(d);
    const int64_t whole = program_.shape(program_.operand(slice, 0)).dim(d);
    if (part < 1 || whole % part != 0) return std::nullopt;
    const DeviceOffsets::Value& offset = offsets_.Of(program_.operand(slice, dimension + 1));
    if (!offset.known || offset.left_out) return std::nullopt;
    Steps steps;
    for (const std::vector<int64_t>& group : groups) {
      if (!AddGroup(group, offset.by_device, part, whole / part, &steps)) return std::nullopt;
    }
    return steps;
  }

  // False where the devices of the group do not keep all parts, as many devices each.
  static bool AddGroup(const std::vector<int64_t>& group, const std::vector<int64_t>& offsets,
                       int64_t part, int64_t parts, Steps* steps) {
    const auto devices = static_cast<int64_t>(group.size());
    if (parts >= devices || devices % parts != 0) return false;
    Groups buckets(static_cast<size_t>(parts));
    for (const int64_t device : group) {
      const int64_t offset = offsets[static_cast<size_t>(device)];
      if (offset < 0 || offset % part != 0 || offset / part >= parts) return false;
      buckets[static_cast<size_t>(offset / part)].push_back(device);
    }
    for (const auto& bucket : buckets) {
      if (static_cast<int64_t>(bucket.size()) != devices / parts) return false;
    }
    for (size_t k = 0; k < buckets[0].size(); ++k) {
      auto& first = steps->first.emplace_back();
      for (const auto& bucket : buckets) first.push_back(bucket[k]);
    }
    steps->second.insert(steps->second.end(), buckets.begin(), buckets.end());
    return true;
  }

  void Split(InstructionId all_reduce, InstructionId slice, const Steps& steps) {
    const InstructionId first =
        program_.Clone(all_reduce, {program_.operand(all_reduce, 0)}, program_.shape(all_reduce));
    SetGroups(context_, first, steps.first);
    context_.origins.Set(kAllReduceSplitter, program_, first, {all_reduce});
    const InstructionId second = program_.Clone(all_reduce, {slice}, program_.shape(slice));
    SetGroups(context_, second, steps.second);
    context_.origins.Set(kAllReduceSplitter, program_, second, {all_reduce});
    program_.ReplaceUses(slice, second);
    program_.SetOperand(second, 0, slice);
    program_.SetOperand(slice, 0, first);
    program_.RemoveDead(all_reduce);
  }

  Context& context_;
  DeviceProgram& program_;
  DeviceOffsets& offsets_;
  absl::flat_hash_set<GroupsId> there_;
};

}  // namespace

absl::Status SplitAllReduces(Context& context) {
  DeviceOffsets offsets(&context.program, context.groups.num_devices());
  Splitter splitter(&context, &offsets);
  for (const ComputationId c : context.program.Computations()) {
    TESSERA_RETURN_IF_ERROR(splitter.Run(c));
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
