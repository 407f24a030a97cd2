#include "tessera/cost/memory/peak_findings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/target/dataflow/readers.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using target::Dataflow;
using target::ValueId;

constexpr int64_t kSmallestShare = 100;  // of the peak

// The changes that are tried, and their arrays.
struct Trial {
  PeakFinding::Kind kind = PeakFinding::Kind::kDonate;
  std::vector<ValueId> values;
  PeakChange change;
};

class Trials {
 public:
  Trials(const Dataflow& flow, const PeakModel& model, const ModelledPeak& found)
      : flow_(flow), model_(model), found_(found), readers_(flow) {}

  absl::StatusOr<std::vector<PeakFinding>> Run() {
    TESSERA_RETURN_IF_ERROR(AddDonation());
    AddRecomputed();
    std::vector<PeakFinding> findings;
    for (const Trial& trial : trials_) {
      TESSERA_ASSIGN_OR_RETURN(const ModelledPeak after, model_.Find(trial.change));
      if (found_.peak - after.peak > found_.peak / kSmallestShare)
        findings.push_back(FindingOf(trial, after.peak));
    }
    absl::c_stable_sort(findings, [](const auto& a, const auto& b) { return a.peak < b.peak; });
    return findings;
  }

 private:
  // Pairs as EntryAliases() would make them, by type and shape.
  absl::Status AddDonation() {
    const auto& roots = flow_.scopes[0].roots;
    TESSERA_ASSIGN_OR_RETURN(const ArrayAliases aliases, model_.aliases());
    std::vector<bool> has_place(roots.size()), is_taken(flow_.arguments.size());
    for (const auto& [result, argument] : aliases)
      has_place[static_cast<size_t>(result)] = is_taken[static_cast<size_t>(argument)] = true;
    std::map<std::string, std::vector<int>> free;  // results by shape, the last one first
    for (size_t k = roots.size(); k-- > 0;) {
      if (!has_place[k]) free[PlainShape(roots[k])].push_back(static_cast<int>(k));
    }
    Trial trial;
    for (size_t k = 0; k < flow_.arguments.size(); ++k) {
      const ValueId v = flow_.arguments[k];
      std::vector<int>& results = free[PlainShape(v)];
      if (is_taken[k] || results.empty() || roots[static_cast<size_t>(results.back())] == v)
        continue;
      trial.values.push_back(v);
      trial.change.donated.emplace_back(results.back(), static_cast<int>(k));
      results.pop_back();
    }
    if (!trial.values.empty()) trials_.push_back(std::move(trial));
    return absl::OkStatus();
  }

  std::string PlainShape(ValueId v) const {
    return layout::ShapeToString(flow_.values[v].shape->WithoutLayout());
  }

  // The largest groups of what the backward pass reads.
  void AddRecomputed() {
    std::map<std::pair<std::string, std::string>, std::vector<ValueId>> groups;
    for (const ValueId alive : found_.live.at_peak) {
      const ValueId v = Returned(alive);
      if (IsResidual(v) && !IsStackOfInputs(v))
        groups[{OpName(*flow_.NodeOf(Stacked(v))), PlainShape(v)}].push_back(v);
    }
    std::vector<Trial> largest;
    for (auto& [unused, values] : groups) {
      Trial trial;
      trial.kind = PeakFinding::Kind::kRecompute;
      for (const ValueId v : values) AddMemoryOf(v, &trial.change.without);
      trial.values = std::move(values);
      largest.push_back(std::move(trial));
    }
    absl::c_stable_sort(largest, [&](const Trial& a, const Trial& b) {
      return BytesOf(a.values) > BytesOf(b.values);
    });
    if (largest.size() > PeakFinding::kMostTrials) largest.resize(PeakFinding::kMostTrials);
    trials_.insert(trials_.end(), largest.begin(), largest.end());
  }

  bool IsResidual(ValueId v) {
    const target::Node* node = flow_.NodeOf(v);
    if (node == nullptr || node->opcode == hlo::Opcode::kParameter || !IsForward(*node))
      return false;
    return absl::c_any_of(readers_.Of(v), [&](const target::Reader& r) {
      if (r.node == target::kNone) return false;
      return IsBackward(flow_.nodes[target::NodeIn(flow_, flow_.values[v].scope, r.node)]);
    });
  }

