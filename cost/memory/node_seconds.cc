#include "tessera/cost/memory/node_seconds.h"

#include <algorithm>

#include "tessera/cost/kernel/gpu_time.h"
#include "tessera/cost/kernel/tpu_rates.h"
#include "tessera/cost/kernel/tpu_time.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/kernels/products/products.h"

namespace tessera::cost {
namespace {

using target::Node;
using target::ValueId;

class NodeSeconds {
 public:
  NodeSeconds(const target::Dataflow& flow, const target::KeptValues& kept,
              absl::Span<const int64_t> bytes, const Machine& machine, const target::Target& target)
      : flow_(flow),
        kept_(kept),
        bytes_(bytes),
        machine_(machine),
        launch_(LaunchSeconds(target)),
        tpu_(TpuRatesOf(target.chip->name)) {}

  double Of(const Node& node) const {
    if (target::IsMessage(node.opcode)) return launch_ + Moved(node) / LinkRate();
    return std::max(Read(node) / machine_.topology.device().hbm_bytes_per_s(), Product(node));
  }

 private:
  double Read(const Node& node) const {
    int64_t sum = 0;
    for (const ValueId operand : node.operands) {
      for (const ValueId v : kept_.sources[operand]) sum += bytes_[v];
    }
    for (const ValueId v : node.results) sum += bytes_[v];
    return static_cast<double>(sum);
  }

  double Product(const Node& node) const {
    if (node.instruction == hlo::kNoId) return 0;  // a stack that is narrowed in front of its loops
    const auto product = target::ProductOf(*flow_.module, node.instruction);
    if (!product.has_value()) return 0;
    if (tpu_ != nullptr) return OnTpu(*product);
    const double peak =
        cost::PeakOf(machine_.topology.device(), product->width > 2 ? "f32" : "bf16");
    return peak > 0 ? 2 * product->multiplies / peak : 0;
  }

  // With what it leaves of the matrix unit idle.
  double OnTpu(const target::Product& product) const {
    target::DeviceKernel kernel;
    kernel.kind = target::KernelKind::kDot;
    kernel.products = {product};
    return TimeOnTpu(kernel, *tpu_).seconds;
  }

  double Moved(const Node& node) const {
    int64_t before = 0, after = 0;
    for (const ValueId v : node.operands) before += bytes_[v];
    for (const ValueId v : node.results) after += bytes_[v];
    const double sent = static_cast<double>(std::max(before, after));
    return node.opcode == hlo::Opcode::kAllReduce ? 2 * sent : sent;
  }

  // Of a TPU, both directions of an axis.
  double LinkRate() const {
    if (machine_.topology.axis_size() > 0) return 2 * machine_.topology.axis(0).link_bytes_per_s();
    return machine_.topology.level(0).device_bytes_per_s();
  }

  const target::Dataflow& flow_;
  const target::KeptValues& kept_;
  const absl::Span<const int64_t> bytes_;
  const Machine& machine_;
  const double launch_;
  const TpuRates* tpu_;  // null for GPUs
};

}  // namespace

std::vector<double> SecondsOf(const target::Dataflow& flow, const target::KeptValues& kept,
                              absl::Span<const int64_t> bytes, const target::Target& target) {
  std::vector<double> seconds(flow.nodes.size());
  const auto machine = MachineOf(target);
  if (!machine.ok()) return seconds;
  const NodeSeconds of(flow, kept, bytes, *machine, target);
  for (size_t n = 0; n < flow.nodes.size(); ++n) seconds[n] = of.Of(flow.nodes[n]);
  return seconds;
}

}  // namespace tessera::cost
