#include "tessera/projection/cost/network/collective_bytes.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "tessera/hlo/attributes.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/signatures/collectives.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::Opcode;

// In a group of n devices, each device sends an n-th of its elements to each of n-1 others: how often, and how often
// such a part is added.
struct KindRow {
  CollectiveKind kind;
  const char* name;
  int sends, adds;
  bool whole;  // sends the operand itself, not chunks
};
constexpr KindRow kKinds[] = {
    {CollectiveKind::kAllGather, "all-gather", 1, 0, false},
    {CollectiveKind::kReduceScatter, "reduce-scatter", 1, 1, false},
    {CollectiveKind::kAllReduce, "all-reduce", 2, 1, false},
    {CollectiveKind::kAllToAll, "all-to-all", 1, 0, false},
    {CollectiveKind::kPermute, "collective-permute", 1, 0, true},
    {CollectiveKind::kBroadcast, "collective-broadcast", 1, 0, true},
    {CollectiveKind::kRaggedAllToAll, "ragged-all-to-all", 1, 0, false},
};

const KindRow& RowOf(CollectiveKind kind) { return kKinds[static_cast<int>(kind)]; }

struct OpcodeRow {
  Opcode opcode;
  CollectiveKind kind;
};
constexpr OpcodeRow kOpcodes[] = {
    {Opcode::kAllGather, CollectiveKind::kAllGather},
    {Opcode::kAllGatherStart, CollectiveKind::kAllGather},
    {Opcode::kReduceScatter, CollectiveKind::kReduceScatter},
    {Opcode::kAllReduce, CollectiveKind::kAllReduce},
    {Opcode::kAllReduceStart, CollectiveKind::kAllReduce},
    {Opcode::kAllToAll, CollectiveKind::kAllToAll},
    {Opcode::kCollectivePermute, CollectiveKind::kPermute},
    {Opcode::kCollectivePermuteStart, CollectiveKind::kPermute},
    {Opcode::kCollectiveBroadcast, CollectiveKind::kBroadcast},
    {Opcode::kRaggedAllToAll, CollectiveKind::kRaggedAllToAll},
};

}  // namespace

const char* CollectiveKindName(CollectiveKind kind) { return RowOf(kind).name; }

absl::StatusOr<CollectiveTraffic> PriceCollective(CollectiveKind kind, int64_t bytes,
                                                  int64_t element_bytes, int64_t devices) {
  const KindRow& row = RowOf(kind);
  CollectiveTraffic cost;
  if (row.whole) return CollectiveTraffic{bytes, 0};
  if (devices <= 1 || bytes == 0) return cost;
  const int64_t elements = bytes / std::max<int64_t>(element_bytes, 1);
  // Of a gathered result of V bytes a device sends V - V/n, V/n rounded down: it receives all shards but its own.
  const Checked all = Checked(elements) * (devices - 1);
  const Checked all_sent = all * row.sends;
  if (!all_sent.ok()) return OverflowError("the elements of a collective");
  const Checked sent = kind == CollectiveKind::kAllGather
                           ? Checked(bytes) - bytes / devices
                           : Checked(CeilDiv(all_sent.value(), devices)) * element_bytes;
  if (!sent.ok()) return OverflowError("the bytes of a collective");
  cost.sent = sent.value();
  cost.adds = row.adds * CeilDiv(all.value(), devices);
  return cost;
}

std::optional<CollectiveKind> CollectiveKindOf(Opcode opcode) {
  const auto row = std::find_if(std::begin(kOpcodes), std::end(kOpcodes),
                                [&](const OpcodeRow& r) { return r.opcode == opcode; });
  return row == std::end(kOpcodes) ? std::nullopt : std::optional<CollectiveKind>(row->kind);
}

bool KeepsAll(absl::Span<const std::pair<int64_t, int64_t>> pairs) {
  return absl::c_all_of(pairs, [](const auto& pair) { return pair.first == pair.second; });
}

absl::StatusOr<int64_t> SentPerDevice(const hlo::Module& module, hlo::InstructionId id) {
  const std::optional<CollectiveKind> kind = CollectiveKindOf(module.instruction(id).opcode);
  if (!kind.has_value()) return 0;
  const auto pairs = hlo::GetSourceTargetPairs(module, id);
  if (!pairs.empty() && KeepsAll(pairs)) return 0;
  const int64_t devices = GroupSize(module, id);
  Checked sent = 0;
  for (hlo::InstructionId operand : module.operands(id)) {
    for (const layout::Shape* leaf : ArrayLeaves(module.shape(operand))) {
      TESSERA_ASSIGN_OR_RETURN(int64_t bytes, BytesOf(*leaf, CostMode::kXla));
      const Checked volume =
          *kind == CollectiveKind::kAllGather ? Checked(bytes) * devices : Checked(bytes);
      if (!volume.ok()) return OverflowError("the bytes of a collective");
      TESSERA_ASSIGN_OR_RETURN(
          CollectiveTraffic cost,
          PriceCollective(*kind, volume.value(), layout::ByteWidth(leaf->element_type()), devices));
      sent += cost.sent;
    }
    if (*kind == CollectiveKind::kRaggedAllToAll) break;  // the other operands are sizes
  }
  if (!sent.ok()) return OverflowError("the bytes of a collective");
  return sent.value();
}

}  // namespace tessera::projection
