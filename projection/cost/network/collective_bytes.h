// The work of one device in a collective over n devices: bytes sent and received, elements added.
// The algorithm wastes no bandwidth and shares the work evenly; links and switches only pass on.
//
//   PriceCollective(CollectiveKind::kAllReduce, 1024, 4, 4)   // sends 1536, adds 192 elements
#ifndef TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_BYTES_H_
#define TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_BYTES_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::projection {

enum class CollectiveKind {
  kAllGather,       // bytes: of the gathered result
  kReduceScatter,   // bytes: of the operand
  kAllReduce,       // bytes: of the operand
  kAllToAll,        // bytes: of the local operand
  kPermute,         // bytes: of the local operand
  kBroadcast,       // bytes: of the operand; the root's share, pipelined
  kRaggedAllToAll,  // bytes: of the local operand, an upper bound
};
const char* CollectiveKindName(CollectiveKind kind);  // "all-gather", ...

struct CollectiveTraffic {
  int64_t sent = 0;  // bytes for each device
  int64_t adds = 0;  // elements combined by each device
};

// `bytes` of elements of `element_bytes` over `devices` >= 1 of a group. Elements are sent whole:
// an all-reduce of a scalar over 16 devices is 30 messages, two from each device at most.
// kOverflow.
absl::StatusOr<CollectiveTraffic> PriceCollective(CollectiveKind kind, int64_t bytes,
                                                  int64_t element_bytes, int64_t devices);

// The kind of a collective instruction; none for others and for `-done`.
std::optional<CollectiveKind> CollectiveKindOf(hlo::Opcode opcode);

// Whether each device of a permute with these pairs of source and target keeps its own array.
bool KeepsAll(absl::Span<const std::pair<int64_t, int64_t>> pairs);

// Bytes that one device sends for the instruction; 0 when it is no collective.
absl::StatusOr<int64_t> SentPerDevice(const hlo::Module& module, hlo::InstructionId id);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_COST_NETWORK_COLLECTIVE_BYTES_H_
