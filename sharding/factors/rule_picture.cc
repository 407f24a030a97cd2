#include "tessera/sharding/factors/rule_picture.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/factors/rule_spec.h"

namespace tessera::sharding::factors {
namespace {

using Row = std::vector<std::string>;

// By FactorKind: the words of Shardy, as in the text of a rule.
constexpr const char* kKinds[] = {"", "reduction", "need_replication", "permutation"};

std::string Kind(const OpShardingRule& rule, int factor) {
  const std::string kind = kKinds[static_cast<size_t>(rule.kind(factor))];
  if (!rule.blocked(factor)) return kind;
  return absl::StrCat(kind, kind.empty() ? "" : ", ", "blocked_propagation");
}

std::string Meeting(const OpShardingRule& rule, int tensor, int factor) {
  for (int dim = 0; dim < rule.rank(tensor); ++dim) {
    const auto factors = rule.factors(tensor, dim);
    const auto found = std::find(factors.begin(), factors.end(), factor);
    if (found == factors.end()) continue;
    if (factors.size() == 1) return absl::StrCat("dim ", dim);
    return absl::StrCat("dim ", dim, " (", found - factors.begin() + 1, " of ", factors.size(),
                        ")");
  }
  return "";
}

std::string Aligned(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); ++k) {
      absl::StrAppend(&line, row[k], std::string(widths[k] - row[k].size() + 2, ' '));
    }
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&out, line, "\n");
  }
  return out;
}

}  // namespace

std::string RulePicture(const OpShardingRule& rule, const std::vector<std::string>& names) {
  std::vector<Row> rows = {{"factor", "size", "kind"}};
  rows[0].insert(rows[0].end(), names.begin(), names.end());
  for (int f = 0; f < rule.num_factors(); ++f) {
    Row row = {FactorName(f), absl::StrCat(rule.spec().sizes[static_cast<size_t>(f)]),
               Kind(rule, f)};
    for (int t = 0; t < rule.num_tensors(); ++t) row.push_back(Meeting(rule, t, f));
    rows.push_back(row);
  }
  return Aligned(rows);
}

}  // namespace tessera::sharding::factors
