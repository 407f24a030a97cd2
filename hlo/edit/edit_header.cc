// Edits of the line `HloModule name, ...`.

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/syntax_ranges.h"

namespace tessera::hlo {
namespace {

// XLA's order of the attributes.
size_t HeaderRank(absl::string_view name) {
  static constexpr absl::string_view kOrder[] = {"is_scheduled",
                                                 "input_output_alias",
                                                 "buffer_donor",
                                                 "alias_passthrough_params",
                                                 "entry_computation_layout",
                                                 "allow_spmd_sharding_propagation_to_parameters",
                                                 "allow_spmd_sharding_propagation_to_output",
                                                 "replica_count",
                                                 "num_partitions",
                                                 "frontend_attributes",
                                                 "origin_recovery_table",
                                                 "debug_attributes"};
  return static_cast<size_t>(std::find(std::begin(kOrder), std::end(kOrder), name) - kOrder);
}

// A colon may follow the name; it is a part of it, as for the parser.
uint32_t HeaderNameEnd(const Module& module) {
  const uint32_t end = module.RangeOf(module.header().name)->end;
  return end + (module.source_text()[end] == ':' ? 1 : 0);
}

}  // namespace

void Editor::AddToMadeHeader(absl::string_view attribute) {
  const uint32_t begin = LineStart(module_.source().begin).value_or(module_.source().begin);
  if (!has_made_header_) {
    AddEdit({begin, begin}, 0, absl::StrCat("HloModule ", module_.header().name));
    AddEdit({begin, begin}, 2, "\n\n");
    has_made_header_ = true;
  }
  Insert(begin, attribute);
}

void Editor::SetHeaderAttribute(absl::string_view name, absl::string_view value) {
  if (!module_.header().has_header_line) {
    return AddToMadeHeader(absl::StrCat(", ", name, "=", value));
  }
  uint32_t place = HeaderNameEnd(module_);
  for (const HeaderAttribute& a : module_.header_attributes()) {
    if (a.name == name) {
      Replace(a.value, std::string(value));
      return;
    }
    if (HeaderRank(a.name) < HeaderRank(name)) place = a.source.end;
  }
  Insert(place, absl::StrCat(", ", name, "=", value));
}

void Editor::RemoveHeaderAttribute(absl::string_view name) {
  if (!module_.header().has_header_line) return;
  uint32_t before = HeaderNameEnd(module_);
  for (const HeaderAttribute& a : module_.header_attributes()) {
    if (a.name == name) return Delete({NextToken(text_, before), a.source.end});
    before = a.source.end;
  }
}

void Editor::RemoveHeaderFrontendAttributes(absl::string_view prefix) {
  for (const HeaderAttribute& a : module_.header_attributes()) {
    if (a.name != "frontend_attributes") continue;
    const absl::string_view value = text_.substr(a.value.begin, a.value.size());
    const auto entries = ParseFrontendEntries(value);
    const bool all = std::all_of(entries.begin(), entries.end(), [&](const FrontendEntry& e) {
      return absl::StartsWith(e.key, prefix);
    });
    if (all && !entries.empty()) return RemoveHeaderAttribute(a.name);
    return RemoveEntries(value, prefix);
  }
}

}  // namespace tessera::hlo
