// The payload of a collective.
//
//   std::optional<Payload> p = PayloadOf(collective);
//   p->bytes;                    // V: of the gathered result, else of the operands
//   *SentBytes(*p);              // by each device, by an algorithm that wastes nothing
//   SentFormula(*p);             // "2 (n-1)/n V, n = 8, V = 4 KiB"
//
// PayloadOn() of collective_cost.h also knows the machine: in a switch that adds, an all-reduce sends V.
// Cost: linear in the operands. Tested by collective_cost_test.cc.

#ifndef TESSERA_COST_NETWORK_PAYLOAD_H_
#define TESSERA_COST_NETWORK_PAYLOAD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tessera/projection/cost/network/collective_bytes.h"
#include "tessera/sharding/partition/partitioner.h"

namespace tessera::cost {

struct Payload {
  projection::CollectiveKind kind = projection::CollectiveKind::kAllReduce;
  int64_t bytes = 0;          // V, per device
  int64_t element_bytes = 1;  // of the widest element
  int64_t devices = 2;  // n, of a group; of a permute the two of a pair, or 1: each sends to itself
  bool switch_adds = false;  // an all-reduce in a switch that adds, such as NVLink's
};

// Nullopt for an opcode that is no collective.
std::optional<Payload> PayloadOf(const sharding::partition::Collective& collective);

// kOverflow.
absl::StatusOr<int64_t> SentBytes(const Payload& payload);
std::string SentFormula(const Payload& payload);

}  // namespace tessera::cost

#endif  // TESSERA_COST_NETWORK_PAYLOAD_H_
