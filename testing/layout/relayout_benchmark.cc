// The engine beside memcpy, a copy around the caches, oneDNN's reorder and a plain blocked
// transposition, in one run and in turns; prints one line a case. See notes/relayout.md.
//
//   relayout_benchmark               all cases
//   relayout_benchmark T f32.3       those whose names begin so
//
// Each figure is among the best of many runs: neighbours on a shared machine only make runs slower.
// What one thread does is counted in its own CPU time, which stops while others have the processor;
// several threads by wall-clock time.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/relayout/kernels/kernels.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"
#include "tessera/testing/layout/benchmark_cases.h"
#include "tessera/testing/layout/benchmark_peers.h"

namespace tessera::layout::relayout {
namespace {

constexpr double kSecondsEach = 0.3;  // at least this long for each way of each case
constexpr int64_t kCacheBytes = 8 << 20;
constexpr int kLeastRuns = 9;
constexpr double kLongCase = 15;  // seconds after which three runs of each are enough
constexpr int kPlans = 10;        // made between two looks at the clock
constexpr int kPlanRounds = 100;
constexpr int kThreads[] = {2, 4, 8};

struct Free {
  void operator()(uint8_t* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<uint8_t, Free>;

Buffer MakeBuffer(int64_t bytes) {
  Buffer buffer(static_cast<uint8_t*>(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)));
  std::memset(buffer.get(), 1, bytes);
  return buffer;
}

struct Times {
  double cpu = std::numeric_limits<double>::infinity();  // of this thread
  double wall = std::numeric_limits<double>::infinity();
};

// All runs of one way.
struct Samples {
  std::vector<double> cpu, wall;
};

// All but the fastest twentieth: on some virtual machines the clock of a thread stands still at
// times.
double Best(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::infinity();
  const auto best = samples.begin() + samples.size() / 20;
  std::nth_element(samples.begin(), best, samples.end());
  return *best;
}

double Now(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Times TimesOf(const Work& work) {
  const double wall = Now(CLOCK_MONOTONIC), cpu = Now(CLOCK_THREAD_CPUTIME_ID);
  work();
  return {Now(CLOCK_THREAD_CPUTIME_ID) - cpu, Now(CLOCK_MONOTONIC) - wall};
}

// The best time of each way; they take turns, so that a busy machine is fair to all. Where all
// fits into the caches, each way finds there what it left itself, not what the way before did.
std::vector<Times> BestTimes(const std::vector<Work>& ways, bool warm) {
  std::vector<Samples> samples(ways.size());
  double total = 0;
  const auto enough = [&](int rounds) {
    return total > kLongCase ? rounds >= 3
                             : total > kSecondsEach * ways.size() && rounds >= kLeastRuns;
  };
  for (int round = 0; !enough(round); ++round) {
    for (size_t i = 0; i < ways.size(); ++i) {
      if (!ways[i]) continue;
      if (warm) ways[i]();
      const Times times = TimesOf(ways[i]);
      total += times.wall;
      samples[i].cpu.push_back(times.cpu);
      samples[i].wall.push_back(times.wall);
    }
  }
  std::vector<Times> best;
  for (const Samples& s : samples) best.push_back({Best(s.cpu), Best(s.wall)});
  return best;
}

Options OptionsOf(const BenchmarkCase& c, int threads) {
  Options options;
  options.perm = c.perm;
  options.threads = threads;
  options.repack = true;
  return options;
}

double PlanSeconds(const BenchmarkCase& c, const Shape& src, const Shape& dst) {
  const Options options = OptionsOf(c, 1);
  const Work plans = [&] {
    for (int i = 0; i < kPlans; ++i) (void)Plan::Create(src, dst, options);
  };
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kPlanRounds; ++round) best = std::min(best, TimesOf(plans).cpu);
  return best / kPlans;
}

// One case, ready to run.
struct Prepared {
  Shape src, dst;
  Plan plan;
  int64_t bytes;  // of the copies that it is compared with
  Buffer from, to;
};

Prepared Prepare(const BenchmarkCase& c) {
  Shape src = *ParseShape(c.src), dst = *ParseShape(c.dst);
  Plan plan = *Plan::Create(src, dst, OptionsOf(c, 1));
  const int64_t dense = (plan.data_bytes() + *src.NumElements() * StoredBits(src) / 8) / 2;
  const int64_t bytes = c.touched > 0 ? c.touched : dense;
  Buffer from = MakeBuffer(std::max(bytes, plan.src_bytes()));
  Buffer to = MakeBuffer(std::max(bytes, plan.dst_bytes()));
  return {std::move(src), std::move(dst), std::move(plan), bytes, std::move(from), std::move(to)};
}

// memcpy, the streaming copy, the engine, the two peers, then the engine with more threads.
std::vector<Work> WaysOf(const BenchmarkCase& c, const Prepared& p) {
  uint8_t *const from = p.from.get(), *const to = p.to.get();
  std::vector<Work> ways = {
      [=, bytes = p.bytes] { std::memcpy(to, from, bytes); },
      [=, bytes = p.bytes] {
        KernelsOfThisCpu().copy(from, to, {1, bytes, 0, 0}, true);
        KernelsOfThisCpu().fence();
      },
      [=, &p] { p.plan.Run(from, to); },
  };
  const bool peers = !c.perm.empty() && StoredBits(p.src) == StoredBits(p.dst);
  const PeerCase peer{p.src.dims(), c.perm, StoredBits(p.src) / 8, from, to};
  ways.push_back(peers ? BlockedWork(peer) : nullptr);
  ways.push_back(peers ? OneDnnWork(peer) : nullptr);
  for (const int threads : kThreads) {
    static Executor* const pool = new Executor(MakePool(kThreads[std::size(kThreads) - 1]));
    const Plan plan = *Plan::Create(p.src, p.dst, OptionsOf(c, threads));
    ways.push_back([=] { plan.Run(from, to, *pool); });
  }
  return ways;
}

std::string Ratio(double reference, double time) {
  return std::isinf(time) ? "" : absl::StrFormat("%.2f", reference / time);
}

// The first ways of WaysOf, which need one thread.
constexpr size_t kOneThread = 5;

// Returns how the engine stands to the bar, 0 without one.
double RunCase(const BenchmarkCase& c) {
  const Prepared p = Prepare(c);
  const std::vector<Times> t = BestTimes(WaysOf(c, p), p.bytes <= kCacheBytes);
  std::printf("| %s | %s | %.1f | %s | %s |", c.name.c_str(), c.what.c_str(),
              1e-9 * p.bytes / t[0].cpu, Ratio(t[0].cpu, t[2].cpu).c_str(),
              Ratio(t[1].cpu, t[2].cpu).c_str());
  std::printf(" %s |", c.bar > 0 ? absl::StrFormat("%.2f", c.bar).c_str() : "");
  for (size_t way = 3; way < t.size(); ++way) {
    const bool one = way < kOneThread;
    std::printf(" %s |",
                (one ? Ratio(t[0].cpu, t[way].cpu) : Ratio(t[0].wall, t[way].wall)).c_str());
  }
  std::printf(" %.1f |\n", 1e6 * PlanSeconds(c, p.src, p.dst));
  std::fflush(stdout);
  return c.bar > 0 ? t[0].cpu / t[2].cpu / c.bar : 0;
}

bool IsWanted(const std::string& name, int argc, char** argv) {
  const auto begins = [&](const char* wanted) { return absl::StartsWith(name, wanted); };
  return argc < 2 || std::any_of(argv + 1, argv + argc, begins);
}

}  // namespace
}  // namespace tessera::layout::relayout

int main(int argc, char** argv) {
  using namespace tessera::layout::relayout;
  double log_sum = 0;
  int count = 0;
  std::printf(
      "| case | what | memcpy GB/s | engine | of streaming copy | TransposePlan | blocked | oneDNN "
      "| 2 threads | 4 | 8 | plan us |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  for (const BenchmarkCase& c : BenchmarkCases()) {
    if (!IsWanted(c.name, argc, argv)) continue;
    const double above = RunCase(c);
    if (above == 0) continue;
    log_sum += std::log(above);
    ++count;
  }
  if (count > 0) {
    std::printf("\ngeometric mean over TransposePlan: %.2f\n", std::exp(log_sum / count));
  }
  return 0;
}
