#include "tessera/cost/memory/node_seconds.h"

#include <algorithm>

#include "tessera/cost/kernel/gpu_time.h"
#include "tessera/cost/kernel/tpu_rates.h"
#include "tessera/cost/kernel/tpu_time.h"
#include "tessera/cost/memory/gpu_latencies.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/validate.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/gpu/own_kernel.h"
#include "tessera/target/kernels/kernel.h"
#include "tessera/target/kernels/products/products.h"
#include "tessera/target/tpu/forms.h"

namespace tessera::cost {
namespace {

using target::Node;
using target::ValueId;

struct NodeTime {
  double seconds = 0;
  bool own_kernel = false;
  double computing = 0;
  double touching = 0;
};

class NodeSeconds {
 public:
  NodeSeconds(const target::Dataflow& flow, const target::KeptValues& kept,
              absl::Span<const int64_t> bytes, const Machine& machine, const target::Target& target)
      : flow_(flow),
        kept_(kept),
        bytes_(bytes),
        machine_(machine),
        target_(target),
        launch_(LaunchSeconds(target)),
        tpu_(TpuRatesOf(target.chip->name)) {}

  NodeTime Of(target::NodeId n) const {
    const Node& node = flow_.nodes[n];
    const bool is_message = target::IsMessage(node.opcode);
    if (target_.chip->platform == target::Platform::kGpu)
      return is_message ? MessageOnGpu(node) : NodeTime{OnGpu(n, node)};
    const double touching = TouchedOnTpu(node) / machine_.topology.device().hbm_bytes_per_s();
    if (is_message) return {launch_ + Moved(node) / LinkRate(), false, 0, touching};
    const double computing = Product(node);
    return {std::max(Read(node) / machine_.topology.device().hbm_bytes_per_s(), computing), false,
            computing, std::max(touching, computing)};
  }

 private:
  // Combined: one flat array of several.
  bool IsContiguous(const Node& node) const {
    if (node.results.size() > 1) return true;
    const Node* maker = flow_.NodeOf(node.operands[0]);
    return maker != nullptr && maker->opcode == hlo::Opcode::kConcatenate;
  }

  // As XLA's latency hiding scheduler takes it: loops, and kernels that are no loops over an array, take next to no time.
  double OnGpu(target::NodeId n, const Node& node) const {
    if (!node.bodies.empty() || node.instruction == hlo::kNoId) return kUnknownMicros * kMicro;
    const hlo::InstructionId dot =
        kept_.products[n] == hlo::kNoId ? node.instruction : kept_.products[n];
    const auto product = target::ProductOf(*flow_.module, dot);
    if (product.has_value() && !product->is_window)
      return ProductMicros(*product, WidthOf(node.results[0])) * kMicro;
    if (kept_.seconds[n].has_value()) return std::max(*kept_.seconds[n], kUnknownMicros * kMicro);
    return Touched(node) / machine_.topology.device().hbm_bytes_per_s();
  }

  // A slice reads what it gives.
  double Touched(const Node& node) const {
    if (node.opcode != hlo::Opcode::kSlice) return Read(node);
    return 2 * static_cast<double>(bytes_[node.results[0]]);
  }

  NodeTime MessageOnGpu(const Node& node) const {
    if (node.opcode == hlo::Opcode::kCollectivePermute) return PermuteOnGpu(node);
    const std::vector<int64_t> group = GroupOf(node);
    const double bytes = Sent(node);
    const auto devices = static_cast<int64_t>(group.size());
    if (node.opcode == hlo::Opcode::kAllReduce && !IsContiguous(node) &&
        target::RunsByOwnKernel(target_, static_cast<int64_t>(bytes), group))
      return {OwnKernelMicros(bytes, devices) * kMicro, true};
    if (!target::IsInOneDomain(target_, group)) return {launch_ + Moved(node) / LinkRate()};
    return {MessageMicros(node.opcode, bytes, devices) * kMicro};
  }

  NodeTime PermuteOnGpu(const Node& node) const {
    const auto pairs = hlo::GetSourceTargetPairs(*flow_.module, node.instruction);
    return {PermuteMicros(ExchangeOf(pairs), Sent(node)) * kMicro};
  }

  double WidthOf(ValueId v) const { return layout::StoredBits(*flow_.values[v].shape) / 8.0; }

  // The first one; nothing of a permute.
  std::vector<int64_t> GroupOf(const Node& node) const {
    const auto groups = hlo::GetReplicaGroups(*flow_.module, node.instruction);
    const auto lists = groups.has_value() ? groups->Expand() : std::nullopt;
    return lists.has_value() && !lists->empty() ? lists->front() : std::vector<int64_t>();
  }

  static constexpr double kMicro = 1e-6, kUnknownMicros = 0.01;

  double Read(const Node& node) const {
    int64_t sum = 0;
    for (const ValueId operand : node.operands) {
      for (const ValueId v : kept_.sources[operand]) sum += bytes_[v];
    }
    for (const ValueId v : node.results) sum += bytes_[v];
    return static_cast<double>(sum);
  }

  // Of what is sliced, the slice; of what is updated, the update.
  double TouchedOnTpu(const Node& node) const {
    const bool updates = node.opcode == hlo::Opcode::kDynamicUpdateSlice;
    int64_t sum = 0;
    for (size_t k = updates ? 1 : 0; k < node.operands.size(); ++k) {
      int64_t read = 0;
      for (const ValueId v : kept_.sources[node.operands[k]]) read += bytes_[v];
      sum += std::min(read, bytes_[node.operands[k]]);
    }
    if (updates) return static_cast<double>(sum + bytes_[node.operands[1]]);
    int64_t made = 0;
    for (const ValueId v : node.results) made += bytes_[v];
    return static_cast<double>((node.opcode == hlo::Opcode::kDynamicSlice ? made : sum) + made);
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

  double Sent(const Node& node) const {
    int64_t before = 0, after = 0;
    for (const ValueId v : node.operands) before += bytes_[v];
    for (const ValueId v : node.results) after += bytes_[v];
    return static_cast<double>(std::max(before, after));
  }

  double Moved(const Node& node) const {
    const double sent = Sent(node);
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
  const target::Target& target_;
  const double launch_;
  const TpuRates* tpu_;  // null for GPUs
};

// XLA starts small all-gathers, too, though it waits for most of them.
constexpr int64_t kAnyGather = int64_t{1} << 30;

std::vector<bool> HidesOn(const target::Dataflow& flow, const target::Target& target) {
  std::vector<bool> hides(flow.nodes.size());
  for (target::NodeId n = 0; n < hides.size(); ++n) {
    hides[n] = target::MayHide(target, {flow.nodes[n].opcode, /*bytes=*/kAnyGather});
  }
  return hides;
}

}  // namespace

NodeTimes TimesOf(const target::Dataflow& flow, const target::KeptValues& kept,
                  absl::Span<const int64_t> bytes, const target::Target& target) {
  const size_t nodes = flow.nodes.size();
  NodeTimes times = {std::vector<double>(nodes), std::vector<bool>(nodes), HidesOn(flow, target),
                     std::vector<double>(nodes), std::vector<double>(nodes)};
  const auto machine = MachineOf(target);
  if (!machine.ok()) return times;
  const NodeSeconds of(flow, kept, bytes, *machine, target);
  for (target::NodeId n = 0; n < flow.nodes.size(); ++n) {
    const NodeTime time = of.Of(n);
    times.seconds[n] = time.seconds;
    times.own_kernels[n] = time.own_kernel;
    times.computing[n] = time.computing;
    times.touching[n] = time.touching;
  }
  return times;
}

}  // namespace tessera::cost
