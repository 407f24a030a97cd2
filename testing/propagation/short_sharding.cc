#include "tessera/testing/propagation/short_sharding.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/sharding/axis_text.h"

namespace tessera::sharding::propagation {
namespace {

absl::Status Bad(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat("not a short sharding: ", text));
}

// Takes what stands before `end`, and `end` itself, off the front of `text`.
bool TakeUntil(absl::string_view& text, char end, absl::string_view& taken) {
  const size_t at = text.find(end);
  if (at == absl::string_view::npos) return false;
  taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

absl::Status ParseAxes(absl::string_view text, const Mesh& mesh, AxisList& axes) {
  for (const absl::string_view item : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    absl::StatusOr<AxisRef> axis = ParseAxisText(item, mesh);
    if (!axis.ok()) return axis.status();
    axes.push_back(*axis);
  }
  return absl::OkStatus();
}

// One dimension, from after its opening brace; takes it off the front of `text`.
absl::Status ParseDimension(absl::string_view& text, const Mesh& mesh, DimensionSharding& dim) {
  absl::string_view inside;
  if (!TakeUntil(text, '}', inside)) return Bad(text);
  dim.is_closed = !absl::ConsumeSuffix(&inside, "?");
  if (absl::ConsumePrefix(&text, "p")) {
    const absl::string_view digits = text.substr(0, text.find_first_not_of("0123456789"));
    if (!absl::SimpleAtoi(digits, &dim.priority)) return Bad(text);
    text.remove_prefix(digits.size());
  }
  return ParseAxes(inside, mesh, dim.axes);
}

std::string JoinAxes(const AxisList& axes, const Mesh& mesh) {
  return absl::StrJoin(axes, ",", [&](std::string* out, AxisRef a) {
    absl::StrAppend(out, ShortAxisText(a, mesh));
  });
}

std::string DimensionToShort(const DimensionSharding& d, const Mesh& mesh) {
  std::string inside = JoinAxes(d.axes, mesh);
  if (!d.is_closed) absl::StrAppend(&inside, inside.empty() ? "?" : ",?");
  return absl::StrCat("{", inside, "}", d.has_priority() ? absl::StrCat("p", d.priority) : "");
}

}  // namespace

absl::StatusOr<TensorSharding> ParseShort(absl::string_view text, MeshId mesh_id,
                                          const Mesh& mesh) {
  TensorSharding sharding(mesh_id);
  const absl::string_view all = text;
  if (!absl::ConsumePrefix(&text, "[")) return Bad(all);
  while (absl::ConsumePrefix(&text, "{")) {
    sharding.mutable_dims().emplace_back();
    absl::Status status = ParseDimension(text, mesh, sharding.mutable_dims().back());
    if (!status.ok()) return status;
    absl::ConsumePrefix(&text, ",");
  }
  if (!absl::ConsumePrefix(&text, "]")) return Bad(all);
  while (!text.empty()) {
    const bool replicated = absl::ConsumePrefix(&text, " repl{");
    absl::string_view inside;
    if (!replicated && !absl::ConsumePrefix(&text, " unred{")) return Bad(all);
    if (!TakeUntil(text, '}', inside)) return Bad(all);
    absl::Status status = ParseAxes(
        inside, mesh,
        replicated ? sharding.mutable_replicated_axes() : sharding.mutable_unreduced_axes());
    if (!status.ok()) return status;
  }
  return sharding;
}

std::string ToShort(const TensorSharding& sharding, const Mesh& mesh) {
  std::string text = absl::StrCat("[",
                                  absl::StrJoin(sharding.dims(), ",",
                                                [&](std::string* out, const DimensionSharding& d) {
                                                  absl::StrAppend(out, DimensionToShort(d, mesh));
                                                }),
                                  "]");
  if (!sharding.replicated_axes().empty()) {
    absl::StrAppend(&text, " repl{", JoinAxes(sharding.replicated_axes(), mesh), "}");
  }
  if (!sharding.unreduced_axes().empty()) {
    absl::StrAppend(&text, " unred{", JoinAxes(sharding.unreduced_axes(), mesh), "}");
  }
  return text;
}

}  // namespace tessera::sharding::propagation
