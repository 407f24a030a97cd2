#include "tessera/cost/schedule/link_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "tessera/hlo/order.h"
#include "tessera/target/kernels/roles.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::partition::Collective;

// Collectives with equal keys share links: permutes only with those between the same devices.
using Links = std::vector<std::pair<int64_t, int64_t>>;
Links LinksOf(const Collective& collective) {
  return {collective.pairs.begin(), collective.pairs.end()};
}

// A clock of the device and one of each set of links.
class Clock {
 public:
  explicit Clock(const target::StandingCollectives& standing) : standing_(standing) {}

  void Advance(double seconds) { now_ += seconds; }

  void Start(size_t number, double seconds) {
    double& free = free_[LinksOf(standing_.found.collectives[number])];
    free = std::max(now_, free) + seconds;
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

bool FeedsProduct(const hlo::Module& module, const hlo::UserMap& users, InstructionId id,
                  int depth) {
  const auto of = users.find(id);
  if (of == users.end() || depth == 0) return false;
  return std::any_of(of->second.begin(), of->second.end(), [&](InstructionId user) {
    switch (target::RoleOf(module, user)) {
      case target::Role::kProduct:
        return true;
      case target::Role::kLight:
      case target::Role::kFree:
        return FeedsProduct(module, users, user, depth - 1);
      default:
        return false;
    }
  });
}

// As a loop that multiplies in windows does.
bool OnlyPermutes(const target::StandingCollectives& standing, const TimedComputation& timed) {
  return absl::c_all_of(timed.collectives, [&](size_t number) {
    return standing.found.collectives[number].opcode == Opcode::kCollectivePermute;
  });
}

// Operations between a gather and the product that reads it.
constexpr int kMostBetween = 3;

// Which products and calls of a computation each of its values follows from, and which follow from it.
class WorkOrder {
 public:
  WorkOrder(const hlo::Module& module, const TimedComputation& timed)
      : words_((timed.works.size() + 63) / 64), all_(timed.works.size()) {
    if (all_ > kMostWorks) return;
    const auto& instructions = module.computation(timed.computation).instructions;
    for (const InstructionId id : instructions) places_.emplace(id, places_.size());
    before_.resize(words_ * places_.size());
    behind_ = before_;
    absl::flat_hash_map<InstructionId, size_t> numbers;
    for (const InstructionId id : instructions) {
      if (timed.works.contains(id)) numbers.emplace(id, numbers.size());
      for (const InstructionId operand : module.operands(id)) Add(operand, id, numbers, &before_);
    }
    for (auto id = instructions.rbegin(); id != instructions.rend(); ++id) {
      for (const InstructionId operand : module.operands(*id)) Add(*id, operand, numbers, &behind_);
    }
  }

  // Whether one of them neither leads to the value nor reads it, even through others.
  bool AnyBeside(InstructionId id) const {
    if (all_ > kMostWorks) return true;
    size_t bound = 0;
    const size_t begin = places_.at(id) * words_;
    for (size_t w = begin; w < begin + words_; ++w) {
      bound += static_cast<size_t>(absl::popcount(before_[w] | behind_[w]));
    }
    return bound < all_;
  }

 private:
  static constexpr size_t kMostWorks = 512;  // among more there is always one

  // What `from` has, and `from` itself if it is one of them, `to` has too.
  void Add(InstructionId from, InstructionId to,
           const absl::flat_hash_map<InstructionId, size_t>& numbers, std::vector<uint64_t>* sets) {
    const size_t source = places_.at(from) * words_, target = places_.at(to) * words_;
    for (size_t w = 0; w < words_; ++w) (*sets)[target + w] |= (*sets)[source + w];
    const auto number = numbers.find(from);
    if (number == numbers.end()) return;
    (*sets)[target + number->second / 64] |= uint64_t{1} << (number->second % 64);
  }

  size_t words_, all_;
  absl::flat_hash_map<InstructionId, size_t> places_;
  std::vector<uint64_t> before_, behind_;  // sets of numbers, by place
};

// What happens at one place of an order: collectives start, kernels run, collectives are done.
struct Moment {
  std::vector<size_t> starts, ends;  // numbers
  double seconds = 0;                // of kernels
};

void Play(const target::StandingCollectives& standing, absl::Span<const Moment> moments,
          std::vector<LinkTime>* links) {
  Clock clock(standing);
  for (const Moment& moment : moments) {
    for (const size_t k : moment.starts) clock.Start(k, (*links)[k].seconds.value_or(0));
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
  const bool is_tpu = target.chip->platform == target::Platform::kTpu;
  hlo::UserMap users;
  std::map<Links, double> hidden;
  std::optional<WorkOrder> order;
  for (const size_t number : timed.collectives) {
    const Collective& collective = standing.found.collectives[number];
    LinkTime& link = (*links)[number];
    link.is_hidden_by_kernels = is_tpu && collective.opcode == Opcode::kCollectivePermute;
    if (target.chip->hides_gathers && collective.opcode == Opcode::kAllGather) {
      if (users.empty()) users = hlo::FindUsers(module, timed.computation);
      link.is_hidden_by_kernels = FeedsProduct(module, users, collective.cause, kMostBetween);
      if (link.is_hidden_by_kernels && !order.has_value()) order.emplace(module, timed);
      link.is_hidden_by_kernels &= !order.has_value() || order->AnyBeside(collective.cause);
    }
    if (link.is_hidden_by_kernels) hidden[LinksOf(collective)] += link.seconds.value_or(0);
  }
  const double beside = OnlyPermutes(standing, timed) ? timed.kernels_s : timed.products_s;
  for (const size_t number : timed.collectives) {
    LinkTime& link = (*links)[number];
    const double all = hidden[LinksOf(standing.found.collectives[number])];
    const bool may_hide = link.is_hidden_by_kernels && all > 0;
    link.exposed_s = link.seconds.value_or(0) * (may_hide ? std::max(0.0, 1 - beside / all) : 1);
  }
}

}  // namespace tessera::cost
