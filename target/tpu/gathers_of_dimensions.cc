// all-gathers-of-dimensions: the partitioner of TPUs gathers all dimensions of an array at once.
//
//   a = f32[4,32] all-gather(x: f32[4,8]), over the columns of the mesh, dimensions={1}
//   b = f32[16,32] all-gather(a), over its rows, dimensions={0}
//   ->  r = f32[1,4,8] reshape(x)
//       g = f32[16,4,8] all-gather(r), over both, dimensions={0}
//       b = reshape(transpose(reshape(g: f32[4,4,4,8]), dimensions={0,2,1,3}))
//
// A chain that goes from the last dimension to the first is one reshard; others are several, and stay.
//
// XLA: SpmdPartitioner::AllGatherShards where per_dim_ag is false.

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/target/passes/made_collectives.h"
#include "tessera/target/passes/rewrites.h"
#include "tessera/target/program/collectives.h"
#include "tessera/target/tpu/tpu_passes.h"
#include "tessera/text/status_macros.h"

namespace tessera::target {
namespace {

using Groups = DeviceGroups::Groups;

constexpr char kGathersOfDimensions[] = "all-gathers-of-dimensions";

bool IsPlainGather(const DeviceProgram& program, InstructionId id) {
  return program.opcode(id) == Opcode::kAllGather && program.operands(id).size() == 1 &&
         program.shape(id).is_array() && !program.IsPinned(id);
}

// From the last gather, of the first dimension, back to the first one.
std::vector<InstructionId> ChainOf(const DeviceProgram& program, InstructionId last) {
  std::vector<InstructionId> chain = {last};
  for (InstructionId id = program.operand(last, 0); IsPlainGather(program, id);
       id = program.operand(id, 0)) {
    const bool goes_on =
        program.OnlyUser(id) != kNoId &&
        CollectiveDimension(program, id) > CollectiveDimension(program, chain.back());
    if (!goes_on) break;
    chain.push_back(id);
  }
  return chain;
}

// Where each device of `outer` stands for the devices that it has gathered of.
Groups Product(const Groups& outer, const Groups& inner) {
  absl::flat_hash_map<int64_t, const std::vector<int64_t>*> of;
  for (const auto& group : inner) {
    for (const int64_t device : group) of[device] = &group;
  }
  Groups product;
  for (const auto& group : outer) {
    std::vector<int64_t>& devices = product.emplace_back();
    for (const int64_t device : group) {
      const auto found = of.find(device);
      if (found == of.end()) return {};
      devices.insert(devices.end(), found->second->begin(), found->second->end());
    }
  }
  return product;
}

// Equal groups are one. Nothing if a device is in two groups, or twice in one: the gathers are no reshard.
Groups Distinct(const Groups& groups) {
  Groups distinct;
  absl::flat_hash_map<int64_t, size_t> group_of;
  for (const auto& group : groups) {
    const auto found = group_of.find(group[0]);
    if (found != group_of.end() && distinct[found->second] == group) continue;
    for (const int64_t device : group) {
      if (!group_of.try_emplace(device, distinct.size()).second) return {};
    }
    distinct.push_back(group);
  }
  return distinct;
}

using Rows = absl::flat_hash_map<InstructionId, InstructionId>;

class Gatherer {
 public:
  // `rows`: reshapes that were made, by their operands. Equal gathers must have one operand.
  Gatherer(Context* context, const std::vector<InstructionId>& chain, Rows* rows)
      : context_(*context), program_(context->program), chain_(chain), rows_(*rows) {}

  absl::Status Run() {
    TESSERA_ASSIGN_OR_RETURN(const Groups groups, GroupsOfAll());
    if (groups.empty() || groups[0].empty()) return absl::OkStatus();
    const InstructionId last = chain_[0], from = program_.operand(chain_.back(), 0);
    const ComputationId c = program_.computation(last);
    const std::vector<int64_t> part(program_.shape(from).dims().begin(),
                                    program_.shape(from).dims().end());
    std::vector<int64_t> one = {1}, all = {static_cast<int64_t>(groups[0].size())};
    one.insert(one.end(), part.begin(), part.end());
    all.insert(all.end(), part.begin(), part.end());
    const layout::Shape like = program_.shape(from);
    const auto [row, is_new] = rows_.try_emplace(from, kNoId);
    if (is_new) row->second = AddReshape(program_, from, Resized(like, one));
    const InstructionId gather =
        program_.Add(c, Opcode::kAllGather, "all-gather", Resized(like, all), {row->second});
    CopyCollectiveAttributes(context_, last, gather);
    SetGroups(context_, gather, groups);
    program_.SetAttribute(gather, hlo::AttributeName::kDimensions, "{0}");
    context_.origins.Set(kGathersOfDimensions, program_, gather, chain_);
    program_.ReplaceUses(last, PutTogether(gather, part));
    program_.RemoveDead(last);
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<Groups> GroupsOfAll() {
    Groups groups;
    for (const InstructionId id : chain_) {
      TESSERA_ASSIGN_OR_RETURN(const GroupsId of, context_.groups.Of(program_.module(), id));
      groups =
          groups.empty() ? context_.groups.list(of) : Product(groups, context_.groups.list(of));
    }
    return Distinct(groups);
  }

  // The parts of each dimension in front of it.
  InstructionId PutTogether(InstructionId gather, const std::vector<int64_t>& part) {
    const layout::Shape whole = program_.shape(chain_[0]);
    std::vector<int64_t> split, order, turned;
    const auto gathered = static_cast<int64_t>(chain_.size());
    for (const InstructionId id : chain_) {
      const int64_t d = CollectiveDimension(program_, id);
      split.push_back(whole.dim(d) / part[static_cast<size_t>(d)]);
    }
    split.insert(split.end(), part.begin(), part.end());
    int64_t next = 0;
    for (int64_t d = 0; d < whole.rank(); ++d) {
      if (next < gathered && CollectiveDimension(program_, chain_[static_cast<size_t>(next)]) == d)
        order.push_back(next++);
      order.push_back(gathered + d);
    }
    for (const int64_t d : order) turned.push_back(split[static_cast<size_t>(d)]);
    const InstructionId parts = AddReshape(program_, gather, Resized(whole, split));
    const InstructionId transpose = program_.Add(program_.computation(gather), Opcode::kTranspose,
                                                 "transpose", Resized(whole, turned), {parts});
    program_.SetAttribute(transpose, hlo::AttributeName::kDimensions, hlo::PrintInts(order));
    return AddReshape(program_, transpose, whole);
  }

  Context& context_;
  DeviceProgram& program_;
  const std::vector<InstructionId>& chain_;
  Rows& rows_;
};

}  // namespace

absl::Status GatherDimensionsAtOnce(Context& context) {
  DeviceProgram& program = context.program;
  Rows rows;
  for (const ComputationId c : program.Computations()) {
    const std::vector<InstructionId> order = program.PostOrder(c);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!IsPlainGather(program, *it)) continue;
      const std::vector<InstructionId> chain = ChainOf(program, *it);
      if (chain.size() > 1) TESSERA_RETURN_IF_ERROR(Gatherer(&context, chain, &rows).Run());
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::target
