#include "tessera/target/schedule/fast_memory.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/target/schedule/carried.h"

namespace tessera::target {
namespace {

// Options of the compiler, as it dumps them: xla_tpu_memory_space_assignment_while_execution_count and
// xla_msa_max_overlap_to_mem_size_async_copy_ratio.
constexpr double kRounds = 5;
constexpr double kLongestIdle = 8;  // in units of the time that a copy of the whole memory takes

// Seconds. A program of a microsecond copies nothing ahead.
constexpr double kCopyStarts = 1e-6;

// How much is in use at each place: a tree of maxima, to which a span adds.
class Usage {
 public:
  explicit Usage(size_t places) {
    while (size_ < places) size_ *= 2;
    most_.resize(2 * size_);
    added_.resize(2 * size_);
  }

  int64_t Most() const { return most_[1]; }
  // The first place with the most.
  size_t PlaceOfMost() const {
    size_t node = 1;
    while (node < size_) node = most_[2 * node] >= most_[2 * node + 1] ? 2 * node : 2 * node + 1;
    return node - size_;
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
  int64_t bytes = 0;
  size_t first = 0, last = 0;  // places
  int64_t uses = 0;            // kernels that make or read it
  double saved = 0;            // seconds: what they save where it lies in fast memory
  double idle = 0;             // the longest time between two of them
  bool stays = false;          // in HBM

  double Worth() const { return saved / std::sqrt(static_cast<double>(bytes)); }
};

// All scopes in one line. A loop or conditional has a place in front of its bodies and one after them.
class Lives {
 public:
  Lives(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
        absl::Span<const std::vector<uint32_t>> orders, const Homes& homes,
        absl::Span<const int64_t> bytes, const FastMemory& memory)
      : flow_(flow),
        scopes_(scopes),
        orders_(orders),
        homes_(homes),
        bytes_(bytes),
        memory_(memory),
        buffers_(CarriedBuffers(flow, scopes, orders, homes, bytes)) {
    Walk(0, 1);
    Keep(scopes_[0].at_start);
    Keep(scopes_[0].at_end);
  }

  size_t places() const { return places_.size(); }
  int64_t ahead() const { return ahead_; }

  // Those that may lie in fast memory, by the value that all of a life share; what is worth most first.
  std::vector<std::pair<ValueId, Life>> Sorted() {
    std::vector<std::pair<ValueId, Life>> sorted;
    for (const ValueId v : order_of_lives_) {
      if (MayBeFast(lives_[v])) sorted.emplace_back(v, lives_[v]);
    }
    absl::c_stable_sort(
        sorted, [](const auto& a, const auto& b) { return a.second.Worth() > b.second.Worth(); });
    return sorted;
  }

  ValueId Shared(ValueId home) const { return buffers_[home] == kNone ? home : buffers_[home]; }

 private:
  struct Place {
    double starts = 0, ends = 0;   // seconds, of all rounds
    double before = 1, after = 1;  // how often that runs which is in front of it, and after it
  };

  void Walk(ScopeId s, double rounds) {
    for (const uint32_t k : orders_[s]) {
      const Kernel& kernel = scopes_[s].kernels[k];
      const Node& node = flow_.nodes[kernel.node];
      if (!node.bodies.empty()) {
        WalkBodies(kernel, node, rounds);
        continue;
      }
      const double seconds = memory_.seconds[kernel.node];
      AddPlace(seconds, rounds, rounds);
      const double saves = std::max(seconds - Computing(kernel.node), 0.0);
      UseAll(kernel.reads, saves);
      UseAll(kernel.outer, saves);
      UseAll(kernel.makes, saves);
      if (s == 0) CopyAhead(kernel);
    }
  }

  // What a body reads from outside is there for all of the loop.
  void WalkBodies(const Kernel& kernel, const Node& node, double rounds) {
    const double inside = rounds * RoundsOf(node);
    AddPlace(0, rounds, inside);
    UseAll(kernel.reads, 0);
    for (const ScopeId body : node.bodies) UseAll(scopes_[body].at_start, 0);
    for (const ScopeId body : node.bodies) Walk(body, inside);
    AddPlace(0, inside, rounds);
    for (const ValueId v : kernel.reads) {
      if (!absl::c_linear_search(kernel.consumes, v)) Use(v, 0);
    }
    UseAll(kernel.makes, 0);
    for (const ScopeId body : node.bodies) {
      UseAll(scopes_[body].at_end, 0);
      KeepOthers(scopes_[body].at_start);
      KeepOthers(scopes_[body].at_end);
    }
    KeepOthers(kernel.consumes);
    KeepOthers(kernel.makes);
  }

