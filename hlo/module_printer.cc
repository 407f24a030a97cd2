#include "tessera/hlo/module_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attribute_printer.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

ModulePrinter::ModulePrinter(const Module& module, const PrintOptions& options)
    : module_(module),
      options_(options),
      names_(LoadNames(module, options.load_like_xla)),
      shape_texts_(module, layout::PrintOptions()),
      plain_shape_texts_(module, layout::kNoLayout),
      attribute_texts_(module, options),
      source_form_(module, options, names_, frames_, &attribute_texts_),
      call_sites_(module),
      post_order_(module),
      may_copy_(SourceForm::IsPossible(options)) {
  FindSpecialComputations();
  if (options.metadata) frames_ = LoadFrames(module, options.load_like_xla);
}

std::string ModulePrinter::Print() {
  out_.reserve(module_.source().size() * 5 / 4 + module_.num_instructions() * 16);
  Header();
  for (ComputationId id : ComputationPostOrder(module_, call_sites_)) {
    if (hidden_[id]) continue;
    ComputationText(id);
    out_ += "\n\n";
  }
  return std::move(out_);
}

void ModulePrinter::FindSpecialComputations() {
  hidden_.assign(module_.num_computations(), false);
  fusion_body_ = hidden_;
  for (InstructionId i : call_sites_.all()) {
    const Opcode opcode = module_.instruction(i).opcode;
    if (opcode != Opcode::kAsyncStart && opcode != Opcode::kFusion) continue;
    for (ComputationId callee : module_.called(i)) {
      if (opcode == Opcode::kFusion) fusion_body_[callee] = true;
      if (opcode == Opcode::kAsyncStart) hidden_[callee] = SugarOf(i) != kNoId;
    }
  }
}

void ModulePrinter::IndexText(const std::vector<int64_t>& index) {
  out_ += '{';
  for (size_t i = 0; i < index.size(); ++i) absl::StrAppend(&out_, i > 0 ? "," : "", index[i]);
  out_ += '}';
}

void ModulePrinter::Header() {
  const ModuleHeader& h = module_.header();
  absl::StrAppend(&out_, "HloModule ", h.name);
  if (h.is_scheduled) out_ += ", is_scheduled=true";
  Aliases();
  Donors();
  if (h.alias_passthrough_params) out_ += ", alias_passthrough_params=true";
  EntryLayout();
  BoolList("allow_spmd_sharding_propagation_to_parameters", h.spmd_propagation_to_parameters);
  BoolList("allow_spmd_sharding_propagation_to_output", h.spmd_propagation_to_output);
  if (h.replica_count != 1) absl::StrAppend(&out_, ", replica_count=", h.replica_count);
  if (h.num_partitions != 1) absl::StrAppend(&out_, ", num_partitions=", h.num_partitions);
  const std::string frontend = FormatSortedFrontendAttributes(h.frontend_attributes);
  if (!frontend.empty()) absl::StrAppend(&out_, ", frontend_attributes=", frontend);
  if (!h.origin_recovery_table.empty()) {
    absl::StrAppend(&out_, ", origin_recovery_table=", h.origin_recovery_table);
  }
  if (!h.debug_attributes.empty()) {
    absl::StrAppend(&out_, ",\ndebug_attributes=", h.debug_attributes);
  }
  if (!frames_.tables.empty()) absl::StrAppend(&out_, "\n\n", PrintStackFrames(frames_.tables));
  out_ += "\n\n";
}

void ModulePrinter::Aliases() {
  std::vector<AliasEntry> entries = module_.header().input_output_alias;
  if (entries.empty()) return;
  const auto less = [](const AliasEntry& a, const AliasEntry& b) {
    return a.output_index < b.output_index;
  };
  std::stable_sort(entries.begin(), entries.end(), less);
  const auto same = [](const AliasEntry& a, const AliasEntry& b) {
    return a.output_index == b.output_index;
  };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  const char* before = ", input_output_alias={ ";
  for (const AliasEntry& e : entries) {
    out_ += before;
    IndexText(e.output_index);
    absl::StrAppend(&out_, ": (", e.parameter_number, ", ");
    IndexText(e.parameter_index);
    out_ += e.kind == AliasEntry::Kind::kMayAlias ? ", may-alias)" : ", must-alias)";
    before = ", ";
  }
  out_ += " }";
}

