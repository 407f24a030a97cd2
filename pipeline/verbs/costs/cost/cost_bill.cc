#include "tessera/pipeline/verbs/costs/cost/cost_bill.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/cost/memory/compiled_memory.h"
#include "tessera/cost/memory/peak_band.h"
#include "tessera/hlo/attributes.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// By target::KernelKind.
constexpr const char* kKinds[target::kKernelKinds] = {
    "scalar", "element-wise", "reduction", "dot",  "convolution", "copy",    "copy",
    "copy",   "unfused",      "gather",    "sort", "custom-call", "prefetch"};

constexpr absl::string_view kOnLinks = "links";

// The largest part of a kernel's time.
std::string BoundOf(const cost::KernelTime& time) {
  const std::pair<double, const char*> parts[] = {
      {time.products_s, "matrix units"},
      {time.memory_s, "memory"},
      {time.vector_s, "vector units"},
      {time.fixed_s, "fixed cost of a kernel"},
  };
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

// Sums by name, the longest first.
class Sums {
 public:
  void Add(absl::string_view name, double seconds) {
    const auto [it, is_new] = places_.try_emplace(name, sums_.size());
    if (is_new) sums_.emplace_back().set_name(std::string(name));
    answers::CostSum& sum = sums_[it->second];
    sum.set_count(sum.count() + 1);
    sum.set_seconds(sum.seconds() + seconds);
  }

  std::vector<answers::CostSum> Sorted() && {
    std::stable_sort(sums_.begin(), sums_.end(),
                     [](const auto& a, const auto& b) { return a.seconds() > b.seconds(); });
    return std::move(sums_);
  }

 private:
  std::vector<answers::CostSum> sums_;
  absl::flat_hash_map<std::string, size_t> places_;
};

void AddStated(const cost::KernelPart& part, StatedKernels* stated) {
  ++stated->count;
  stated->stated_s += *part.stated_s * part.runs;
  stated->ours_s += part.seconds();
}

void AddKernels(const hlo::Module& module, CostBill* bill) {
  const SourceLocations locations(module);
  for (const cost::KernelPart& part : bill->step.kernels) {
    CostKernel kernel;
    kernel.name = std::string(module.instruction(part.instruction).name);
    kernel.kind = kKinds[static_cast<size_t>(part.kind)];
    kernel.op_name = hlo::GetOpName(module, part.instruction);
    kernel.location = locations.UsersOwn(part.instruction);
    kernel.part = part;
    kernel.bound = BoundOf(part.once);
    bill->kernels.push_back(std::move(kernel));
    if (part.stated_s.has_value()) AddStated(part, &bill->stated);
  }
  std::stable_sort(
      bill->kernels.begin(), bill->kernels.end(),
      [](const CostKernel& a, const CostKernel& b) { return a.part.seconds() > b.part.seconds(); });
  for (const hlo::InstructionId id : bill->step.unknown) {
    const std::string call = hlo::GetCustomCallTarget(module, id);
    bill->unknown.push_back(absl::StrCat(module.instruction(id).name,
                                         call.empty() ? "" : absl::StrCat(" (", call, ")")));
  }
}

void AddCollectives(const CostInput& program, std::vector<CollectiveLine> lines, CostBill* bill) {
  for (CollectiveLine& line : lines) {
    const size_t number = static_cast<size_t>(line.number);
    const hlo::InstructionId begin = program.standing.executions[number].begin;
    CostCollective one;
    one.name = std::string(program.input.module.instruction(begin).name);
    one.once = bill->step.links[number];
    one.runs = bill->step.link_runs[number];
    bill->sent += line.total();
    if (one.links_s() > 0 && one.exposed_s() == 0) {
      ++bill->num_hidden;
      bill->hidden += line.total();
    }
    one.line = std::move(line);
    bill->collectives.push_back(std::move(one));
  }
  std::stable_sort(bill->collectives.begin(), bill->collectives.end(),
                   [](const CostCollective& a, const CostCollective& b) {
                     if (a.exposed_s() != b.exposed_s()) return a.exposed_s() > b.exposed_s();
                     return a.links_s() > b.links_s();
                   });
}

void SumUp(CostBill* bill) {
  Sums op, line, bound;
  for (const CostKernel& kernel : bill->kernels) {
    const double seconds = kernel.part.seconds();
    op.Add(kernel.kind, seconds);
    line.Add(SourceText(kernel.location, kernel.op_name), seconds);
    bound.Add(kernel.bound, seconds);
  }
  for (const CostCollective& one : bill->collectives) {
    op.Add(one.line.op, one.exposed_s());
    for (const auto& [name, part] : SharesByLine(one.line)) line.Add(name, part * one.exposed_s());
    bound.Add(kOnLinks, one.exposed_s());
  }
  bill->by_op = std::move(op).Sorted();
  bill->by_line = std::move(line).Sorted();
  bill->by_bound = std::move(bound).Sorted();
}

void SumAxes(CostBill* bill) {
  absl::flat_hash_map<std::string, size_t> places;
  for (const CostCollective& one : bill->collectives) {
    const std::string name = AxesText(one.line);
    const auto [it, is_new] = places.try_emplace(name, bill->by_axis.size());
    if (is_new) bill->by_axis.emplace_back().set_name(name);
    answers::CostAxis& sum = bill->by_axis[it->second];
    sum.set_count(sum.count() + 1);
    sum.set_sent(sum.sent() + one.line.total());
    sum.set_links_s(sum.links_s() + one.links_s());
    sum.set_exposed_s(sum.exposed_s() + one.exposed_s());
  }
  std::stable_sort(bill->by_axis.begin(), bill->by_axis.end(),
                   [](const auto& a, const auto& b) { return a.links_s() > b.links_s(); });
}

std::optional<cost::PeakRange> PeakOf(const CostInput& program) {
  if (!program.is_final) return program.peak;
  const auto memory = cost::MemoryOfCompiled(program.input.module);
  if (!memory.ok()) return std::nullopt;
  const int64_t total = memory->device.total();
  return cost::PeakRange{total, total, total};
}

// None where no peak is known.
std::optional<CostMemory> MemoryOf(const CostInput& program, const projection::Device& device) {
  const std::optional<cost::PeakRange> peak = PeakOf(program);
  if (!peak.has_value()) return std::nullopt;
  CostMemory of = {peak->peak, std::nullopt};
  if (!device.has_hbm_bytes()) return of;
  of.of_device = device.hbm_bytes();
  of.verdict = peak->VerdictOn(*of.of_device);
  return of;
}

}  // namespace

CostBill MakeCostBill(const CostInput& program, const CostMachine& machine, MachineStep found,
                      std::vector<CollectiveLine> lines) {
  CostBill bill;
  bill.target = machine.name();
  bill.is_final = program.is_final;
  bill.models_overlap = program.is_final || !machine.file.empty() ||
                        machine.choice.target.chip->platform != target::Platform::kGpu ||
                        !program.schedule.order.empty();
  bill.step = std::move(found.step);
  if (found.device.peak_size() > 0) bill.peak_flops = found.device.peak(0).flops_per_s();
  bill.memory = MemoryOf(program, found.device);
  AddKernels(program.input.module, &bill);
  AddCollectives(program, std::move(lines), &bill);
  bill.num_collectives = static_cast<int64_t>(bill.collectives.size());
  SumUp(&bill);
  SumAxes(&bill);
  return bill;
}

}  // namespace tessera::pipeline
