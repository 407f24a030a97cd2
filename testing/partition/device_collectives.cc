#include "tessera/testing/partition/device_collectives.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/sharding/partition/device_text.h"

namespace tessera::testing {
namespace {

using hlo::AttributeName;
using hlo::IsCollective;
using hlo::Opcode;
using sharding::partition::Collective;

std::string Text(Opcode opcode, const layout::Shape& shape, const std::string& groups,
                 const std::string& pairs, absl::Span<const int64_t> dimensions,
                 absl::string_view reduction) {
  return absl::StrCat(hlo::OpcodeName(opcode), " ",
                      layout::ShapeToString(shape.WithoutLayout(), layout::kNoLayout),
                      " groups=", groups, " pairs=", pairs,
                      " dimensions=", absl::StrJoin(dimensions, ","), " ", reduction);
}

std::string LineOf(const hlo::Module& module, hlo::InstructionId id) {
  sharding::partition::Groups groups;
  if (const auto given = hlo::GetReplicaGroups(module, id)) {
    groups = given->Expand().value_or(sharding::partition::Groups());
    // One of all devices.
    if (groups.empty()) groups.emplace_back();
    if (groups.size() == 1 && groups[0].empty()) {
      for (int64_t d = 0; d < module.header().num_partitions; ++d) groups[0].push_back(d);
    }
  }
  sharding::partition::Pairs pairs;
  if (const auto lists = hlo::GetIntLists(module, id, AttributeName::kSourceTargetPairs)) {
    for (const hlo::IntList& pair : *lists) pairs.emplace_back(pair[0], pair[1]);
  }
  const auto dims = hlo::GetInts(module, id, AttributeName::kDimensions).value_or(hlo::IntList());
  absl::string_view reduction;
  if (!module.called(id).empty()) {
    const hlo::InstructionId root = module.computation(module.called(id)[0]).root;
    reduction = hlo::OpcodeName(module.instruction(root).opcode);
  }
  return Text(module.instruction(id).opcode, module.shape(id),
              sharding::partition::GroupsText(groups), sharding::partition::PairsText(pairs), dims,
              reduction);
}

}  // namespace

std::vector<std::string> CollectivesIn(const hlo::Module& device) {
  std::vector<std::string> out;
  for (hlo::ComputationId c = 0; c < device.num_computations(); ++c) {
    if (device.computation(c).removed) continue;
    for (hlo::InstructionId id : device.computation(c).instructions) {
      if (IsCollective(device.instruction(id).opcode)) out.push_back(LineOf(device, id));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> CollectivesOf(const sharding::partition::Partitioned& found) {
  std::vector<std::string> out;
  for (const Collective& c : found.collectives) {
    out.push_back(Text(c.opcode, c.shape, sharding::partition::GroupsText(c.groups),
                       sharding::partition::PairsText(c.pairs), c.dimensions.list(), c.reduction));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tessera::testing
