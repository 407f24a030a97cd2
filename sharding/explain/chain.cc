#include "tessera/sharding/explain/chain.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"

namespace tessera::sharding::explain {
namespace {

// Where a chain goes on.
struct Place {
  Endpoint at;
  AxisRef axis;
  int32_t bound = 0;
};

// Hidden axes came with the events before the hiding.
int32_t BeforeHidden(const EventLog& log, SlotId slot, int32_t reveal) {
  const std::vector<int32_t>& events = log.EventsOf(slot);
  for (auto e = std::lower_bound(events.begin(), events.end(), reveal); e != events.begin();) {
    if (log.event(*--e).cause == EventCause::kMaskPriority) return *e;
  }
  return 0;
}

constexpr size_t kAll = std::numeric_limits<size_t>::max();

// The places that could have been the source of a link, the one that is taken first: at most so many.
std::vector<Place> SourcesOf(const EventLog& log, const Link& link, size_t most = kAll) {
  const Event& event = log.event(link.event);
  if (event.cause == EventCause::kRestorePriority) {
    const Endpoint same = {link.slot, link.value, kNoIndex, link.dim};
    return {{same, link.axis, BeforeHidden(log, link.slot, link.event)}};
  }
  std::vector<Place> places;
  for (const Endpoint& from : event.gains[static_cast<size_t>(link.gain)].from) {
    if (places.size() == most) break;
    if (from.slot != link.slot || from.dim != link.dim) {
      places.push_back({from, link.axis, event.bound});
    }
  }
  return places;
}

std::vector<Link> LinksAt(const EventLog& log, const Place& place) {
  std::vector<Link> links;
  for (const Brought& b : log.Gains(place.at.slot, place.at.dim, place.axis, place.bound)) {
    links.push_back({b.event, b.gain, place.at.slot, place.at.value, place.at.dim, b.axis});
  }
  return links;
}

class ChainFinder {
 public:
  explicit ChainFinder(const EventLog& log) : log_(log) {}

  std::vector<Chain> Find(const std::vector<Link>& starts) {
    std::vector<Chain> chains;
    std::vector<Chain> open;
    for (const Link& link : starts) open.push_back(Begin(link));
    while (!open.empty()) {
      Chain chain = std::move(open.back());
      open.pop_back();
      Extend(&chain, &open);
      chain.axis = chain.links.back().axis;
      chains.push_back(std::move(chain));
    }
    absl::c_sort(chains, [](const Chain& a, const Chain& b) { return a.axis < b.axis; });
    return chains;
  }

  void AddAlso(std::vector<Chain>* chains) {
    for (const Chain& chain : *chains) Visit(chain);
    for (Chain& chain : *chains) {
      for (size_t i = 0; i < chain.links.size(); ++i) {
        const std::vector<Place> places = SourcesOf(log_, chain.links[i]);
        for (size_t p = 1; p < places.size(); ++p) AddOther(places[p], &chain);
      }
    }
  }

 private:
  static Chain Begin(const Link& link) {
    Chain chain;
    chain.links.push_back(link);
    return chain;
  }

  // To the end; where the axis came in parts, the others are left in `open`.
  void Extend(Chain* chain, std::vector<Chain>* open) const {
    while (true) {
      const Event& event = log_.event(chain->links.back().event);
      if (event.cause == EventCause::kAnnotation) {
        chain->annotation = event.annotation;
        return;
      }
      const std::vector<Link> next = LinksBefore(log_, chain->links.back());
      if (next.empty()) return;
      for (size_t i = 1; i < next.size(); ++i) {
        open->push_back(*chain);
        open->back().links.push_back(next[i]);
      }
      chain->links.push_back(next[0]);
    }
  }

  void Visit(const Chain& chain) {
    for (const Link& link : chain.links) seen_.insert(link.event);
    ends_.insert(chain.annotation);
  }

  // The way from `place`, until it meets one that is known already; kept if it ends elsewhere.
  void AddOther(const Place& place, Chain* chain) {
    Chain other;
    std::vector<Link> next = LinksAt(log_, place);
    while (!next.empty() && seen_.insert(next[0].event).second) {
      other.links.push_back(next[0]);
      const Event& event = log_.event(next[0].event);
      if (event.cause == EventCause::kAnnotation) {
        other.annotation = event.annotation;
        break;
      }
      next = LinksBefore(log_, next[0]);
    }
    if (other.annotation == kNoIndex || !ends_.insert(other.annotation).second) return;
    other.axis = other.links.back().axis;
    chain->also.push_back(std::move(other));
  }

  const EventLog& log_;
  absl::flat_hash_set<int32_t> seen_;  // events on some way
  absl::flat_hash_set<int32_t> ends_;  // annotations
};

}  // namespace

std::vector<Link> LastLinks(const EventLog& log, SlotId slot, int dim, AxisRef axis,
                            int32_t bound) {
  Place start;
  start.at.slot = slot;
  start.at.value = log.IsOutput(slot) ? propagation::kNone : slot;
  start.at.dim = dim;
  start.axis = axis;
  start.bound = bound;
  return LinksAt(log, start);
}

std::vector<Link> LinksBefore(const EventLog& log, const Link& link) {
  if (log.event(link.event).cause == EventCause::kAnnotation) return {};
  const std::vector<Place> places = SourcesOf(log, link, 1);
  return places.empty() ? std::vector<Link>() : LinksAt(log, places[0]);
}

std::vector<Chain> Why(const EventLog& log, SlotId slot, int dim, AxisRef axis, int32_t bound) {
  ChainFinder finder(log);
  std::vector<Chain> chains = finder.Find(LastLinks(log, slot, dim, axis, bound));
  finder.AddAlso(&chains);
  return chains;
}

}  // namespace tessera::sharding::explain
