#include "tessera/target/priority_fusion/kernel_time.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/launch.h"
#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

// Of an H100, as XLA's description of the device has them.
constexpr double kBandwidth = 3.35232e12;  // bytes a second
constexpr double kClock = 1.98e9;
constexpr double kCores = 132, kLanes = 128;
constexpr double kBytesOfBlock = 32;  // a cycle
constexpr double kL2Bytes = 52428800, kL1Bytes = 2048 * kCores;
constexpr double kL2Speedup = 2.5, kL1Speedup = 8;
constexpr double kParallelShare = 0.95;
constexpr double kBytesOfRead = 64;  // from memory

double Bandwidth(double bandwidth, double blocks) {
  return std::min(bandwidth, blocks * kClock * kBytesOfBlock);
}

// `rate`: the part of the bandwidth that is of use.
double ReadSeconds(double blocks, double bytes, double whole, double rate) {
  const double first = std::min(bytes, whole);
  double again = kBandwidth;
  if (first < kL2Bytes) {
    again *= first < kL1Bytes ? kL2Speedup * kL1Speedup : kL2Speedup;
  } else {
    again *= rate;
  }
  return first / Bandwidth(kBandwidth * rate, blocks) + (bytes - first) / Bandwidth(again, blocks);
}

double RateOf(const OperandUse& use, bool is_scattered) {
  return is_scattered ? use.width / kBytesOfRead : 1;
}

double ComputeSeconds(double flops, const Launch& launch) {
  const double lanes = std::min(launch.threads, kLanes) * std::min(launch.blocks, kCores);
  return flops / (std::floor(2e-9 * kClock * lanes) * 1e9);
}

// Bits of the narrowest element that a kernel reads, but for the result of `without`.
int NarrowestRead(const KernelCost& cost, std::optional<uint32_t> without) {
  double bytes = 8;
  for (const OperandUse& use : cost.operands) {
    if (use.kernel != without) bytes = std::min(bytes, use.width);
  }
  return static_cast<int>(bytes * 8);
}

bool MovesTiles(const OpFacts* tiled) { return tiled != nullptr && tiled->is_tiled_transpose; }

bool IsAlone(const Expression& expression, absl::Span<const OpFacts> facts, Opcode opcode) {
  return expression.size() == 1 && facts[expression[0].op].opcode == opcode;
}

// A scatter that is fused counts as one that writes the whole array.
double WrittenBytes(const Expression& expression, const OpFacts& result) {
  const bool is_whole = result.opcode == Opcode::kScatter && expression.size() > 1;
  return is_whole ? result.bytes : result.written_bytes;
}

double Together(double compute, double memory) {
  return compute + memory - kParallelShare * std::min(compute, memory);
}

// Fills roots, flops and the size of a kernel, from the result to what it reads.
class Walk {
 public:
  Walk(const Expression& expression, absl::Span<const uint32_t> operands,
       absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results)
      : expression_(expression),
        operands_(operands),
        facts_(facts),
        results_(results),
        roots_(expression.size() + operands.size()),
        emitted_(roots_.size()) {}

  void Run(KernelCost* cost) {
    cost->root = static_cast<uint32_t>(expression_.size() - 1);
    cost->root_use.assign(roots_.size(), 0);
    roots_[cost->root] = {cost->root};
    cost->root_use[cost->root] = 1;
    emitted_[cost->root] = 1;
    for (uint32_t k = cost->root + 1; k-- > 0;) Visit(k, cost);
    for (size_t k = 0; k < operands_.size(); ++k) {
      const auto slot = static_cast<uint32_t>(expression_.size() + k);
      const OpFacts& read = facts_[results_[operands_[k]]];
      const double width = read.elements > 0 ? read.bytes / read.elements : 4;
      OperandUse use = {operands_[k], read.bytes, width, 0, 1, roots_[slot]};
      for (const uint32_t root : use.roots) use.utilization += cost->root_use[root];
      if (expression_.size() == 1) {
        use.reads = static_cast<double>(
            absl::c_count(expression_[0].reads, Read{Read::kKernel, operands_[k]}));
      }
      cost->operands.push_back(std::move(use));
    }
  }

 private:
  uint32_t SlotOf(const Read& read) const {
    if (read.kind == Read::kInner) return read.index;
    return static_cast<uint32_t>(expression_.size() +
                                 (absl::c_find(operands_, read.index) - operands_.begin()));
  }

  double ElementsOf(const Read& read) const {
    return facts_[read.kind == Read::kInner ? expression_[read.index].op : results_[read.index]]
        .elements;
  }

  void AddRoot(uint32_t slot, uint32_t root) {
    if (!absl::c_linear_search(roots_[slot], root)) roots_[slot].push_back(root);
  }

