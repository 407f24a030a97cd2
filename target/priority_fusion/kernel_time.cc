#include "tessera/target/priority_fusion/kernel_time.h"

#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "tessera/target/priority_fusion/graph/uses.h"
#include "tessera/target/priority_fusion/model/launch.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

double RateOf(const OperandUse& use, bool is_scattered) {
  return is_scattered ? use.width / kBytesOfRead : 1;
}

double TicksOf(const OperandUse& use, double blocks, bool is_scattered) {
  return ReadTicks(blocks, use.read_bytes, use.bytes, RateOf(use, is_scattered));
}

// Bits of the narrowest element that a kernel reads, but for the result of `without`.
int NarrowestRead(const KernelCost& cost, std::optional<uint32_t> without) {
  double bytes = 8;
  for (const OperandUse& use : cost.operands) {
    if (use.kernel != without) bytes = std::min(bytes, use.width);
  }
  return static_cast<int>(bytes * 8);
}

// Of two kernels as one.
Launch LaunchOfFused(uint32_t kernel, const KernelCost& producer, const KernelCost& consumer,
                     const OpFacts* tiled) {
  const bool depends_on_bits = tiled != nullptr && tiled->is_tiled_reduce;
  const int bits =
      depends_on_bits ? std::min(NarrowestRead(producer, {}), NarrowestRead(consumer, kernel)) : 0;
  return LaunchOf(*consumer.result, tiled, bits);
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

// Bytes of what both read anyway, through element-wise ops only.
double SharedBytes(const OperandUse& use, const KernelCost& producer, const KernelCost& consumer,
                   const OperandUse& of_producer, const OperandUse& in_consumer) {
  constexpr uint32_t kResult = 0;
  if (!absl::c_linear_search(producer.slots[of_producer.slot].roots, kResult)) return 0;
  const auto& roots = consumer.slots[use.slot].roots;
  double shared = 0;
  for (const uint32_t root : consumer.slots[in_consumer.slot].roots) {
    if (absl::c_linear_search(roots, root)) shared += consumer.slots[root].use;
  }
  return of_producer.bytes * shared;
}

void FindTiled(const Read& source, const Expression& expression, absl::Span<const OpFacts> facts,
               KernelCost* cost) {
  const bool is_op = source.kind == Read::kInner;
  cost->is_reduction = is_op && facts[expression[source.index].op].is_tiled_reduce;
  cost->tiled = nullptr;
  if (cost->is_reduction) {
    cost->tiled = &facts[expression[source.index].op];
  } else if (cost->transposes.size() == 1 && !cost->transposes[0].is_read_by_others) {
    cost->tiled = cost->transposes[0].facts;
  }
}

// Of what it reads, computes and writes, which is known.
void CountTicks(const Expression& expression, KernelCost* cost) {
  const Launch launch = LaunchOf(*cost->result, cost->tiled, NarrowestRead(*cost, {}));
  cost->blocks = launch.blocks;
  cost->is_scattered = cost->scatters_reads && !MovesTiles(cost->tiled);
  cost->read_ticks = 0;
  double read = 0;
  for (OperandUse& use : cost->operands) {
    use.ticks = TicksOf(use, cost->blocks, cost->is_scattered);
    cost->read_ticks += use.ticks;
    read += use.reads * use.ticks;
  }
  cost->write_ticks = WriteTicks(WrittenBytes(expression, *cost->result), 1);
  cost->ticks = Together(ComputeTicks(cost->flops, launch), read + cost->write_ticks);
}

void Finish(const Expression& expression, const OperandPlaces& operands,
            absl::Span<const OpFacts> facts, KernelCost* cost) {
  cost->kernels.assign(operands.kernels.begin(), operands.kernels.end());
  const Read source = SourceOf(expression, facts);
  FindTiled(source, expression, facts, cost);
  cost->passes = std::nullopt;
  if (source.kind == Read::kKernel) cost->passes = source.index;
  cost->scatters_reads = cost->moves_minor && ScattersReads(expression, facts);
  if (!IsAlone(expression, facts, Opcode::kBitcast)) CountTicks(expression, cost);
}

// Its transpose would decide if it were fused.
bool PassesOn(const KernelCost& cost, uint32_t kernel) {
  const size_t place = cost.PlaceOf(kernel);
  if (cost.is_reduction || place == cost.operands.size()) return false;
  const KernelSlot& slot = cost.slots[cost.operands[place].slot];
  return slot.is_passed && !slot.is_read_by_others;
}

}  // namespace

