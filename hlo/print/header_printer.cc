// The first line of a module.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/print/attribute_printer.h"
#include "tessera/hlo/print/module_printer.h"
#include "tessera/hlo/values/recovery_table.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

// The module that belongs to an entry, between quotes but without escapes, as XLA prints it.
std::string RecoveryText(const RecoveryEntry& entry) {
  const auto module = ParseModule(entry.module, "<recovery>");
  if (!module.ok()) return "";  // the parser of the table has seen to it
  const PrintOptions options = PrintOptions::Default();
  std::string out = ",\n  \"\n";
  for (absl::string_view line : absl::StrSplit(ModulePrinter(*module, options).Print(), '\n')) {
    absl::StrAppend(&out, line.empty() ? "" : "    ", line, "\n");
  }
  return out + "  \"";
}

}  // namespace

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
  BackendConfig(h.backend_config);
  RecoveryTable();
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
  const auto print = [this](size_t count, const auto& parameter, const auto& result) {
    out_ += ", entry_computation_layout={(";
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      if (i > 0 && i % 5 == 0) absl::StrAppend(&out_, "/*index=", i, "*/");
      parameter(i);
    }
    out_ += ")->";
    result();
    out_ += '}';
  };
  if (const auto& written = module_.header().entry_layout; written.has_value()) {
    return print(
        written->parameters.size(), [&](size_t i) { ShapeText(written->parameters[i]); },
        [&] { ShapeText(written->result); });
  }
  const EntryShapes shapes(module_);
  const auto append = [this](const layout::Shape& shape) { layout::AppendShape(shape, {}, &out_); };
  print(
      shapes.num_parameters(), [&](size_t i) { append(shapes.Parameter(i)); },
      [&] { append(shapes.Result()); });
}

void ModulePrinter::BoolList(absl::string_view name, const std::vector<bool>& values) {
  if (values == std::vector<bool>{false}) return;
  absl::StrAppend(&out_, ", ", name, "={");
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&out_, i > 0 ? "," : "", values[i] ? "true" : "false");
  }
  out_ += '}';
}

void ModulePrinter::RecoveryTable() {
  if (module_.header().origin_recovery_table.empty()) return;
  out_ += ", origin_recovery_table=";
  if (!options_.load_like_xla) return Append(module_.header().origin_recovery_table);
  out_ += "{\n";
  for (const RecoveryEntry& entry : RecoveryTableOf(module_)) {
    absl::StrAppend(&out_, "  ", OriginalArrayText(entry.old_array.name, entry.old_array.index),
                    " : ", OriginalArrayText(entry.new_array.name, entry.new_array.index),
                    entry.module.empty() ? "" : RecoveryText(entry), "\n");
  }
  out_ += "}\n";
}

}  // namespace tessera::hlo
