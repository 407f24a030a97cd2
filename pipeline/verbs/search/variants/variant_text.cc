#include "tessera/pipeline/verbs/search/variants/variant_text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/pipeline/command_line/format_seconds.h"

namespace tessera::pipeline {

namespace {

std::string AxesText(absl::Span<const sharding::MeshAxis> axes) {
  return absl::StrJoin(axes, ",", [](std::string* out, const sharding::MeshAxis& axis) {
    absl::StrAppend(out, axis.name, "=", axis.size);
  });
}

void PutCost(const cost::StepCost& cost, bool timed, text::JsonWriter* json) {
  json->Key("memory").Int(cost.memory).Key("sent").Int(cost.sent);
  json->Key("collectives").Int(cost.collectives);
  if (timed) {
    json->Key("seconds").Double(cost.seconds()).Key("device_seconds").Double(cost.device_s);
    json->Key("network_seconds").Double(cost.network_s);
    if (cost.without_time > 0) json->Key("without_time").Int(cost.without_time);
    if (cost.unpriced > 0) json->Key("unpriced").Int(cost.unpriced);
  }
  if (cost.counted_once > 0) json->Key("counted_once").Int(cost.counted_once);
}

}  // namespace

std::string MeshText(const sharding::Mesh& mesh) { return AxesText(mesh.axes()); }

std::string ShortMeshText(const sharding::Mesh& mesh) {
  std::vector<sharding::MeshAxis> axes;
  for (const sharding::MeshAxis& axis : mesh.axes()) {
    if (axis.size > 1) axes.push_back(axis);
  }
  if (axes.empty()) return MeshText(mesh);
  return AxesText(axes);
}

std::string AnnotationText(const PatternAnnotation& annotation) {
  return absl::StrCat(annotation.pattern, "=", annotation.spec.ToString());
}

std::string VariantText(const Variant& variant) {
  std::vector<std::string> parts;
  if (variant.mesh.has_value()) parts.push_back(ShortMeshText(*variant.mesh));
  for (const PatternAnnotation& annotation : variant.annotations) {
    parts.push_back(AnnotationText(annotation));
  }
  return parts.empty() ? "as the module says" : absl::StrJoin(parts, " ");
}

std::string TimeText(const cost::StepCost& cost) {
  const bool is_whole = cost.without_time == 0 && cost.unpriced == 0;
  return absl::StrCat(FormatSeconds(cost.seconds()), is_whole ? "" : "+");
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

void PutVariant(const Variant& variant, text::JsonWriter* json) {
  if (variant.mesh.has_value()) json->Key("mesh").String(MeshText(*variant.mesh));
  json->Key("annotate").BeginArray();
  for (const PatternAnnotation& one : variant.annotations) json->String(AnnotationText(one));
  json->EndArray();
}

void PutOutcome(const absl::StatusOr<cost::StepCost>& outcome, bool timed, text::JsonWriter* json) {
  if (outcome.ok()) {
    PutCost(*outcome, timed, json);
  } else {
    json->Key("refused").String(outcome.status().message());
  }
}

void PutOutcomeAt(absl::string_view key, const absl::StatusOr<cost::StepCost>& outcome,
                  text::JsonWriter* json) {
  json->Key(key).BeginObject();
  PutOutcome(outcome, /*timed=*/true, json);
  json->EndObject();
}

}  // namespace tessera::pipeline
