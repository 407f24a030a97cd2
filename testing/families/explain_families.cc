// A case names a module of the corpus beside the case files. It lists the origin of each axis of
// its values and all steps in which axes moved, as the reference recorded them. Shardings after
// propagation, origins, and steps with their numbers must be the same.
//
// `?opcode` is an op whose instruction the reference had lost: there the rest decides.

#include "tessera/testing/families/explain_families.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/explain/event_log.h"
#include "tessera/sharding/explain/sdy_records.h"
#include "tessera/sharding/explain/value_names.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/trim.h"
#include "tessera/testing/explain/observed_module.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::explain::Annotation;
using sharding::explain::AnnotationKind;
using sharding::explain::EventLog;
using sharding::explain::ObservedModule;
using sharding::explain::SdyEdge;
using sharding::explain::SdyRecords;
using sharding::explain::SlotId;
using sharding::explain::ValueNames;
using sharding::propagation::kNone;

// CORPUS/NAME.before.hlo; the folder `conformance` stands beside one of the folders above the case.
std::string ModuleFile(const json& c) {
  namespace fs = std::filesystem;
  const std::string name = absl::StrCat(c["module"].get<std::string>(), ".before.hlo");
  fs::path folder = fs::absolute(c[kCaseFileField].get<std::string>()).parent_path();
  for (; folder != folder.root_path(); folder = folder.parent_path()) {
    const fs::path file = folder / "conformance" / name;
    if (fs::exists(file)) return file;
  }
  return "";
}

// A step in the words of the case: number, op with side and index, axis, from, to.
struct StepLine {
  int64_t step = 0;
  std::string op, axis, from, to;
  sharding::propagation::OpId id = kNone;  // of ours

  std::tuple<int64_t, std::string, std::string, std::string> WithoutOp() const {
    return {step, axis, from, to};
  }
  std::string Text() const { return absl::StrCat(step, " ", op, " ", axis, " ", from, "->", to); }
};

class OriginsCase {
 public:
  OriginsCase(const json& c, const ObservedModule& observed)
      : case_(c),
        log_(*observed.log),
        module_(log_.program().module()),
        names_(log_),
        records_(log_) {
    for (sharding::MeshId id = 0; id < log_.program().meshes().size(); ++id) {
      if (log_.program().meshes().mesh(id).num_axes() > 0)
        mesh_ = &log_.program().meshes().mesh(id);
    }
  }

  Outcome Check() {
    if (mesh_ == nullptr) return Failed("the module has no mesh");
    for (const json& p : case_["parameters"]) {
      const int number = p["number"];
      Compare(absl::StrCat("parameter ", number), p, Parameter(number), false);
    }
    for (const json& r : case_["results"]) {
      const int number = r["number"];
      Compare(absl::StrCat("result ", number), r, log_.SlotOfOutput(number), false);
    }
    for (const json& v : case_["values"]) Compare(v["at"], v, ValueAt(v), true);
    CompareSteps();
    if (differences_.empty()) return Passed();
    return Failed(absl::StrCat(differences_.size(), " differences: ", differences_[0]));
  }

 private:
  // --- values ------------------------------------------------------------------------------------

  SlotId Parameter(int number) const {
    const sharding::passes::Block* body = log_.program().entry()->body;
    return log_.SlotOf(body->args[static_cast<size_t>(number)]->number());
  }

  std::optional<SlotId> ValueAt(const json& v) const {
    const std::string at = v["at"];
    const int index = v.value("index", 0);
    if (v.contains("side")) return EdgeAt(at, v["side"], index);
    for (const Annotation& a : log_.annotations()) {
      if (sharding::explain::SdyOriginName(a) == at) return a.slot;
    }
    const hlo::InstructionId id = Find(at);
    if (id == hlo::kNoId) return std::nullopt;
    for (const SlotId copy : CopiesOf(id, index)) {
      if (HasAllOf(v, copy)) return copy;
    }
    const auto value = names_.ValueOf(id, index);
    if (value == kNone) return std::nullopt;
    return log_.SlotOf(value);
  }

  bool HasAllOf(const json& v, SlotId slot) const {
    if (AxesText(slot) != v["sharding"]) return false;
    for (const auto& [text, origin] : v["origin"].items()) {
      const auto axis = sharding::ParseAxisText(text, *mesh_);
      if (!axis.ok() || TheirName(records_.OriginText(slot, *axis)) != origin) return false;
    }
    return true;
  }

  // A constant, or a value made from constants, has a copy for each user; the case has one of them.
  std::vector<SlotId> CopiesOf(hlo::InstructionId id, int index) const {
    std::vector<SlotId> copies;
    for (const sharding::passes::Op* op : log_.run().numbered().ops()) {
      if (op == nullptr || op->source != id || op->num_results() <= index) continue;
      copies.push_back(log_.SlotOf(op->result(index)->number()));
    }
    return copies;
  }

