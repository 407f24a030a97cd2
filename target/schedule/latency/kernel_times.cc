#include "tessera/target/schedule/latency/kernel_times.h"

#include <algorithm>
#include <cstddef>

#include "absl/algorithm/container.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/own_fills.h"
#include "tessera/target/dataflow/readers.h"

namespace tessera::target {
namespace {

constexpr int64_t kLargeFill = int64_t{1} << 20;
constexpr double kTrips = 5;   // a guess for each loop; what XLA knows of its trips is not modelled
constexpr int kDeepIndex = 8;  // operations between a loop's counter and an index

// As a scan from the last element to the first does.
bool CountsDown(const Dataflow& flow, ValueId index, int depth = 0) {
  const Node* maker = flow.NodeOf(index);
  if (maker == nullptr || depth == kDeepIndex) return false;
  return maker->opcode == hlo::Opcode::kSubtract ||
         absl::c_any_of(maker->operands, [&](ValueId v) { return CountsDown(flow, v, depth + 1); });
}

bool FillsUpwards(const Dataflow& flow, ValueId root) {
  const Node* update = flow.NodeOf(root);
  if (update == nullptr || update->opcode != hlo::Opcode::kDynamicUpdateSlice) return false;
  return std::none_of(update->operands.begin() + 2, update->operands.end(),
                      [&](ValueId v) { return CountsDown(flow, v); });
}

}  // namespace

KernelTimes::KernelTimes(const Dataflow& flow, absl::Span<const ScopeKernels> scopes,
                         absl::Span<const int64_t> bytes, const Scheduling& rules)
    : flow_(flow),
      scopes_(scopes),
      bytes_(bytes),
      rules_(rules),
      of_scopes_(scopes.size()),
      is_stack_(flow.values.size()) {
  if (rules.is_of_tpu()) FindStacks();
}

// XLA allocates such an array and does not fill it. One that is filled from its end keeps its zeros.
// A loop that is not run has no results, and stands in no scope.
void KernelTimes::FindStacks() {
  for (const Scope& scope : flow_.scopes) {
    for (const NodeId n : scope.nodes) FindStacksOf(flow_.nodes[n]);
  }
}

void KernelTimes::FindStacksOf(const Node& node) {
  if (node.opcode != hlo::Opcode::kWhile || IsUnrolled(flow_, node)) return;
  const std::vector<ValueId>& roots = flow_.scopes[node.bodies[0]].roots;
  for (size_t k = 0; k < node.operands.size(); ++k) {
    if (FillsUpwards(flow_, roots[k])) is_stack_[node.operands[k]] = true;
  }
}

std::vector<KernelTime> KernelTimes::Of(ScopeId s) const {
  std::vector<KernelTime> times;
  for (const Kernel& kernel : scopes_[s].kernels) times.push_back(OfNode(kernel.node));
  return times;
}

KernelTime KernelTimes::OfNode(NodeId n) const {
  const Node& node = flow_.nodes[n];
  KernelTime time = {rules_.seconds[n],
                     IsMessage(node.opcode) && (!rules_.is_of_tpu() || (*rules_.hiding)[n]),
                     rules_.own_kernels != nullptr && (*rules_.own_kernels)[n]};
  if (rules_.is_of_tpu() && node.opcode == hlo::Opcode::kCollectivePermute) {
    time.stream = kPermutes;
  }
  for (const ScopeId body : node.bodies) {
    if (rules_.is_of_tpu()) time.seconds = kTrips * of_scopes_[body].seconds;
    for (size_t k = 0; k < kStreams; ++k) {
      time.inside[k] = std::max(time.inside[k], of_scopes_[body].in_flight[k]);
    }
  }
  time.is_large_fill = IsFill(flow_, node) && IsLargeFill(node);
  return time;
}

bool KernelTimes::IsLargeFill(const Node& node) const {
  return rules_.is_of_tpu() ? !is_stack_[node.results[0]] : bytes_[node.results[0]] >= kLargeFill;
}

void KernelTimes::Add(ScopeId s, absl::Span<const Step> order) {
  InFlight now = {};
  InScope& scope = of_scopes_[s];
  for (const Step& step : order) {
    const KernelTime time = OfNode(scopes_[s].kernels[step.kernel].node);
    if (step.ends) scope.seconds += time.seconds;
    if (time.is_collective && step.starts) ++now[time.stream];
    for (size_t k = 0; k < kStreams; ++k) {
      const int most = std::min(now[k] + time.inside[k], rules_.how.most[k]);
      scope.in_flight[k] = std::max(scope.in_flight[k], most);
    }
    if (time.is_collective && step.ends) --now[time.stream];
  }
}

}  // namespace tessera::target
