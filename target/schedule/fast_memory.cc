#include "tessera/target/schedule/fast_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/schedule/kernels.h"

namespace tessera::target {
namespace {

// Options of the compiler, as it dumps them: xla_tpu_memory_space_assignment_while_execution_count and
// xla_msa_max_overlap_to_mem_size_async_copy_ratio.
constexpr double kRounds = 5;
constexpr double kLongestIdle = 8;  // in units of the time that a copy of the whole memory takes

// How much is in use at each place: a tree of maxima, to which a span adds.
class Usage {
 public:
  explicit Usage(absl::Span<const InBodies> at) {
    while (size_ < at.size()) size_ *= 2;
    most_.resize(2 * size_);
    added_.resize(2 * size_);
    for (size_t k = 0; k < at.size(); ++k) Add(k, k, at[k].bytes);
  }

  int64_t Most(size_t first, size_t last) const { return Most(1, 0, size_ - 1, first, last); }
  void Add(size_t first, size_t last, int64_t bytes) { Add(1, 0, size_ - 1, first, last, bytes); }

 private:
  int64_t Most(size_t node, size_t low, size_t high, size_t first, size_t last) const {
    if (last < low || high < first) return 0;
    if (first <= low && high <= last) return most_[node];
    const size_t middle = (low + high) / 2;
    return added_[node] + std::max(Most(2 * node, low, middle, first, last),
                                   Most(2 * node + 1, middle + 1, high, first, last));
  }

  void Add(size_t node, size_t low, size_t high, size_t first, size_t last, int64_t bytes) {
    if (last < low || high < first) return;
    if (first <= low && high <= last) {
      most_[node] += bytes;
      added_[node] += bytes;
      return;
    }
    const size_t middle = (low + high) / 2;
    Add(2 * node, low, middle, first, last, bytes);
    Add(2 * node + 1, middle + 1, high, first, last, bytes);
    most_[node] = added_[node] + std::max(most_[2 * node], most_[2 * node + 1]);
  }

  size_t size_ = 1;
  std::vector<int64_t> most_, added_;
};

struct Life {
  ValueId home = kNone;
  int64_t bytes = 0;
  size_t first = 0, last = 0;
  int64_t uses = 0;    // kernels that make or read it
  double saved = 0;    // seconds: what they save where it lies in fast memory
  double idle = 0;     // the longest time between two of them
  bool stays = false;  // in HBM

  double Worth() const { return saved / std::sqrt(static_cast<double>(bytes)); }
};

class Lives {
 public:
  // `starts`: seconds, by place, and the end.
  Lives(const Homes& homes, absl::Span<const int64_t> bytes, absl::Span<const double> starts,
        const FastMemory& memory)
      : homes_(homes), bytes_(bytes), starts_(starts), memory_(memory) {}

  // `stays`: in HBM, what it makes.
  void AddKernel(const Kernel& kernel, bool stays, size_t place) {
    for (const ValueId v : kernel.reads) Use(v, kernel.node, place);
    for (const ValueId v : kernel.makes) Use(v, kernel.node, place);
    Keep(kernel.consumes);
    if (stays) Keep(kernel.makes);
  }

  // In HBM.
  void Keep(absl::Span<const ValueId> values) {
    for (const ValueId v : values) Of(v).stays = true;
  }

  // The one that is worth most first.
  std::vector<Life> Sorted() {
    absl::c_stable_sort(lives_, [](const Life& a, const Life& b) { return a.Worth() > b.Worth(); });
    return std::move(lives_);
  }

 private:
  Life& Of(ValueId v) {
    const ValueId home = homes_.of[v];
    const auto [at, is_new] = numbers_.try_emplace(home, lives_.size());
    if (is_new) {
      lives_.push_back({home});
      lives_.back().bytes = homes_.is_free[home] ? 0 : bytes_[home];
    }
    return lives_[at->second];
  }

  // No more than the kernel takes beyond its products.
  double Saved(const Life& life, NodeId node) const {
    const double computing = memory_.computing.empty() ? 0 : memory_.computing[node];
    return std::min(static_cast<double>(life.bytes) / memory_.copied_per_s,
                    memory_.seconds[node] - computing);
  }