  std::optional<SlotId> EdgeAt(const std::string& at, const std::string& side, int index) const {
    for (const auto& edge : log_.numbered().edges()) {
      if (OpName(log_.numbered().def(edge.result)) == absl::StrCat(at, " ", side, " ", index)) {
        return edge.result;
      }
    }
    return std::nullopt;
  }

  hlo::InstructionId Find(const std::string& path) const {
    const size_t slash = path.find('/');
    if (slash == std::string::npos) return hlo::kNoId;
    const hlo::ComputationId c = module_.FindComputation(path.substr(0, slash));
    if (c == hlo::kNoId) return hlo::kNoId;
    for (const hlo::InstructionId id : module_.computation(c).instructions) {
      if (module_.instruction(id).name == path.substr(slash + 1)) return id;
    }
    return hlo::kNoId;
  }

  std::string AxesText(const sharding::AxisList& axes) const {
    return absl::StrJoin(axes, ",", [&](std::string* out, AxisRef axis) {
      absl::StrAppend(out, sharding::ShortAxisText(axis, *mesh_));
    });
  }

  // Of an argument of a shard_map as the outside sees it; of its arguments and results what divides
  // them evenly.
  std::string AxesText(SlotId slot) const {
    const sharding::TensorSharding* s = log_.Propagated(slot);
    if (s == nullptr) return "none";
    const std::string dims =
        absl::StrJoin(Outside(slot, *s).dims(), ", ", [&](std::string* out, const auto& dim) {
          absl::StrAppend(out, "{", AxesText(dim.axes), "}");
        });
    return absl::StrCat("[", dims, "]");
  }

  sharding::TensorSharding Outside(SlotId slot, const sharding::TensorSharding& s) const {
    const auto edge = log_.numbered().edge(log_.numbered().def(slot));
    if (edge == kNone) return s;
    const sharding::propagation::EdgeSpec& spec =
        log_.numbered().edges()[static_cast<size_t>(edge)];
    if (spec.view == sharding::propagation::ManualView::kNone) return s;
    const auto owner = log_.run().numbered().values()[static_cast<size_t>(spec.owner)];
    if (spec.view == sharding::propagation::ManualView::kInner) {
      return EvenlySharded(s, *mesh_, owner->shape().dims());
    }
    const auto whole =
        sharding::WithManualAxes(s, log_.program().shardings()[spec.boundary], spec.manual_axes);
    const auto operand = owner->owner()->parent->operand(owner->index());
    return EvenlySharded(whole, *mesh_, operand->shape().dims());
  }

  void Compare(const std::string& what, const json& expected, std::optional<SlotId> slot,
               bool with_sharding) {
    if (!slot) return Differ(absl::StrCat(what, ": no such value"));
    if (with_sharding) Expect(what, AxesText(*slot), expected["sharding"].get<std::string>());
    for (const auto& [axis_text, origin] : expected["origin"].items()) {
      const auto axis = sharding::ParseAxisText(axis_text, *mesh_);
      if (!axis.ok()) return Differ(absl::StrCat(what, ": axis ", axis_text));
      Expect(absl::StrCat(what, " ", axis_text), TheirName(records_.OriginText(*slot, *axis)),
             origin.get<std::string>());
    }
  }

  // The case knows annotations by their instructions; numbers may differ.
  std::string TheirName(const std::string& origin) const {
    for (const Annotation& a : log_.annotations()) {
      if (sharding::explain::SdyOriginName(a) != origin || a.op == kNone) continue;
      const bool is_constraint = a.kind == AnnotationKind::kConstraint;
      const std::string ours = absl::StrCat(is_constraint ? "constraint_" : "mc_", a.number);
      for (const auto& [theirs, path] : case_["annotations"].items()) {
        const bool same_kind = absl::StartsWith(theirs, "mc_") != is_constraint;
        if (!same_kind || path != InstructionName(a.instruction)) continue;
        return absl::StrCat(theirs, origin.substr(ours.size()));
      }
    }
    return origin;
  }

  // --- steps -------------------------------------------------------------------------------------

  std::string InstructionName(hlo::InstructionId id) const {
    if (id == hlo::kNoId) return "";
    return absl::StrCat(module_.computation(module_.instruction(id).computation).name, "/",
                        module_.instruction(id).name);
  }

