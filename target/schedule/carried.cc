#include "tessera/target/schedule/carried.h"

#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/union_find.h"

namespace tessera::target {
namespace {

class BufferFinder {
 public:
  BufferFinder(const Dataflow& flow, const Homes& homes, absl::Span<const int64_t> bytes)
      : flow_(flow),
        homes_(homes),
        bytes_(bytes),
        parents_(homes.of.size()),
        buffers_(homes.of.size(), kNone) {
    std::iota(parents_.begin(), parents_.end(), ValueId{0});
  }

  std::vector<ValueId> Run(absl::Span<const ScopeKernels> scopes,
                           absl::Span<const std::vector<uint32_t>> orders) {
    for (ScopeId s = 0; s < scopes.size(); ++s) FindPlaces(scopes[s], orders[s]);
    for (const ScopeKernels& scope : scopes) {
      for (const Kernel& kernel : scope.kernels) {
        if (flow_.nodes[kernel.node].opcode == hlo::Opcode::kWhile) AddLoop(kernel);
      }
    }
    for (ValueId& buffer : buffers_) {
      if (buffer != kNone) buffer = RootOf(buffer, &parents_);
    }
    return std::move(buffers_);
  }

 private:
  void FindPlaces(const ScopeKernels& scope, absl::Span<const uint32_t> order) {
    for (size_t place = 0; place < order.size(); ++place) {
      const Kernel& kernel = scope.kernels[order[place]];
      places_[kernel.node] = place;
      for (const ValueId v : kernel.reads) read_[homes_.of[v]] = place;
    }
    for (const ValueId v : scope.at_end) read_[homes_.of[v]] = std::numeric_limits<size_t>::max();
  }

  void AddLoop(const Kernel& kernel) {
    const Node& loop = flow_.nodes[kernel.node];
    const Scope& body = flow_.scopes[loop.bodies[0]];
    for (size_t k = 0; k < body.roots.size(); ++k) {
      const ValueId old = homes_.of[body.parameters[k]], next = homes_.of[body.roots[k]];
      const auto made = places_.find(flow_.values[body.roots[k]].node);
      const bool is_new = old != next && made != places_.end() && bytes_[old] == bytes_[next];
      if (!is_new || IsReadAfter(old, made->second) || !ended_.insert(next).second) continue;
      Join(old, next);
      Join(old, homes_.of[loop.results[k]]);
      const ValueId start = homes_.of[loop.operands[k]];
      if (IsHandedOver(kernel, loop.operands[k]) && bytes_[start] == bytes_[old]) Join(old, start);
    }
  }

  // To this loop alone, which nobody needs it after it.
  bool IsHandedOver(const Kernel& loop, ValueId v) {
    const ValueId start = homes_.of[v];
    return absl::c_linear_search(loop.consumes, v) && !IsReadAfter(start, places_[loop.node]) &&
           started_.insert(start).second;
  }

  // In the order of its scope.
  bool IsReadAfter(ValueId home, size_t place) const {
    const auto last = read_.find(home);
    return last != read_.end() && last->second > place;
  }

  void Join(ValueId a, ValueId b) {
    buffers_[a] = a;
    buffers_[b] = b;
    parents_[RootOf(b, &parents_)] = RootOf(a, &parents_);
  }

  const Dataflow& flow_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  absl::flat_hash_map<NodeId, size_t> places_;    // of its kernel, in the order of the scope
  absl::flat_hash_map<ValueId, size_t> read_;     // by home: the last place
  absl::flat_hash_set<ValueId> ended_, started_;  // homes that a loop has as next value or start
  std::vector<ValueId> parents_, buffers_;        // by home
};

}  // namespace

std::vector<ValueId> CarriedBuffers(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                                    absl::Span<const std::vector<uint32_t>> orders,
                                    const Homes& homes, absl::Span<const int64_t> bytes) {
  return BufferFinder(flow, homes, bytes).Run(scopes, orders);
}

}  // namespace tessera::target
