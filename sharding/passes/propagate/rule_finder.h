// Finds the rules of the ops of a program.
//
//   RuleFinder finder(program, &registry, &table);
//   absl::StatusOr<factors::RuleId> rule = finder.Find(*op);
//   // kNoRule: propagation stops at the op
//
// The rule of most ops follows from their opcode, the dimensions of their tensors and the texts of
// the attributes that the opcode's rule reads. The key is a few words: equal shapes are one object, so their
// addresses stand for them. The registry in turn remembers rules by the whole text, for all programs of a session.

#ifndef TESSERA_SHARDING_PASSES_PROPAGATE_RULE_FINDER_H_
#define TESSERA_SHARDING_PASSES_PROPAGATE_RULE_FINDER_H_

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/rules/rule_registry.h"
#include "tessera/text/key_table.h"

namespace tessera::sharding::passes {

class RuleFinder {
 public:
  // All must outlive the finder. New rules go to `table`, which must be the registry's.
  RuleFinder(const HloProgram& program, rules::RuleRegistry* registry, factors::RuleTable* table);

  // Errors as of RuleRegistry::RuleOf.
  absl::StatusOr<factors::RuleId> Find(const Op& op);

 private:
  // The parts of the key for the ops of one opcode.
  struct Reading {
    bool says_all = false;  // with the attributes
    std::bitset<hlo::kNumAttributeNames> attributes;
  };

  bool MakeKey(const Op& op);
  bool AddShape(const Value& value);
  bool AddAttributes(const Op& op, const Reading& reading);
  void AddAttribute(hlo::AttributeName name, absl::string_view value);
  absl::StatusOr<factors::RuleId> Ask(const Op& op);

  const HloProgram& program_;
  rules::RuleRegistry& registry_;
  factors::RuleTable& table_;
  std::array<Reading, hlo::kNumOpcodes> readings_;
  const layout::Shape* first_shape_ = nullptr;  // that any key was about
  // The key of the question at hand.
  uint64_t head_ = 0;
  std::vector<uint32_t> words_;
  text::KeyTable keys_;
  std::vector<absl::StatusOr<factors::RuleId>> known_;  // by number of the key
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PROPAGATE_RULE_FINDER_H_
