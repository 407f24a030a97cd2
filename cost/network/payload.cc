#include "tessera/cost/network/payload.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/projection/cost/network/network.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using projection::CollectiveKind;

int64_t WidestElement(const layout::Shape& shape) {
  int64_t bytes = 1;
  layout::ForEachLeaf(shape, [&bytes](const layout::Shape& leaf) {
    bytes = std::max<int64_t>(bytes, layout::ByteWidth(leaf.element_type()));
  });
  return bytes;
}

bool SendsItself(CollectiveKind kind) {
  return kind == CollectiveKind::kPermute || kind == CollectiveKind::kBroadcast;
}

}  // namespace

std::optional<Payload> PayloadOf(const sharding::partition::Collective& c) {
  const std::optional<CollectiveKind> kind = projection::CollectiveKindOf(c.opcode);
  if (!kind.has_value()) return std::nullopt;
  Payload payload;
  payload.kind = *kind;
  for (const layout::Shape& operand : c.operands) payload.bytes += layout::DataBytes(operand);
  if (*kind == CollectiveKind::kAllGather) payload.bytes = layout::DataBytes(c.shape);
  payload.element_bytes = WidestElement(c.shape);
  if (!c.groups.empty()) payload.devices = static_cast<int64_t>(c.groups[0].size());
  if (*kind == CollectiveKind::kPermute && projection::KeepsAll(c.pairs.list())) {
    payload.devices = 1;
  }
  return payload;
}

absl::StatusOr<int64_t> SentBytes(const Payload& payload) {
  if (payload.devices <= 1) return 0;
  if (payload.switch_adds) {
    TESSERA_ASSIGN_OR_RETURN(
        const projection::LinkUse use,
        projection::ThroughSwitch(payload.kind, /*reducing=*/true, payload.devices, payload.bytes,
                                  payload.element_bytes));
    return use.busiest_link_bytes;
  }
  TESSERA_ASSIGN_OR_RETURN(const projection::CollectiveTraffic bill,
                           projection::PriceCollective(payload.kind, payload.bytes,
                                                       payload.element_bytes, payload.devices));
  return bill.sent;
}

std::string SentFormula(const Payload& payload) {
  const std::string volume = absl::StrCat("V = ", layout::FormatBytes(payload.bytes));
  if (SendsItself(payload.kind)) return payload.devices > 1 ? volume : "nothing";
  if (payload.switch_adds) return absl::StrCat("V, added in the switch, ", volume);
  const int64_t divisor = payload.devices * payload.element_bytes;
  const bool is_even = divisor > 0 && payload.bytes % divisor == 0;
  return absl::StrCat(payload.kind == CollectiveKind::kAllReduce ? "2 " : "",
                      "(n-1)/n V, n = ", payload.devices, ", ", volume,
                      is_even ? "" : ", parts of whole elements");
}

}  // namespace tessera::cost
