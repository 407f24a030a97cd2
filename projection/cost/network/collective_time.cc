// The closed forms after collective_time.h. On a ring or a line of n devices:
//
//   all-gather     every shard crosses n - 1 links, so n (n-1) crossings in all; both ways round
//                  they are spread over twice the links in half the steps
//   all-to-all     crossings are the sum of distances over ordered pairs: n^2 (n-1) / 2 one way
//                  round, n floor(n^2 / 4) the shorter way, n (n^2 - 1) / 3 on a line, whose middle
//                  link is the busiest: floor(n/2) ceil(n/2)
//   all-reduce     a reduce-scatter and an all-gather of the n-th part
//
// Two devices have one link each way, however they are wired. Tested by cost_test.cc:
// message by message.
#include "tessera/projection/cost/network/collective_time.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

struct Sums {
  Checked steps = 0, busiest = 0, total = 0;
};

absl::StatusOr<RingTraffic> Finish(const Sums& s) {
  if (!s.steps.ok() || !s.busiest.ok() || !s.total.ok())
    return OverflowError("the bytes on a link");
  return RingTraffic{s.steps.value(), s.busiest.value(), s.total.value()};
}

Sums AllGather(const Ring& ring, Checked shard) {
  const int64_t n = ring.devices;
  const Checked steps = ring.wrap && ring.bidirectional ? CeilDiv(n - 1, 2) : n - 1;
  return {steps, steps * shard, Checked(n) * (n - 1) * shard};
}

Checked Divided(Checked a, int64_t by) { return a.ok() ? Checked(CeilDiv(a.value(), by)) : a; }

Sums AllToAll(const Ring& ring, Checked pair) {
  const Checked n = ring.devices, square = n * n;
  if (!ring.wrap) {
    const int64_t half = ring.devices / 2;
    return {n - 1, pair * half * (n - half), Divided(n * (square - 1), 3) * pair};
  }
  if (!ring.bidirectional) {
    const Checked busiest = Divided(n * (n - 1), 2) * pair;
    return {n - 1, busiest, busiest * n};
  }
  const Checked distances = Divided(square - ring.devices % 2, 4);  // from one device to all others
  const int64_t links_of_one = ring.devices == 2 ? 1 : 2;
  return {ring.devices / 2, Divided(distances * pair, links_of_one), distances * n * pair};
}

Sums AllReduce(const Ring& ring, int64_t vector) {
  const Sums half = AllGather(ring, CeilDiv(vector, ring.devices));
  return {half.steps * 2, half.busiest * 2, half.total * 2};
}

// One hop of a route along an axis: +1, -1, or 0 when it is there.
int64_t Direction(int64_t from, int64_t to, int64_t size, bool wrap) {
  if (from == to) return 0;
  if (!wrap) return from < to ? 1 : -1;
  const int64_t up = FloorMod(to - from, size);
  return up <= size - up ? 1 : -1;
}

ZPoint CoordinatesOf(int64_t device, const ZPoint& sizes) {
  ZPoint at = sizes;
  for (int a = sizes.rank() - 1; a >= 0; --a) {
    at[a] = device % sizes[a];
    device /= sizes[a];
  }
  return at;
}

int64_t DeviceOf(const ZPoint& at, const ZPoint& sizes) {
  int64_t device = 0;
  for (int a = 0; a < sizes.rank(); ++a) device = device * sizes[a] + at[a];
  return device;
}

}  // namespace

absl::StatusOr<RingTraffic> RingCollective(CollectiveKind kind, const Ring& ring, int64_t bytes) {
  if (ring.devices <= 1) return RingTraffic();
  switch (kind) {
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
      return Finish(AllGather(ring, bytes));
    case CollectiveKind::kAllToAll:
      return Finish(AllToAll(ring, bytes));
    case CollectiveKind::kAllReduce:
      return Finish(AllReduce(ring, bytes));
    default:
      return MakeError(ErrorCode::kNotSupported,
                       absl::StrCat(CollectiveKindName(kind), " on a ring"));
  }
}

absl::StatusOr<RoutedTraffic> RouteMessages(const Torus& torus,
                                            absl::Span<const Message> messages) {
  RoutedTraffic out;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, Checked> links;  // by the devices at its ends
  Checked total = 0;
  for (const Message& m : messages) {
    ZPoint at = CoordinatesOf(m.source, torus.sizes);
    const ZPoint target = CoordinatesOf(m.target, torus.sizes);
    int64_t hops = 0;
    for (int a = 0; a < torus.sizes.rank(); ++a) {
      while (const int64_t step =
                 Direction(at[a], target[a], torus.sizes[a], torus.wrap[static_cast<size_t>(a)])) {
        const int64_t from = DeviceOf(at, torus.sizes);
        at[a] = FloorMod(at[a] + step, torus.sizes[a]);
        Checked& link = links.try_emplace({from, DeviceOf(at, torus.sizes)}, 0).first->second;
        link += m.bytes;
        total += m.bytes;
        if (!link.ok() || !total.ok()) return OverflowError("the bytes on a link");
        out.busiest_link_bytes = std::max(out.busiest_link_bytes, link.value());
        ++hops;
      }
    }
    out.max_hops = std::max(out.max_hops, hops);
  }
  out.total_link_bytes = total.value();
  for (const auto& [ends, bytes] : links)
    out.links.push_back({ends.first, ends.second, bytes.value()});
  std::sort(out.links.begin(), out.links.end(), [](const LinkBytes& a, const LinkBytes& b) {
    return std::make_pair(a.from, a.to) < std::make_pair(b.from, b.to);
  });
  return out;
}

}  // namespace tessera::projection
