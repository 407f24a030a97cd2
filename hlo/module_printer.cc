#include "tessera/hlo/module_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attribute_printer.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/order.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

ModulePrinter::ModulePrinter(const Module& module, const PrintOptions& options)
    : module_(module),
      options_(options),
      names_(LoadNames(module, options.load_like_xla)),
      attribute_texts_(module, options) {
  FindSpecialComputations();
  if (options.metadata) frames_ = LoadFrames(module, options.load_like_xla);
}

std::string ModulePrinter::Print() {
  out_.reserve(module_.source().size() * 5 / 4 + module_.num_instructions() * 16);
  Header();
  for (ComputationId id : ComputationPostOrder(module_)) {
    if (hidden_[id]) continue;
    ComputationText(id);
    out_ += "\n\n";
  }
  return std::move(out_);
}

void ModulePrinter::FindSpecialComputations() {
  hidden_.assign(module_.num_computations(), false);
  fusion_body_ = hidden_;
  for (ComputationId c = 0; c < module_.num_computations(); ++c) {
    for (InstructionId i : module_.computation(c).instructions) {
      const Opcode opcode = module_.instruction(i).opcode;
      if (opcode != Opcode::kAsyncStart && opcode != Opcode::kFusion) continue;
      for (ComputationId callee : module_.called(i)) {
        if (opcode == Opcode::kFusion) fusion_body_[callee] = true;
        if (opcode == Opcode::kAsyncStart) hidden_[callee] = SugarOf(i) != kNoId;
      }
    }
  }
}

namespace {

template <typename List>
std::string IndexText(const List& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

}  // namespace

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
  absl::StrAppend(&out_, ", input_output_alias={ ",
                  absl::StrJoin(entries, ", ",
                                [](std::string* out, const AliasEntry& e) {
                                  const bool may = e.kind == AliasEntry::Kind::kMayAlias;
                                  absl::StrAppend(out, IndexText(e.output_index), ": (",
                                                  e.parameter_number, ", ",
                                                  IndexText(e.parameter_index), ", ",
                                                  may ? "may-alias)" : "must-alias)");
                                }),
                  " }");
}

void ModulePrinter::Donors() {
  std::vector<std::pair<int64_t, std::vector<int64_t>>> donors;
  for (const BufferDonor& d : module_.header().buffer_donor) {
    donors.emplace_back(d.parameter_number, d.parameter_index);
  }
  if (donors.empty()) return;
  std::sort(donors.begin(), donors.end());
  donors.erase(std::unique(donors.begin(), donors.end()), donors.end());
  absl::StrAppend(&out_, ", buffer_donor={ ",
                  absl::StrJoin(donors, ", ",
                                [](std::string* out, const auto& d) {
                                  absl::StrAppend(out, "(", d.first, ", ", IndexText(d.second),
                                                  ")");
                                }),
                  " }");
}

void ModulePrinter::EntryLayout() {
  const EntryShapes shapes = EntryLayoutOf(module_);
  out_ += ", entry_computation_layout={(";
  for (size_t i = 0; i < shapes.parameters.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (i > 0 && i % 5 == 0) absl::StrAppend(&out_, "/*index=", i, "*/");
    layout::AppendShape(shapes.parameters[i], {}, &out_);
  }
  out_ += ")->";
  layout::AppendShape(shapes.result, {}, &out_);
  out_ += '}';
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
    absl::StrAppend(&out_, i > 0 ? ", " : "", names_.instructions[c.parameters[i]], ": ");
    PlainShapeText(module_.shape_id(c.parameters[i]));
  }
  out_ += ") -> ";
  PlainShapeText(module_.shape_id(c.root));
  out_ += ' ';
}

const std::string& ModulePrinter::TextOf(ShapeId id, std::vector<std::string>* texts,
                                         const layout::PrintOptions& options) {
  if (texts->empty()) texts->resize(module_.num_shapes());
  std::string& text = (*texts)[id];
  if (text.empty()) layout::AppendShape(module_.interned_shape(id), options, &text);
  return text;
}

std::vector<InstructionId> ModulePrinter::PrintOrder(ComputationId id) const {
  if (!module_.header().is_scheduled || fusion_body_[id]) return PostOrder(module_, id);
  return module_.computation(id).instructions;
}

void ModulePrinter::Instructions(ComputationId id, int indent) {
  canonical_.clear();
  for (InstructionId i : PrintOrder(id)) {
    out_.append(static_cast<size_t>(indent), ' ');
    if (module_.instruction(i).is_root) out_ += "ROOT ";
    InstructionText(i, indent);
    out_ += '\n';
  }
}

std::string ModulePrinter::PrintOne(InstructionId id) {
  InstructionText(id, 2);
  return std::move(out_);
}

}  // namespace tessera::hlo