size_t KernelCost::PlaceOf(uint32_t kernel) const {
  return static_cast<size_t>(absl::c_find(kernels, kernel) - kernels.begin());
}

KernelCost CostOf(const Expression& expression, const OperandPlaces& operands,
                  absl::Span<const OpFacts> facts, absl::Span<const uint32_t> results) {
  KernelCost cost;
  cost.result = &facts[expression.back().op];
  cost.slots.push_back({{0}, 1, 1, true});
  AddUses(expression, 0, operands, facts, results, &cost);
  Finish(expression, operands, facts, &cost);
  return cost;
}

void AddToCost(const Expression& producer, uint32_t kernel, const Expression& fused,
               const OperandPlaces& operands, absl::Span<const OpFacts> facts,
               absl::Span<const uint32_t> results, KernelCost* cost) {
  const auto use = cost->operands.begin() + static_cast<ptrdiff_t>(cost->PlaceOf(kernel));
  const uint32_t slot = use->slot;
  cost->operands.erase(use);
  AddUses(producer, slot, operands, facts, results, cost);
  Finish(fused, operands, facts, cost);
}

const OpFacts* TiledOfFused(uint32_t kernel, const KernelCost& producer,
                            const KernelCost& consumer) {
  const OpFacts *const of = producer.tiled, *const in = consumer.tiled;
  if (of == nullptr) return in;
  const bool is_shown = MovesTiles(of) ? PassesOn(consumer, kernel) : consumer.passes == kernel;
  if (!is_shown) return in;
  return in == nullptr ? of : nullptr;
}

double TicksFused(uint32_t kernel, const KernelCost& producer, const KernelCost& consumer) {
  const size_t of_kernel = consumer.PlaceOf(kernel);
  if (of_kernel == consumer.operands.size()) return consumer.ticks;
  const OperandUse& between = consumer.operands[of_kernel];
  const OpFacts* const tiled = TiledOfFused(kernel, producer, consumer);
  const bool is_scattered =
      (producer.scatters_reads || consumer.scatters_reads) && !MovesTiles(tiled);
  const Launch launch = LaunchOfFused(kernel, producer, consumer, tiled);
  const bool is_as_alone =
      launch.blocks == consumer.blocks && is_scattered == consumer.is_scattered;
  const auto alone = [&](const OperandUse& use) {
    return is_as_alone ? use.ticks : TicksOf(use, launch.blocks, is_scattered);
  };
  double read = is_as_alone ? consumer.read_ticks : 0;
  if (!is_as_alone) {
    for (const OperandUse& use : consumer.operands) read += alone(use);
  }
  read -= alone(between);
  for (const OperandUse& use : producer.operands) {
    double bytes = Rounded(use.read_bytes * between.utilization);
    if (const size_t shared = consumer.PlaceOf(use.kernel); shared < consumer.operands.size()) {
      const OperandUse& other = consumer.operands[shared];
      read -= alone(other);
      bytes += other.read_bytes - Rounded(SharedBytes(between, producer, consumer, use, other));
    }
    read += ReadTicks(launch.blocks, bytes, use.bytes, RateOf(use, is_scattered));
  }
  const double flops = producer.flops * between.utilization * between.reads + consumer.flops;
  return Together(ComputeTicks(flops, launch), read + consumer.write_ticks);
}

}  // namespace tessera::target
