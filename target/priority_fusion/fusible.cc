#include "tessera/target/priority_fusion/fusible.h"

#include "tessera/target/priority_fusion/tiles.h"

namespace tessera::target {
namespace {

constexpr size_t kMaxOperands = 96;
constexpr double kMaxIrSize = 10000;

// A reduction or transpose by tiles would become a part of a plain loop.
bool LosesTiles(uint32_t producer, const KernelCost& from, const KernelCost& to) {
  return from.tiled != nullptr && TiledOfFused(producer, from, to) == nullptr;
}

// The consumer updates the producer's result, and would have to compute it as a whole.
bool UpdatesInPlace(const FusionGraph& graph, uint32_t producer, uint32_t consumer) {
  const Opcode opcode = graph.Result(consumer).opcode;
  if (opcode != Opcode::kScatter && opcode != Opcode::kDynamicUpdateSlice) return false;
  const FusedOp& update = graph.node(consumer).outputs[0].back();
  if (!(update.reads[0] == Read{Read::kKernel, producer})) return false;
  return opcode == Opcode::kScatter || graph.Result(producer).opcode != Opcode::kBitcast;
}

}  // namespace

bool FitsInOperands(const FusionGraph& graph, uint32_t producer, uint32_t consumer) {
  const auto &of = graph.node(producer).operands, &in = graph.node(consumer).operands;
  return of.size() + in.size() <= kMaxOperands ||
         graph.CountOperands(producer, consumer) <= kMaxOperands;
}

bool CanBeOne(FusionGraph* graph, uint32_t producer, uint32_t consumer) {
  if (graph->Result(producer).opcode == Opcode::kScatter) return false;
  if (graph->node(producer).has_reduction && graph->node(consumer).has_reduction) return false;
  if (UpdatesInPlace(*graph, producer, consumer)) return false;
  const KernelCost &from = graph->CostOf(producer), &to = graph->CostOf(consumer);
  if (LosesTiles(producer, from, to)) return false;
  return FitsInOperands(*graph, producer, consumer) && from.ir_size + to.ir_size <= kMaxIrSize;
}

}  // namespace tessera::target
