#include "tessera/cost/schedule/link_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/target/tpu/forms.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
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

// As a loop that multiplies in windows does.
bool IsWindowed(const hlo::Module& module, const target::StandingCollectives& standing,
                const TimedComputation& timed) {
  if (timed.computation == module.entry_id()) return false;
  return absl::c_all_of(timed.collectives, [&](size_t number) {
    return standing.found.collectives[number].opcode == Opcode::kCollectivePermute;
  });
}

// The products of a computation, how long each takes, and which of them a value follows from or leads to.
class Products {
 public:
  // One that is beside all values.
  explicit Products(double seconds) : words_(0), seconds_{seconds} {}

  Products(const hlo::Module& module, const TimedComputation& timed)
      : words_((timed.products.size() + 63) / 64) {
    const std::vector<InstructionId> order = hlo::PostOrder(module, timed.computation);
    for (const InstructionId id : order) {
      const auto product = timed.products.find(id);
      if (product == timed.products.end()) continue;
      numbers_.emplace(id, seconds_.size());
      seconds_.push_back(product->second);
    }
    if (seconds_.size() > kMostProducts) return;
    for (const InstructionId id : order) places_.emplace(id, places_.size());
    before_.resize(words_ * places_.size());
    after_ = before_;
    for (const InstructionId id : order) {
      for (const InstructionId operand : module.operands(id)) Add(operand, id, &before_);
    }
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      for (const InstructionId operand : module.operands(*id)) Add(*id, operand, &after_);
    }
  }

  const std::vector<double>& seconds() const { return seconds_; }

  // Numbers of those that neither lead to the value nor read it, even through others.
  std::vector<size_t> Beside(InstructionId id) const {
    std::vector<size_t> beside;
    for (size_t k = 0; k < seconds_.size(); ++k) {
      if (places_.empty() || !IsBound(places_.at(id) * words_ + k / 64, k % 64)) {
        beside.push_back(k);
      }
    }
    return beside;
  }

 private:
  static constexpr size_t kMostProducts = 512;  // of more, nearly all are beside a value

  bool IsBound(size_t word, size_t bit) const {
    return ((before_[word] | after_[word]) >> bit & 1) != 0;
  }

  // `to` gets the products of `from`, and `from` itself if it is one.
  void Add(InstructionId from, InstructionId to, std::vector<uint64_t>* sets) const {
    const size_t source = places_.at(from) * words_, target = places_.at(to) * words_;
    for (size_t w = 0; w < words_; ++w) (*sets)[target + w] |= (*sets)[source + w];
    const auto number = numbers_.find(from);
    if (number == numbers_.end()) return;
    (*sets)[target + number->second / 64] |= uint64_t{1} << (number->second % 64);
  }

  size_t words_;
  std::vector<double> seconds_;  // by number
  absl::flat_hash_map<InstructionId, size_t> numbers_, places_;
  std::vector<uint64_t> before_, after_;  // sets of numbers, by place
};

// A collective that may run beside kernels, and the products beside which it may.
struct Hidden {
  size_t number;
  double seconds;  // of these products
  std::vector<size_t> products;
};

// Each second of a product hides one second of each set of links. Collectives with the least choice choose first.
void HideBeside(const target::StandingCollectives& standing, const std::vector<double>& products,
                std::vector<Hidden> hidden, std::vector<LinkTime>* links) {
  absl::c_stable_sort(hidden,
                      [](const Hidden& a, const Hidden& b) { return a.seconds < b.seconds; });
  std::map<Links, std::vector<double>> free;
  for (const Hidden& one : hidden) {
    LinkTime& link = (*links)[one.number];
    const Links key = LinksOf(standing.found.collectives[one.number], link);
    auto& left = free.try_emplace(key, products).first->second;
    link.is_hidden_by_kernels = true;
    for (const size_t k : one.products) {
      const double seconds = std::min(left[k], link.exposed_s);
      left[k] -= seconds;
      link.exposed_s -= seconds;
    }
  }
}

// The events at one place of an order: collectives start, kernels run, collectives are done.
struct Moment {
  std::vector<size_t> starts, ends;  // numbers
  double seconds = 0;                // of kernels
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

// Where each instruction runs: at its own step, or with the first step that reads it, which it is fused into.
absl::flat_hash_map<InstructionId, size_t> PlacesOf(const hlo::Module& module,
                                                    hlo::ComputationId computation,
                                                    absl::Span<const ScheduledStep> order) {
  absl::flat_hash_map<InstructionId, size_t> places;
  for (size_t k = 0; k < order.size(); ++k) {
    if (order[k].ends) places.try_emplace(order[k].instruction, k);
  }
  const auto& instructions = module.computation(computation).instructions;
  for (auto id = instructions.rbegin(); id != instructions.rend(); ++id) {
    const size_t place = places.try_emplace(*id, order.size()).first->second;
    for (const InstructionId operand : module.operands(*id)) {
      const auto [at, is_new] = places.try_emplace(operand, place);
      // A step keeps its own place; what is fused runs with its first reader.
      if (!is_new && (at->second >= order.size() || order[at->second].instruction != operand)) {
        at->second = std::min(at->second, place);
      }
    }
  }
  return places;
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
                      std::vector<LinkTime>* links) {
  absl::flat_hash_map<InstructionId, size_t> starts;
  for (size_t k = 0; k < order.size(); ++k) {
    if (order[k].starts) starts.try_emplace(order[k].instruction, k);
  }
  std::vector<Moment> moments(order.size() + 1);
  const auto places = PlacesOf(module, timed.computation, order);
  for (const InstructionId id : module.computation(timed.computation).instructions) {
    const auto kernel = timed.seconds.find(id);
    if (kernel != timed.seconds.end()) moments[places.at(id)].seconds += kernel->second;
  }
  for (const size_t number : timed.collectives) {
    const InstructionId id = standing.executions[number].begin;
    const auto start = starts.find(id);
    const bool is_known = start != starts.end();
    const size_t from = is_known ? start->second : order.size();
    const size_t to = is_known ? places.at(id) : order.size();
    moments[from].starts.push_back(number);
    moments[to].ends.push_back(number);
    (*links)[number].is_hidden_by_kernels = is_known && from < to;
  }
  Play(standing, moments, links);
}

void SchedulePredicted(const hlo::Module& module, const target::StandingCollectives& standing,
                       const target::Target& target, const TimedComputation& timed,
                       std::vector<LinkTime>* links) {
  const bool is_windowed = IsWindowed(module, standing, timed);
  std::optional<Products> products;
  std::vector<Hidden> hidden;
  for (const size_t number : timed.collectives) {
    const Collective& collective = standing.found.collectives[number];
    LinkTime& link = (*links)[number];
    link.exposed_s = link.seconds.value_or(0);
    const target::CollectiveSize size = {collective.opcode, layout::DataBytes(collective.shape),
                                         /*in_loop=*/false, link.leaves_torus};
    if (!target::MayHide(target, size)) continue;
    if (!products.has_value()) {
      products = is_windowed ? Products(timed.kernels_s) : Products(module, timed);
    }
    Hidden one = {number, 0, products->Beside(collective.cause)};
    for (const size_t k : one.products) one.seconds += products->seconds()[k];
    if (one.seconds > 0) hidden.push_back(std::move(one));
  }
  if (!hidden.empty()) HideBeside(standing, products->seconds(), std::move(hidden), links);
}

}  // namespace tessera::cost
