// Any text: reading must not fail otherwise than by a Status, and what was read must come back from
// its own print. A rule that can be frozen is also put through the factor table.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/factors/rule_check.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/mesh.h"

namespace tessera::sharding::factors {
namespace {

std::vector<int> Ranks(const std::vector<TensorMapping>& tensors) {
  std::vector<int> ranks;
  for (const TensorMapping& tensor : tensors) ranks.push_back(static_cast<int>(tensor.size()));
  return ranks;
}

// Every dimension of every tensor sharded on both axes.
void Project(const OpShardingRule& rule) {
  static const Mesh& mesh = *new Mesh(*Mesh::Create({{"a", 4}, {"b", 6}}));
  std::vector<TensorSharding> shardings;
  std::vector<const TensorSharding*> pointers;
  for (int t = 0; t < rule.num_tensors(); ++t) {
    TensorSharding sharding(0, rule.rank(t));
    for (DimensionSharding& dim : sharding.mutable_dims()) {
      dim.axes = {AxisRef::Full(0), AxisRef::Full(1)};
    }
    shardings.push_back(sharding);
  }
  for (const TensorSharding& sharding : shardings) pointers.push_back(&sharding);
  FactorTable table;
  table.Project(rule, pointers, mesh);
  for (int t = 0; t < rule.num_tensors(); ++t) table.ToSharding(t, 0);
}

void Check(absl::string_view text) {
  const absl::StatusOr<RuleSpec> spec = ParseRuleSpec(text);
  if (!spec.ok()) return;
  const absl::StatusOr<RuleSpec> again = ParseRuleSpec(RuleToString(*spec));
  if (!again.ok() || *again != *spec) std::abort();
  const bool is_right =
      !CheckRule(*spec, Ranks(spec->operands), Ranks(spec->results), GroupOrder::kAny);
  const absl::StatusOr<OpShardingRule> rule = OpShardingRule::Make(*spec);
  if (is_right && !rule.ok()) std::abort();
  if (rule.ok()) Project(*rule);
}

}  // namespace
}  // namespace tessera::sharding::factors

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::sharding::factors::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