  // A windowed einsum among few devices is no loop any more, of two rounds (readers.h).
  double RoundsOf(const Node& node) const {
    if (node.opcode != hlo::Opcode::kWhile) return 1;
    return IsUnrolled(flow_, node) ? 2 : kRounds;
  }

  void AddPlace(double seconds, double before, double after) {
    const double starts = places_.empty() ? 0 : places_.back().ends;
    places_.push_back({starts, starts + before * seconds, before, after});
  }

  double Computing(NodeId n) const { return memory_.computing.empty() ? 0 : memory_.computing[n]; }

  Life& Of(ValueId v) {
    const ValueId home = homes_.of[v];
    const auto [at, is_new] = lives_.try_emplace(Shared(home));
    if (is_new) {
      order_of_lives_.push_back(Shared(home));
      at->second.bytes = bytes_[home];
    }
    at->second.stays |= homes_.is_free[home];
    return at->second;
  }

  template <typename Values>
  void UseAll(const Values& values, double saves) {
    for (const ValueId v : values) Use(v, saves);
  }

  // By the kernel at the last place, which saves no more than it takes beyond its products.
  void Use(ValueId v, double saves) {
    Life& life = Of(v);
    const Place& now = places_.back();
    life.saved +=
        now.before * std::min(static_cast<double>(life.bytes) / memory_.copied_per_s, saves);
    if (life.uses++ == 0) life.first = life.last = places_.size() - 1;
    const Place& before = places_[life.last];
    const double idle = now.starts - before.ends;
    life.idle = std::max(life.idle, idle / std::min(now.before, before.after));
    life.last = places_.size() - 1;
  }

  // In HBM.
  template <typename Values>
  void Keep(const Values& values) {
    for (const ValueId v : values) Of(v).stays = true;
  }

  template <typename Values>
  void KeepOthers(const Values& values) {
    for (const ValueId v : values) {
      if (buffers_[homes_.of[v]] == kNone) Of(v).stays = true;
    }
  }

  bool MayBeFast(const Life& life) const {
    return !life.stays && life.bytes > 0 &&
           life.idle * memory_.copied_per_s <= kLongestIdle * static_cast<double>(memory_.bytes);
  }

  // Arguments that a kernel of the entry reads: as many as there is time for in front of it.
  void CopyAhead(const Kernel& kernel) {
    const double seconds = std::max(places_.back().starts - kCopyStarts, 0.0);
    const int64_t in_time = std::llround(seconds * memory_.copied_per_s);
    for (const ValueId v : kernel.reads) {
      const Node* maker = flow_.NodeOf(v);
      const bool is_argument = maker != nullptr && maker->opcode == hlo::Opcode::kParameter;
      if (is_argument && seen_.insert(v).second)
        ahead_ = std::min(ahead_ + bytes_[v], std::max(ahead_, in_time));
    }
  }

  const Dataflow& flow_;
  const absl::Span<const ScopeKernels> scopes_;
  const absl::Span<const std::vector<uint32_t>> orders_;
  const Homes& homes_;
  const absl::Span<const int64_t> bytes_;
  const FastMemory& memory_;
  const std::vector<ValueId> buffers_;  // that loops carry
  std::vector<Place> places_;
  absl::flat_hash_map<ValueId, Life> lives_;
  std::vector<ValueId> order_of_lives_;
  absl::flat_hash_set<ValueId> seen_;  // arguments
  int64_t ahead_ = 0;
};

}  // namespace

FastUse PlaceInFastMemory(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                          absl::Span<const std::vector<uint32_t>> orders,
                          absl::Span<const int64_t> bytes, const FastMemory& memory, Homes* homes) {
  Lives lives(flow, scopes, orders, *homes, bytes, memory);
  Usage usage(lives.places());
  absl::flat_hash_map<ValueId, Life> fast;
  for (const auto& [v, life] : lives.Sorted()) {
    if (usage.Most(life.first, life.last) > memory.bytes - life.bytes) continue;
    usage.Add(life.first, life.last, life.bytes);
    fast.emplace(v, life);
  }
  for (ValueId v = 0; v < homes->of.size(); ++v) {
    if (homes->of[v] == v && fast.contains(lives.Shared(v))) homes->is_free[v] = true;
  }
  FastUse use;
  use.copied_ahead = std::clamp<int64_t>(memory.bytes - usage.Most(), 0, lives.ahead());
  use.bytes = usage.Most() + use.copied_ahead;
  const size_t place = usage.PlaceOfMost();
  for (const auto& [v, life] : fast) {
    if (life.first <= place && place <= life.last) use.values.push_back(v);
  }
  return use;
}

}  // namespace tessera::target
