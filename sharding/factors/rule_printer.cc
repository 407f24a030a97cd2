#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/factors/rule_text.h"

namespace tessera::sharding::factors {
namespace {

void AppendFactor(std::string* out, int64_t f) { absl::StrAppend(out, FactorName(f)); }

void AppendDim(std::string* out, const DimMapping& dim) {
  for (int64_t f : dim) AppendFactor(out, f);
}

void AppendTensor(std::string* out, const TensorMapping& tensor) {
  absl::StrAppend(out, "[", absl::StrJoin(tensor, ", ", AppendDim), "]");
}

std::string Tensors(const std::vector<TensorMapping>& tensors) {
  return absl::StrCat("(", absl::StrJoin(tensors, ", ", AppendTensor), ")");
}

std::string Sizes(const std::vector<int64_t>& sizes) {
  std::string out;
  for (size_t f = 0; f < sizes.size(); ++f) {
    absl::StrAppend(&out, f == 0 ? " {" : ", ", FactorName(f), "=", sizes[f]);
  }
  return out.empty() ? out : out + "}";
}

std::string Group(absl::string_view name, const std::vector<int64_t>& members) {
  if (members.empty()) return "";
  return absl::StrCat(" ", name, "={", absl::StrJoin(members, ", ", AppendFactor), "}");
}

}  // namespace

std::string RuleToString(const RuleSpec& rule) {
  return absl::StrCat(
      Tensors(rule.operands), "->", Tensors(rule.results), Sizes(rule.sizes),
      Group("reduction", rule.reduction), Group("need_replication", rule.need_replication),
      Group("permutation", rule.permutation),
      Group("blocked_propagation", rule.blocked_propagation), rule.is_custom ? ", custom" : "");
}

std::string RuleToString(const OpShardingRule& rule) { return RuleToString(rule.spec()); }

}  // namespace tessera::sharding::factors
