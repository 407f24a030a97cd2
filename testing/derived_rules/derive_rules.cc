// Derives the ties of every case of a file of op rules from its projections, and compares.
//
//   derive_rules op_rules.jsonl
//
// Prints for each opcode how many cases agree, and every difference. A tie that only one side has
// is no fault by itself: docs/projection.md says for each kind why it is there.
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "nlohmann/json.hpp"
#include "tessera/hlo/parser.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/testing/derived_rules/ties.h"

namespace tessera::testing {
namespace {

struct Count {
  int agree = 0, differ = 0, underived = 0;
};

// Ties that are in `a` and in neither list of `b`.
Ties OnlyIn(const Ties& a, const BothTies& b) {
  Ties out;
  for (const auto& tie : a) {
    if (b.strict.count(tie) == 0 && b.moved.count(tie) == 0) out.insert(tie);
  }
  return out;
}

void Compare(const nlohmann::json& c, std::map<std::string, Count>* counts) {
  Count& count = (*counts)[c["opcode"].get<std::string>()];
  const auto module = hlo::ParseModule(c["module"].get<std::string>());
  const bool has_rule = c["rule"].is_string();
  const auto rule =
      has_rule ? sharding::factors::ParseRule(c["rule"].get<std::string>())
               : absl::StatusOr<sharding::factors::OpShardingRule>(absl::NotFoundError("none"));
  if (!module.ok() || !rule.ok()) {
    ++count.underived;
    return;
  }
  const absl::StatusOr<BothTies> derived = TiesOfProjections(*module, module->entry().root);
  if (!derived.ok()) {
    ++count.underived;
    return;
  }
  const BothTies given = TiesOfRule(*rule);
  const Ties only_rule = OnlyIn(given.strict, *derived),
             only_projection = OnlyIn(derived->strict, given);
  if (only_rule.empty() && only_projection.empty()) {
    ++count.agree;
    return;
  }
  ++count.differ;
  std::cout << c["id"].get<std::string>() << " " << c["hlo"].get<std::string>().substr(0, 120)
            << "\n  rule " << c["rule"].get<std::string>()
            << "\n  only the rule: " << TiesText(only_rule)
            << "; only the projection: " << TiesText(only_projection) << "\n";
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  std::map<std::string, tessera::testing::Count> counts;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i]);
    for (std::string line; std::getline(in, line);) {
      if (!line.empty()) tessera::testing::Compare(nlohmann::json::parse(line), &counts);
    }
  }
  tessera::testing::Count all;
  for (const auto& [opcode, c] : counts) {
    std::cout << opcode << ": " << c.agree << " agree, " << c.differ << " differ, " << c.underived
              << " not derivable\n";
    all.agree += c.agree;
    all.differ += c.differ;
    all.underived += c.underived;
  }
  std::cout << all.agree << " agree, " << all.differ << " differ, " << all.underived
            << " not derivable\n";
  return 0;
}
