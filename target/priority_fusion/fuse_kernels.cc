// The kernels of a computation in their order, and the values that each writes. Their graph is fused here, or known
// from before.

#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/target/priority_fusion/model/roofline.h"
#include "tessera/target/priority_fusion/priority_fusion.h"

namespace tessera::target {
namespace {

// Lists in the order of `order`.
NumberLists RecomputedIn(const FusionGraph& graph, const std::vector<uint32_t>& order) {
  absl::flat_hash_map<uint32_t, uint32_t> writers;  // by op
  for (const uint32_t kernel : order) {
    for (const Expression& output : graph.node(kernel).outputs) writers[output.back().op] = kernel;
  }
  NumberLists recomputed;
  for (const uint32_t kernel : order) {
    std::vector<uint32_t> ops;
    for (const Expression& output : graph.node(kernel).outputs) {
      for (const FusedOp& fused : output) {
        const auto writer = writers.find(fused.op);
        if (writer != writers.end() && writer->second != kernel) ops.push_back(fused.op);
      }
    }
    recomputed.Add(ops);
  }
  return recomputed;
}

// Further results of a kernel add their writes. `before`: of each by itself, which reads no kernel with several.
double TicksOf(FusionGraph* graph, uint32_t kernel, const std::vector<double>& before) {
  const FusionGraph::Node& node = graph->node(kernel);
  if (node.outputs.size() == 1) return before[kernel];
  double ticks = graph->CostOf(kernel).ticks;
  for (size_t k = 1; k < node.outputs.size(); ++k) {
    const double bytes =
        static_cast<double>(layout::DataBytes(graph->ShapeOf(node.outputs[k].back().op)));
    ticks += WriteTicks(bytes, 1);
  }
  return ticks;
}

uint32_t ProductIn(const FusionGraph& graph, uint32_t kernel) {
  if (!graph.node(kernel).is_product) return kNoOp;
  for (const Expression& output : graph.node(kernel).outputs) {
    for (const FusedOp& fused : output) {
      if (graph.facts()[fused.op].opcode == Opcode::kDot) return fused.op;
    }
  }
  return kNoOp;
}

FusedComputation FuseAll(FusionGraph* graph) {
  const std::vector<double> before = FuseByPriority(*graph);
  FuseMultiOutput(*graph);
  FusedComputation fused;
  KernelGraph kernels = graph->ToKernelGraph();
  fused.ops = std::move(kernels.instructions);
  for (const std::vector<KernelId>& operands : kernels.operands) fused.operands.Add(operands);
  const std::vector<uint32_t> order = graph->PostOrder();
  fused.recomputed = RecomputedIn(*graph, order);
  for (const uint32_t kernel : order) {
    std::vector<uint32_t> results;
    for (const Expression& output : graph->node(kernel).outputs) {
      results.push_back(output.back().op);
    }
    fused.results.Add(results);
    fused.products.push_back(ProductIn(*graph, kernel));
    fused.seconds.push_back(TicksOf(graph, kernel, before) / kTicksOfSecond);
  }
  return fused;
}

std::shared_ptr<const FusedComputation> FusedOf(FusionGraph* graph, FusionMemory* memory) {
  if (memory == nullptr) return std::make_shared<const FusedComputation>(FuseAll(graph));
  return memory->Find(*graph, [&] { return FuseAll(graph); });
}

KernelResults ResultsIn(const FusionGraph& graph, const FusedComputation& fused,
                        const DeviceProgram& program) {
  KernelResults results = {fused.results.Lists(),
                           fused.recomputed.Lists(),
                           {},
                           fused.seconds,
                           static_cast<InstructionId>(program.module().num_instructions())};
  for (const uint32_t op : fused.products) {
    results.products.push_back(op == kNoOp ? kNoId : graph.InstructionOf(op));
  }
  for (auto* const lists : {&results.of, &results.recomputed}) {
    for (std::vector<InstructionId>& of_kernel : *lists) {
      for (InstructionId& op : of_kernel) op = graph.InstructionOf(op);
    }
  }
  return results;
}

}  // namespace

KernelGraph FuseKernels(const DeviceProgram& program, ComputationId c, FusionMemory* memory,
                        KernelResults* results) {
  FusionGraph graph(program, c);
  const auto fused = FusedOf(&graph, memory);
  KernelGraph kernels = {{}, fused->operands.Lists()};
  for (const uint32_t op : fused->ops) kernels.instructions.push_back(graph.InstructionOf(op));
  if (results != nullptr) *results = ResultsIn(graph, *fused, program);
  return kernels;
}

KernelResults ResultsOf(const DeviceProgram& program, ComputationId c, FusionMemory* memory) {
  FusionGraph graph(program, c);
  const auto fused = FusedOf(&graph, memory);
  return ResultsIn(graph, *fused, program);
}

}  // namespace tessera::target
