#include "tessera/pipeline/verbs/search/variants/variant_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/cost/sweep/ranking.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/sharding/mesh_sizes.h"

namespace tessera::pipeline {

std::string AnnotationText(const PatternAnnotation& annotation) {
  return absl::StrCat(annotation.pattern, "=", annotation.spec.ToString());
}

std::string VariantText(const Variant& variant) {
  std::vector<std::string> parts;
  if (variant.mesh.has_value()) parts.push_back(sharding::PrintMeshSizes(*variant.mesh));
  for (const PatternAnnotation& annotation : variant.annotations) {
    parts.push_back(AnnotationText(annotation));
  }
  return parts.empty() ? "as the module says" : absl::StrJoin(parts, " ");
}

std::string TimeText(const cost::StepCost& cost) {
  const bool is_whole = cost.without_time == 0 && cost.unpriced == 0;
  return absl::StrCat(FormatSeconds(cost.seconds()), is_whole ? "" : "+");
}

std::string FiguresText(const absl::StatusOr<cost::StepCost>& cost) {
  if (!cost.ok()) return absl::StrCat("refused: ", cost.status().message());
  return absl::StrCat(TimeText(*cost), ", ", layout::FormatBytes(cost->memory));
}

absl::string_view FitText(const cost::StepCost& cost, int64_t limit) {
  constexpr absl::string_view kWords[] = {"", ", does not fit", ", may not fit"};  // by FitVerdict
  return kWords[static_cast<size_t>(cost::VerdictOf(cost, limit))];
}

std::string UnpricedText(const cost::StepCost& cost) {
  if (cost.unpriced == 0) return "";
  const size_t others = static_cast<size_t>(cost.unpriced) - cost.unpriced_names.size();
  return absl::StrCat("\n+: ", cost.unpriced,
                      cost.unpriced == 1 ? " operation has no cost and counts"
                                         : " operations have no cost and count",
                      " as no time: ", absl::StrJoin(cost.unpriced_names, ", "),
                      others > 0 ? absl::StrCat(" and ", others, " more") : "",
                      "; tessera collectives --formulas says why\n");
}

}  // namespace tessera::pipeline