  // For an element of a loop's state the loop's result; else v.
  ValueId Returned(ValueId v) const {
    const target::Value& value = flow_.values[v];
    const target::NodeId loop = flow_.scopes[value.scope].owner;
    const bool is_element = value.node == target::kNone && loop != target::kNone &&
                            flow_.nodes[loop].opcode == hlo::Opcode::kWhile;
    return is_element ? flow_.nodes[loop].results[value.leaf] : v;
  }

  // The value, and what a loop that made it holds in its place while it runs.
  void AddMemoryOf(ValueId v, std::vector<ValueId>* memory) const {
    memory->push_back(v);
    const target::Node& node = *flow_.NodeOf(v);
    if (node.opcode != hlo::Opcode::kWhile) return;
    const uint32_t leaf = flow_.values[v].leaf;
    const target::Scope& body = flow_.scopes[node.bodies[0]];
    memory->insert(memory->end(), {node.operands[leaf], body.parameters[leaf], body.roots[leaf]});
  }

  // If a loop fills v: the slice that its body writes; else v.
  ValueId Stacked(ValueId v) const {
    const target::Node* node = flow_.NodeOf(v);
    if (node->opcode != hlo::Opcode::kWhile) return v;
    const ValueId root = flow_.scopes[node->bodies[0]].roots[flow_.values[v].leaf];
    node = flow_.NodeOf(root);
    if (node == nullptr || node->opcode != hlo::Opcode::kDynamicUpdateSlice) return v;
    ValueId update = node->operands[1];
    for (node = flow_.NodeOf(update); node != nullptr && IsReshape(*node);
         node = flow_.NodeOf(update)) {
      update = node->operands[0];
    }
    return node == nullptr ? v : update;
  }

  // A stack of what enters each run of a loop: a checkpoint of the body keeps just that.
  bool IsStackOfInputs(ValueId v) const {
    return flow_.NodeOf(v)->opcode == hlo::Opcode::kWhile && Stacked(v) == v;
  }

  // A broadcast may only add dimensions of size 1.
  bool IsReshape(const target::Node& node) const {
    return target::KindOf(node.opcode) == target::OpKind::kView ||
           (node.opcode == hlo::Opcode::kBroadcast &&
            flow_.values[node.operands[0]].shape->NumElements() ==
                flow_.values[node.results[0]].shape->NumElements());
  }

  std::string OpName(const target::Node& node) const {
    return hlo::GetOpName(*flow_.module, node.instruction);
  }
  bool IsBackward(const target::Node& node) const {
    return absl::StrContains(OpName(node), "transpose(jvp(");
  }
  bool IsForward(const target::Node& node) const {
    return !IsBackward(node) && absl::StrContains(OpName(node), "jvp(");
  }

  int64_t BytesOf(const std::vector<ValueId>& values) const {
    int64_t bytes = 0;
    for (const ValueId v : values) bytes += model_.BytesOf(v);
    return bytes;
  }

  PeakFinding FindingOf(const Trial& trial, int64_t peak) const {
    std::vector<ValueId> values = trial.values;
    absl::c_stable_sort(
        values, [&](ValueId a, ValueId b) { return model_.BytesOf(a) > model_.BytesOf(b); });
    PeakFinding finding;
    finding.kind = trial.kind;
    for (const ValueId v : values) {
      const ValueId made = Stacked(v);
      finding.arrays.push_back({flow_.NodeOf(made)->instruction, flow_.values[made].leaf});
    }
    finding.shape = layout::ShapeToString(model_.Laid(values[0]));
    finding.bytes = BytesOf(values);
    finding.peak = peak;
    return finding;
  }

  const Dataflow& flow_;
  const PeakModel& model_;
  const ModelledPeak& found_;
  target::Readers readers_;
  std::vector<Trial> trials_;
};

}  // namespace

absl::StatusOr<std::vector<PeakFinding>> FindPeakFindings(const Dataflow& flow,
                                                          const PeakModel& model,
                                                          const ModelledPeak& found) {
  return Trials(flow, model, found).Run();
}

}  // namespace tessera::cost
