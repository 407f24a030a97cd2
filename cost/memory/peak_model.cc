#include "tessera/cost/memory/peak_model.h"

#include "tessera/cost/memory/node_seconds.h"
#include "tessera/cost/network/target_machine.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/memory/entry_aliases.h"
#include "tessera/target/dataflow/narrowed_before_loops.h"
#include "tessera/target/dataflow/own_fills.h"
#include "tessera/target/dataflow/widened_for_gathers.h"
#include "tessera/target/priority_fusion/priority_fusion.h"
#include "tessera/target/schedule/copied_arguments.h"
#include "tessera/target/schedule/copied_weights.h"
#include "tessera/target/schedule/homes.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {

using target::ValueId;

namespace {

absl::Status TooLarge() { return projection::OverflowError("the memory of a device"); }

}  // namespace

absl::StatusOr<target::Dataflow> FlowForPeak(const hlo::Module& module,
                                             const target::Target& target) {
  if (target.chip->platform == target::Platform::kCpu) {
    return absl::UnimplementedError("the memory of a program on CPUs is not modelled by target");
  }
  const bool is_tpu = target.chip->platform == target::Platform::kTpu;
  TESSERA_ASSIGN_OR_RETURN(target::Dataflow flow,
                           target::FindDataflow(module, is_tpu ? target::EqualGathers::kStay
                                                               : target::EqualGathers::kAreOne));
  if (is_tpu) {
    target::NarrowBeforeLoops(&flow);
    target::WidenInProducts(&flow);
  }
  using target::OtherReaders;
  target::GiveOwnFills(&flow, is_tpu ? OtherReaders::kMakeAnew : OtherReaders::kRead);
  return flow;
}

target::FusedBefore KernelsBefore(const target::Context& context) {
  target::FusedBefore kernels = context.results;
  for (const target::ComputationId c : context.unfused) {
    if (kernels.contains(c)) continue;
    kernels.emplace(c, target::ResultsOf(context.program, c, context.fusions));
  }
  return kernels;
}

PeakModel::PeakModel(const target::Dataflow& flow, const target::Target& target,
                     target::FusionMemory* fusions, const target::FusedBefore* before)
    : flow_(flow),
      chip_(*target.chip),
      sizes_(*target.chip),
      preferences_(flow),
      aliases_(projection::EntryAliases(
          *flow.module, [this](const layout::Shape& array) { return sizes_.BytesOf(array); })) {
  for (const target::Value& value : flow.values)
    bytes_.push_back(sizes_.BytesOf(*value.shape, ChoiceOf(value)));
  for (const ValueId v : flow.scopes[0].roots)
    border_bytes_.push_back(sizes_.BytesOf(*flow.values[v].shape));
  if (chip_.platform == target::Platform::kTpu) {
    kept_ = target::FindKeptValues(flow, bytes_, chip_);
    const auto machine = MachineOf(target);
    if (machine.ok()) copied_per_s_ = machine->topology.device().hbm_bytes_per_s();
  } else {
    kernels_ = target::KernelsOf(flow, fusions, before);
    kept_ = target::FindKeptByKernels(flow, kernels_);
  }
  times_ = TimesOf(flow, kept_, bytes_, target);
}

// In this model only TPUs have VMEM.
target::Scheduling PeakModel::Rules() const {
  if (chip_.platform != target::Platform::kTpu)
    return {times_.seconds, &times_.own_kernels, nullptr, {}, {}};
  return {times_.seconds,
          nullptr,
          &times_.hides,
          target::HidingOn(chip_),
          {chip_.fast_bytes, copied_per_s_, times_.touching, times_.computing}};
}

absl::StatusOr<ModelledPeak> PeakModel::Find(const PeakChange& change) const {
  TESSERA_ASSIGN_OR_RETURN(ArrayAliases aliases, aliases_);
  aliases.insert(aliases.end(), change.donated.begin(), change.donated.end());
  TESSERA_ASSIGN_OR_RETURN(ModelledPeak found, Borders(aliases));
  target::Homes homes = target::FindHomes(flow_, kept_, aliases);
  if (chip_.platform == target::Platform::kTpu) {
    const auto laid = [&](ValueId v) { return Laid(v); };
    for (const ValueId v : target::CopiedArguments(flow_, aliases, laid)) homes.is_free[v] = false;
    for (const ValueId v : target::CopiedWeights(flow_, laid)) homes.is_free[v] = false;
  }
  for (const ValueId v : change.without) homes.is_free[homes.of[v]] = true;
  found.live = target::FindLiveMemory(flow_, kept_, homes, bytes_, Rules());
  const Checked peak =
      Checked(found.arguments) + found.results - found.aliased + found.live.Counted();
  if (!peak.ok()) return TooLarge();
  found.peak = peak.value();
  return found;
}

layout::Shape PeakModel::Laid(ValueId v) const {
  const target::Value& value = flow_.values[v];
  return sizes_.Laid(*value.shape, ChoiceOf(value));
}

// Arrays at the border have the layout that pads least.
target::MinorChoice PeakModel::ChoiceOf(const target::Value& value) const {
  if (value.node != target::kNone && flow_.nodes[value.node].opcode == hlo::Opcode::kParameter)
    return {};
  return preferences_.Of(*value.shape);
}

absl::StatusOr<ModelledPeak> PeakModel::Borders(const ArrayAliases& aliases) const {
  Checked arguments = 0, results = 0, aliased = 0;
  for (const ValueId v : flow_.arguments) arguments += bytes_[v];
  for (const int64_t bytes : border_bytes_) results += bytes;
  for (const auto& [result, unused] : aliases)
    aliased += border_bytes_[static_cast<size_t>(result)];
  if (flow_.module->shape(flow_.module->entry().root).is_tuple()) {
    results += sizes_.TableBytes(static_cast<int64_t>(border_bytes_.size()));
  }
  if (!arguments.ok() || !results.ok() || !aliased.ok()) return TooLarge();
  ModelledPeak found;
  found.arguments = arguments.value();
  found.results = results.value();
  found.aliased = aliased.value();
  return found;
}

}  // namespace tessera::cost
