#include "tessera/cost/schedule/link_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/order.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using sharding::partition::Collective;

// Collectives with equal keys share links: permutes only with those between the same devices, and what crosses the
// network between slices only with its like.
using Links = std::vector<std::pair<int64_t, int64_t>>;
Links LinksOf(const Collective& collective, const LinkTime& time) {
  if (time.leaves_torus) return {{-1, -1}};
  return {collective.pairs.begin(), collective.pairs.end()};
}

// A clock of the device and one of each set of links.
class Clock {
 public:
  explicit Clock(const target::StandingCollectives& standing) : standing_(standing) {}

  void Advance(double seconds) { now_ += seconds; }

  void Start(size_t number, const LinkTime& time) {
    double& free = free_[LinksOf(standing_.found.collectives[number], time)];
    free = std::max(now_, free) + time.seconds.value_or(0);
    ends_[number] = free;
  }

  // How long the device waits.
  double Wait(size_t number) {
    const auto end = ends_.find(number);
    if (end == ends_.end()) return 0;
    const double waited = std::max(0.0, end->second - now_);
    now_ += waited;
    return waited;
  }

 private:
  const target::StandingCollectives& standing_;
  double now_ = 0;
  std::map<Links, double> free_;
  absl::flat_hash_map<size_t, double> ends_;
};

// The events at one place of an order: collectives start, kernels run, collectives are done.
struct Moment {
  std::vector<size_t> starts, ends;  // numbers
  double seconds = 0;                // of kernels
  bool computes = false;             // one of these does more than move data
};

void Play(const target::StandingCollectives& standing, absl::Span<const Moment> moments,
          std::vector<LinkTime>* links) {
  Clock clock(standing);
  for (const Moment& moment : moments) {
    for (const size_t k : moment.starts) clock.Start(k, (*links)[k]);
    // What waits in its own fusion waits in front of what the fusion computes.
    const bool waits_first = !moment.starts.empty() && !moment.ends.empty();
    if (!waits_first) clock.Advance(moment.seconds);
    for (const size_t k : moment.ends) (*links)[k].exposed_s += clock.Wait(k);
    if (waits_first) clock.Advance(moment.seconds);
  }
}

using Places = absl::flat_hash_map<InstructionId, size_t>;

// Where each instruction of a modelled order runs.
class ModelledPlaces {
 public:
  ModelledPlaces(const hlo::Module& module, hlo::ComputationId computation,
                 absl::Span<const ScheduledStep> order)
      : module_(module), order_(order), instructions_(hlo::PostOrder(module, computation)) {
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k].starts) starts_.try_emplace(order[k].instruction, k);
      if (order[k].ends) steps_.try_emplace(order[k].instruction, k);
    }
    FindFirstReaders();
    FindNeeded();
  }

  size_t end() const { return order_.size(); }
  const std::vector<InstructionId>& instructions() const { return instructions_; }

  // Its own step, else one between the last step that it needs and its first reader: in front of the next end of a
  // collective, so that it runs beside that.
  size_t OfKernel(InstructionId id) const {
    const size_t reader = readers_.at(id);
    if (steps_.contains(id)) return reader;
    for (size_t k = needed_.at(id) + 1; k < reader; ++k) {
      if (!order_[k].starts) return k - 1;
    }
    return reader;
  }

  // The steps at which a collective starts and ends.
  std::pair<size_t, size_t> OfCollective(InstructionId id, bool leaves_torus) const {
    const auto start = starts_.find(id);
    if (start == starts_.end()) return {end(), end()};
    return leaves_torus ? BetweenHosts(id) : std::pair(start->second, steps_.at(id));
  }

 private:
  // Hosts send and receive from when the operand is there until the first reader.
  std::pair<size_t, size_t> BetweenHosts(InstructionId id) const {
    size_t from = 0;
    for (const InstructionId operand : module_.operands(id)) {
      from = std::max(from, needed_.at(operand));
    }
    size_t to = end();
    for (const InstructionId reader : instructions_) {
      if (absl::c_linear_search(module_.operands(reader), id))
        to = std::min(to, readers_.at(reader));
    }
    return {from, std::max(from, to)};
  }

  // A step keeps its own place; what is fused runs with its first reader.
  void FindFirstReaders() {
    readers_ = steps_;
    for (auto id = instructions_.rbegin(); id != instructions_.rend(); ++id) {
      const size_t place = readers_.try_emplace(*id, end()).first->second;
      for (const InstructionId operand : module_.operands(*id)) {
        const auto [at, is_new] = readers_.try_emplace(operand, place);
        if (!is_new && !steps_.contains(operand)) at->second = std::min(at->second, place);
      }
    }
  }

  void FindNeeded() {
    needed_ = steps_;
    for (const InstructionId id : instructions_) {
      size_t last = 0;
      for (const InstructionId operand : module_.operands(id)) {
        last = std::max(last, needed_.at(operand));
      }
      needed_.try_emplace(id, last);
    }
  }

  const hlo::Module& module_;
  const absl::Span<const ScheduledStep> order_;
  const std::vector<InstructionId> instructions_;  // operands first
  Places starts_, steps_;                          // of what is a step
  Places readers_, needed_;  // of all: the first step that needs it, and the last that it needs
};