  void Visit(uint32_t k, KernelCost* cost) {
    const FusedOp& op = expression_[k];
    const OpFacts& fact = facts_[op.op];
    double use = 0, emitted = 0;
    for (const uint32_t root : roots_[k]) {
      use += cost->root_use[root];
      emitted += emitted_[root];
    }
    cost->flops += use * fact.flops;
    cost->ir_size += emitted;
    for (size_t q = 0; q < op.reads.size(); ++q) {
      const uint32_t slot = SlotOf(op.reads[q]);
      if (fact.is_elementwise) {
        for (const uint32_t root : roots_[k]) AddRoot(slot, root);
        continue;
      }
      AddRoot(slot, slot);
      const double elements = ElementsOf(op.reads[q]);
      const bool is_whole = fact.opcode == Opcode::kScatter && q == 0 && expression_.size() > 1;
      const bool is_known = q < fact.utilization.size() && !is_whole;
      const double times = is_known ? use * fact.utilization[q] : use;
      if (elements > 0) cost->root_use[slot] += std::ceil(times * elements) / elements;
      emitted_[slot] += emitted;
    }
  }

  const Expression& expression_;
  absl::Span<const uint32_t> operands_;
  absl::Span<const OpFacts> facts_;
  absl::Span<const uint32_t> results_;
  std::vector<absl::InlinedVector<uint32_t, 4>> roots_;  // by slot
  std::vector<double> emitted_;
};

// Bytes of what both read anyway, through element-wise ops only.
double SharedBytes(const OperandUse& use, const KernelCost& producer, const KernelCost& consumer,
                   const OperandUse& of_producer, const OperandUse& in_consumer) {
  if (!absl::c_linear_search(of_producer.roots, producer.root)) return 0;
  double shared = 0;
  for (const uint32_t root : in_consumer.roots) {
    if (absl::c_linear_search(use.roots, root)) shared += consumer.root_use[root];
  }
  return of_producer.bytes * shared;
}

}  // namespace

const OperandUse* KernelCost::UseOf(uint32_t kernel) const {
  const auto found =
      absl::c_find_if(operands, [&](const OperandUse& use) { return use.kernel == kernel; });
  return found == operands.end() ? nullptr : &*found;
}

KernelCost CostOf(const Expression& expression, absl::Span<const uint32_t> operands,
                  absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results) {
  KernelCost cost;
  cost.result = &facts[expression.back().op];
  cost.hero = HeroOf(expression, facts);
  Walk(expression, operands, facts, results).Run(&cost);
  cost.scatters_reads = ScattersReads(expression, facts);
  const Read source = SourceOf(expression, facts);
  if (source.kind == Read::kKernel) cost.passes = source.index;
  if (IsAlone(expression, facts, Opcode::kBitcast)) return cost;
  const Launch launch = LaunchOf(*cost.result, cost.hero.tiled, NarrowestRead(cost, {}));
  const bool is_scattered = cost.scatters_reads && !MovesTiles(cost.hero.tiled);
  double read = 0;
  for (const OperandUse& use : cost.operands) {
    read += use.reads * ReadSeconds(launch.blocks, std::round(use.bytes * use.utilization),
                                    use.bytes, RateOf(use, is_scattered));
  }
  cost.write_seconds = WrittenBytes(expression, *cost.result) / kBandwidth;
  cost.seconds = Together(ComputeSeconds(cost.flops, launch), read + cost.write_seconds);
  return cost;
}

const OpFacts* TiledOfFused(uint32_t kernel, const KernelCost& producer,
                            const KernelCost& consumer) {
  const OpFacts *const of = producer.hero.tiled, *const in = consumer.hero.tiled;
  const bool is_shown = MovesTiles(of) ? absl::c_linear_search(consumer.hero.passed, kernel)
                                       : consumer.passes == kernel;
  if (of == nullptr || !is_shown) return in;
  return in == nullptr ? of : nullptr;
}

double SecondsFused(uint32_t kernel, const KernelCost& producer, const KernelCost& consumer) {
  const OperandUse* const between = consumer.UseOf(kernel);
  if (between == nullptr) return consumer.seconds;
  const OpFacts* const tiled = TiledOfFused(kernel, producer, consumer);
  const bool is_scattered =
      (producer.scatters_reads || consumer.scatters_reads) && !MovesTiles(tiled);
  const int bits = std::min(NarrowestRead(producer, {}), NarrowestRead(consumer, kernel));
  const Launch launch = LaunchOf(*consumer.result, tiled, bits);
  double read = 0;
  for (const OperandUse& use : producer.operands) {
    double bytes = std::round(std::round(use.bytes * use.utilization) * between->utilization);
    if (const OperandUse* const other = consumer.UseOf(use.kernel); other != nullptr) {
      bytes += std::round(other->bytes * other->utilization) -
               std::round(SharedBytes(*between, producer, consumer, use, *other));
    }
    read += ReadSeconds(launch.blocks, bytes, use.bytes, RateOf(use, is_scattered));
  }
  for (const OperandUse& use : consumer.operands) {
    if (use.kernel == kernel || producer.UseOf(use.kernel) != nullptr) continue;
    read += ReadSeconds(launch.blocks, std::round(use.bytes * use.utilization), use.bytes,
                        RateOf(use, is_scattered));
  }
  const double flops = producer.flops * between->utilization * between->reads + consumer.flops;
  return Together(ComputeSeconds(flops, launch), read + consumer.write_seconds);
}

}  // namespace tessera::target