void ModulePrinter::Donors() {
  std::vector<std::pair<int64_t, std::vector<int64_t>>> donors;
  for (const BufferDonor& d : module_.header().buffer_donor) {
    donors.emplace_back(d.parameter_number, d.parameter_index);
  }
  if (donors.empty()) return;
  std::sort(donors.begin(), donors.end());
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  const char* before = ", buffer_donor={ ";
  for (const auto& [parameter, index] : donors) {
    absl::StrAppend(&out_, before, "(", parameter, ", ");
    IndexText(index);
    out_ += ')';
    before = ", ";
  }
  out_ += " }";
}

void ModulePrinter::EntryLayout() {
  const auto print = [this](const auto& parameters, const auto& result, const auto& append) {
    out_ += ", entry_computation_layout={(";
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (i > 0) out_ += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&out_, "/*index=", i, "*/");
      append(parameters[i]);
    }
    out_ += ")->";
    append(result);
    out_ += '}';
  };
  if (const auto& written = module_.header().entry_layout; written.has_value()) {
    return print(written->parameters, written->result, [this](ShapeId id) { ShapeText(id); });
  }
  const EntryShapes shapes = EntryLayoutOf(module_);
  print(shapes.parameters, shapes.result,
        [this](const layout::Shape& shape) { layout::AppendShape(shape, {}, &out_); });
}

void ModulePrinter::BoolList(absl::string_view name, const std::vector<bool>& values) {
  if (values == std::vector<bool>{false}) return;
  absl::StrAppend(&out_, ", ", name, "={");
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&out_, i > 0 ? "," : "", values[i] ? "true" : "false");
  }
  out_ += '}';
}

void ModulePrinter::ComputationText(ComputationId id) {
  const Computation& c = module_.computation(id);
  if (id == module_.entry_id()) out_ += "ENTRY ";
  absl::StrAppend(&out_, options_.percent ? "%" : "", names_.computations[id], " ");
  if (options_.program_shape) ProgramShape(c);
  out_ += "{\n";
  Instructions(id, 2);
  out_ += '}';
  if (c.execution_thread != "main") {
    absl::StrAppend(&out_, ", execution_thread=\"", c.execution_thread, "\"");
  }
}

void ModulePrinter::ProgramShape(const Computation& c) {
  out_ += '(';
  for (size_t i = 0; i < c.parameters.size(); ++i) {
    if (i > 0) out_ += ", ";
    Append(names_.instructions[c.parameters[i]]);
    out_ += ": ";
    PlainShapeText(module_.shape_id(c.parameters[i]));
  }
  out_ += ") -> ";
  PlainShapeText(module_.shape_id(c.root));
  out_ += ' ';
}

// A copy, because bodies that are printed in place ask again.
std::vector<InstructionId> ModulePrinter::PrintOrder(ComputationId id) {
  if (!module_.header().is_scheduled || fusion_body_[id]) return post_order_.Of(id);
  return module_.computation(id).instructions;
}

void ModulePrinter::Instructions(ComputationId id, int indent) {
  canonical_.clear();
  for (InstructionId i : PrintOrder(id)) {
    if (may_copy_ && Copies(i)) continue;
    FinishRun();
    out_.append(static_cast<size_t>(indent), ' ');
    if (module_.instruction(i).is_root) out_ += "ROOT ";
    InstructionText(i, indent);
    out_ += '\n';
  }
  FinishRun();
}

// Instructions that follow each other in the source as they do in print are one run.
bool ModulePrinter::Copies(InstructionId id) {
  if (!source_form_.IsPrinted(id)) return false;
  constexpr absl::string_view kBetween = "\n  ";
  const SourceRange range = module_.instruction(id).source;
  const char* begin = module_.source_text().data() + range.begin;
  const char* run_end = run_.data() + run_.size();
  if (!run_.empty() && begin == run_end + kBetween.size() &&
      absl::string_view(run_end, kBetween.size()) == kBetween) {
    run_ = {run_.data(), run_.size() + kBetween.size() + range.size()};
    return true;
  }
  FinishRun();
  run_ = {begin, range.size()};
  return true;
}

void ModulePrinter::FinishRun() {
  if (run_.empty()) return;
  out_ += "  ";
  Append(run_);
  out_ += '\n';
  run_ = {};
}

std::string ModulePrinter::PrintOne(InstructionId id) {
  InstructionText(id, 2);
  return std::move(out_);
}

}  // namespace tessera::hlo