// The kernels from one step to another.
bool AnyComputes(absl::Span<const Moment> moments, size_t from, size_t to) {
  return absl::c_any_of(moments.subspan(from, to - from),
                        [](const Moment& moment) { return moment.computes; });
}

}  // namespace

void ScheduleFinal(const hlo::Module& module, const target::StandingCollectives& standing,
                   const TimedComputation& timed, std::vector<LinkTime>* links) {
  const auto& instructions = module.computation(timed.computation).instructions;
  absl::flat_hash_map<InstructionId, size_t> places;
  std::vector<Moment> moments(instructions.size());
  for (size_t k = 0; k < instructions.size(); ++k) {
    places.emplace(instructions[k], k);
    const auto kernel = timed.seconds.find(instructions[k]);
    if (kernel != timed.seconds.end()) moments[k].seconds = kernel->second;
  }
  for (const size_t number : timed.collectives) {
    const target::Execution& e = standing.executions[number];
    moments[places.at(e.begin)].starts.push_back(number);
    moments[places.at(e.end == hlo::kNoId ? e.begin : e.end)].ends.push_back(number);
    (*links)[number].is_hidden_by_kernels = !e.is_synchronous();
  }
  Play(standing, moments, links);
}

void ScheduleModelled(const hlo::Module& module, const target::StandingCollectives& standing,
                      absl::Span<const ScheduledStep> order, const TimedComputation& timed,
                      const target::Chip& chip, std::vector<LinkTime>* links) {
  const ModelledPlaces places(module, timed.computation, order);
  std::vector<Moment> moments(order.size() + 1);
  for (const InstructionId id : places.instructions()) {
    const auto kernel = timed.seconds.find(id);
    if (kernel == timed.seconds.end()) continue;
    Moment& moment = moments[places.OfKernel(id)];
    moment.seconds += kernel->second;
    moment.computes |= timed.computing.contains(id);
  }
  for (const size_t number : timed.collectives) {
    LinkTime& link = (*links)[number];
    auto [from, to] = places.OfCollective(standing.executions[number].begin, link.leaves_torus);
    const bool is_in_kernels = chip.hides_gathers && !link.leaves_torus &&
                               standing.found.collectives[number].opcode == hlo::Opcode::kAllGather;
    if (is_in_kernels && !AnyComputes(moments, from, to)) from = to;
    moments[from].starts.push_back(number);
    moments[to].ends.push_back(number);
    link.is_hidden_by_kernels = from < to;
  }
  Play(standing, moments, links);
}

}  // namespace tessera::cost