  void Use(ValueId v, NodeId node, size_t place) {
    Life& life = Of(v);
    life.saved += Saved(life, node);
    if (life.uses++ == 0) {
      life.first = place;
    } else if (place > life.last) {
      life.idle = std::max(life.idle, starts_[place] - starts_[life.last + 1]);
    }
    life.last = place;
  }

  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  const absl::Span<const double> starts_;
  const FastMemory& memory_;
  absl::flat_hash_map<ValueId, size_t> numbers_;  // of `lives_`, by home
  std::vector<Life> lives_;
};

InBodies Largest(const Node& node, absl::Span<const InBodies> of_scopes) {
  InBodies most;
  for (const ScopeId body : node.bodies) {
    most.bytes = std::max(most.bytes, of_scopes[body].bytes);
    most.seconds = std::max(most.seconds, of_scopes[body].seconds);
  }
  return most;
}

bool MayBeFast(const Life& life, const FastMemory& memory) {
  return !life.stays && life.bytes > 0 &&
         life.idle * memory.copied_per_s <= kLongestIdle * static_cast<double>(memory.bytes);
}

// A product, or the slice that it ends in (target/dataflow/widened_for_gathers.h).
bool WritesTwoTypes(const Node& node, const Kernel& kernel) {
  const bool is_product = node.opcode == hlo::Opcode::kDot || node.opcode == hlo::Opcode::kSlice;
  return is_product && kernel.makes.size() > 1;
}

// Seconds. A program of a microsecond copies nothing ahead.
constexpr double kCopyStarts = 1e-6;

// Of arguments that kernels read: as many as there is time for in front of their first readers.
int64_t BytesCopiedAhead(const Dataflow& flow, const ScopeKernels& scope,
                         absl::Span<const uint32_t> order, absl::Span<const double> starts,
                         absl::Span<const int64_t> bytes, const FastMemory& memory) {
  absl::flat_hash_set<ValueId> seen;
  int64_t ahead = 0;
  for (size_t place = 0; place < order.size(); ++place) {
    const Kernel& kernel = scope.kernels[order[place]];
    if (!flow.nodes[kernel.node].bodies.empty()) continue;
    const int64_t in_time =
        std::llround(std::max(starts[place] - kCopyStarts, 0.0) * memory.copied_per_s);
    for (const ValueId v : kernel.reads) {
      const Node* maker = flow.NodeOf(v);
      const bool is_argument = maker != nullptr && maker->opcode == hlo::Opcode::kParameter;
      if (is_argument && seen.insert(v).second)
        ahead = std::min(ahead + bytes[v], std::max(ahead, in_time));
    }
  }
  return ahead;
}

}  // namespace

FastValues FindFastValues(const Dataflow& flow, const ScopeKernels& scope,
                          absl::Span<const uint32_t> order, const Homes& homes,
                          absl::Span<const int64_t> bytes, const FastMemory& memory,
                          absl::Span<const InBodies> in_bodies) {
  std::vector<double> starts = {0};
  for (size_t place = 0; place < order.size(); ++place) {
    const NodeId node = scope.kernels[order[place]].node;
    const double seconds = IsMessage(flow.nodes[node].opcode) ? 0 : memory.seconds[node];
    starts.push_back(starts.back() + seconds + kRounds * in_bodies[place].seconds);
  }
  Lives lives(homes, bytes, starts, memory);
  for (size_t place = 0; place < order.size(); ++place) {
    const Kernel& kernel = scope.kernels[order[place]];
    const Node& node = flow.nodes[kernel.node];
    lives.AddKernel(kernel, !node.bodies.empty() || WritesTwoTypes(node, kernel), place);
  }
  lives.Keep(scope.at_start);
  lives.Keep(scope.at_end);

  FastValues fast;
  fast.seconds = starts.back();
  Usage usage(in_bodies);
  for (const Life& life : lives.Sorted()) {
    if (!MayBeFast(life, memory)) continue;
    if (usage.Most(life.first, life.last) > memory.bytes - life.bytes) continue;
    usage.Add(life.first, life.last, life.bytes);
    fast.homes.push_back(life.home);
  }
  if (!order.empty()) fast.most = usage.Most(0, order.size() - 1);
  fast.ahead = BytesCopiedAhead(flow, scope, order, starts, bytes, memory);
  return fast;
}

int64_t PlaceInFastMemory(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                          absl::Span<const std::vector<uint32_t>> orders,
                          absl::Span<const int64_t> bytes, const FastMemory& memory, Homes* homes) {
  std::vector<InBodies> of_scopes(scopes.size());
  int64_t in_use = 0, ahead = 0;  // of the scope at work; the entry is the last one
  for (size_t s = scopes.size(); s-- > 0;) {
    std::vector<InBodies> in_bodies;
    for (const uint32_t k : orders[s])
      in_bodies.push_back(Largest(flow.nodes[scopes[s].kernels[k].node], of_scopes));
    const FastValues fast =
        FindFastValues(flow, scopes[s], orders[s], *homes, bytes, memory, in_bodies);
    for (const ValueId home : fast.homes) homes->is_free[home] = true;
    of_scopes[s] = {fast.most, fast.seconds};
    in_use = fast.most;
    ahead = fast.ahead;
  }
  return std::max(in_use, std::min(memory.bytes, in_use + ahead));
}

}  // namespace tessera::target