  // Of an annotation that the case has under the reference's name only.
  std::string NameOf(const sharding::passes::Op& op) const {
    for (const Annotation& a : log_.annotations()) {
      if (a.op != op.number) continue;
      const std::string name = sharding::explain::SdyOriginName(a);
      const std::string key = absl::StartsWith(name, "mc_") ? absl::StrCat("mc_", a.number) : name;
      if (case_["annotations"].contains(key) && case_["annotations"][key].is_null()) return key;
    }
    return InstructionName(op.source);
  }

  std::string OpName(sharding::propagation::OpId id) const {
    if (id == kNone) return "function_result";
    const sharding::passes::Op& op = *log_.OpOf(id);
    if (op.kind != sharding::passes::OpKind::kDataFlowEdge) return NameOf(op);
    const sharding::passes::Value* owner = op.operand(0);
    const bool is_result = owner->def() != nullptr;
    const sharding::passes::Op& around = is_result ? *owner->def() : *owner->owner()->parent;
    return absl::StrCat(NameOf(around), is_result ? " result " : " block_arg ", owner->index());
  }

  std::string TensorText(const SdyEdge& e, int t) const {
    const auto endpoint_operands = [&] {
      if (e.op == kNone) return 1;
      const auto edge = log_.numbered().edge(e.op);
      return edge != kNone ? static_cast<int>(log_.numbered().edges()[edge].sources.size())
                           : static_cast<int>(log_.numbered().operands(e.op).size());
    }();
    return t < endpoint_operands ? absl::StrCat("operand-", t)
                                 : absl::StrCat("result-", t - endpoint_operands);
  }

  std::vector<StepLine> OurSteps() const {
    std::vector<StepLine> lines;
    for (const SdyEdge& e : records_.edges()) {
      lines.push_back({e.step, OpName(e.op), sharding::ShortAxisText(e.axis, *mesh_),
                       TensorText(e, e.source), TensorText(e, e.target), e.op});
    }
    return lines;
  }

  std::vector<StepLine> TheirSteps() const {
    std::vector<StepLine> lines;
    for (const json& s : case_["steps"]) {
      for (const json& to : s["to"]) {
        StepLine line{s["step"], s["op"], s["axis"], s["from"], to, kNone};
        if (s.contains("side")) {
          absl::StrAppend(&line.op, " ", s["side"].get<std::string>(), " ", s["index"].get<int>());
        }
        lines.push_back(line);
      }
    }
    return lines;
  }

  bool Same(const StepLine& theirs, const StepLine& ours) const {
    return theirs.WithoutOp() == ours.WithoutOp() &&
           (theirs.op == ours.op || absl::StartsWith(theirs.op, "?") ||
            StandsFor(theirs.op, ours.id));
  }

  // An instruction that the import dropped for the op, as it does a reshape that changes nothing.
  bool StandsFor(const std::string& path, sharding::propagation::OpId op) const {
    const hlo::InstructionId id = Find(path);
    const auto value = id == hlo::kNoId ? kNone : names_.ValueOf(id, 0);
    return value != kNone && log_.numbered().def(value) == op;
  }

  void CompareSteps() {
    std::vector<StepLine> ours = OurSteps();
    for (const StepLine& wanted : TheirSteps()) {
      const auto found = std::find_if(ours.begin(), ours.end(),
                                      [&](const StepLine& line) { return Same(wanted, line); });
      if (found == ours.end()) {
        Differ(absl::StrCat("missing step ", wanted.Text()));
      } else {
        ours.erase(found);
      }
    }
    for (const StepLine& line : ours) Differ(absl::StrCat("step of our own ", line.Text()));
  }

  void Expect(const std::string& what, const std::string& got, const std::string& wanted) {
    if (got != wanted) Differ(absl::StrCat(what, ": got ", got, ", expected ", wanted));
  }
  void Differ(const std::string& what) { differences_.push_back(what); }

  const json& case_;
  const EventLog& log_;
  const hlo::Module& module_;
  const ValueNames names_;
  const SdyRecords records_;
  const Mesh* mesh_ = nullptr;
  std::vector<std::string> differences_;
};

Outcome CheckOrigins(const json& c) {
  const std::string file = ModuleFile(c);
  if (file.empty()) return NotRun("its module is not beside the case file");
  auto options = sharding::explain::OptionsForFile(file);
  auto module = sharding::explain::ReadModuleFile(file);
  if (!options.ok() || !module.ok()) return Failed("the module cannot be read");
  options->stage = pipeline::Stage::kPass;
  const auto observed = sharding::explain::Observe(*std::move(module), *options);
  if (!observed.ok()) return Failed(std::string(observed.status().message()));
  return OriginsCase(c, *observed).Check();
}

}  // namespace

std::vector<Family> ExplainFamilies() {
  return {{"explain_origins", CheckOrigins}, WhyNotFamily()};
}

}  // namespace tessera::testing
