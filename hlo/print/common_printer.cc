// Attributes of every instruction as XLA prints them: sorted keys, shardings spread over the
// elements of a tuple, metadata without what is empty.

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/print/attribute_printer.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/layout/leaves.h"
#include "tessera/sharding/hlo_sharding_text.h"

namespace tessera::hlo {

using layout::Shape;

std::string FormatSortedFrontendAttributes(
    std::vector<std::pair<std::string, std::string>> attributes) {
  std::map<std::string, std::string> last;
  for (auto& [key, value] : attributes) last[key] = std::move(value);
  if (last.empty()) return "";
  return FormatFrontendAttributes({last.begin(), last.end()});
}

std::string FormatSharding(absl::string_view text, const Shape& shape,
                           const sharding::HloShardingForm& form) {
  const auto sharding = sharding::ParseHloSharding(text);
  if (!sharding.ok()) return std::string(text);
  if (!shape.is_tuple() || sharding->IsTuple()) return sharding->ToString(form);
  const size_t leaves = layout::NumLeaves(shape);
  const std::vector<sharding::HloSharding> all(std::max<size_t>(leaves, 1), *sharding);
  return sharding::HloSharding::Tuple(all).ToString(form);
}

std::string FormatMetadata(const Module& module, InstructionId id, int64_t stack_frame_id) {
  const Metadata m = GetMetadata(module, id);
  if (m.op_type.empty() && m.op_name.empty() && m.source_file.empty() &&
      m.scheduling_name.empty() && stack_frame_id == 0 && !m.payload.has_value()) {
    return "";
  }
  std::vector<std::string> fields;
  const auto text = [&](absl::string_view name, const std::string& value) {
    if (!value.empty()) fields.push_back(absl::StrCat(name, "=\"", CEscape(value), "\""));
  };
  const auto number = [&](absl::string_view name, int64_t value) {
    if (value != 0) fields.push_back(absl::StrCat(name, "=", value));
  };
  text("op_type", m.op_type);
  text("op_name", m.op_name);
  text("source_file", m.source_file);
  number("source_line", m.source_line);
  number("source_end_line", m.source_end_line);
  number("source_column", m.source_column);
  number("source_end_column", m.source_end_column);
  if (!m.profile_type.empty()) fields.push_back("profile_type=" + PrintInts(m.profile_type));
  text("deduplicated_name", m.deduplicated_name);
  if (!m.scheduling_name.empty()) {
    fields.push_back(absl::StrCat("scheduling_name=\"", m.scheduling_name, "\""));
  }
  number("stack_frame_id", stack_frame_id);
  if (m.payload.has_value()) {
    fields.push_back(absl::StrCat("metadata_payload=\"", CEscape(*m.payload), "\""));
  }
  return absl::StrCat("{", absl::StrJoin(fields, " "), "}");
}

}  // namespace tessera::hlo
