// TestProgram: a program for tests of propagation, with the facts about its ops that HLO would
// give.
//
//   //  x = argument; y = negate(x); z = add(y, x); return z
//   TestProgram p;
//   OpSpec pointwise;
//   pointwise.element_wise = true;
//   pointwise.flow = OpPriorityClass::kPassThrough;
//   program::Value* const x = p.AddArgument({{8, 16}, x_sharding});
//   program::Value* const y = p.AddOp(pointwise, {x}, {{{8, 16}}})->result();
//   program::Value* const z = p.AddOp(pointwise, {y, x}, {{{8, 16}}})->result();
//   absl::Status status = p.Return({z}, {kNoSharding});
//   Propagate(p.numbered(), p.tables(), options, p.rule_source());
//
// Ops go to the end of the innermost open block, at first the body of the function. The use lists
// are those of the program: the latest op first.

#ifndef TESSERA_TESTING_PROPAGATION_TEST_PROGRAM_H_
#define TESSERA_TESTING_PROPAGATION_TEST_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "tessera/sharding/factors/rule_table.h"
#include "tessera/sharding/program/program.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/propagation/step/direction.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

struct OpSpec {
  OpKind kind = OpKind::kHlo;
  OpPriorityClass flow = OpPriorityClass::kOther;
  bool element_wise = false;
  bool removable = false;
  RuleId rule = factors::kNoRule;        // of a kHlo or kConstraint
  Direction barrier = Direction::kNone;  // of a kPropagationBarrier
};

struct Tensor {
  std::vector<int64_t> dims;
  ShardingId sharding = kNoSharding;
};

class TestProgram {
 public:
  TestProgram();

  program::Program& program() { return program_; }
  MeshTable& meshes() { return program_.meshes(); }
  ShardingTable& shardings() { return program_.shardings(); }
  factors::RuleTable& rules() { return rules_; }
  Tables tables() { return {&meshes(), &shardings(), &rules_}; }

  // An argument of the innermost open block.
  program::Value* AddArgument(const Tensor& tensor);
  program::Op* AddOp(const OpSpec& spec, absl::Span<program::Value* const> operands,
                     absl::Span<const Tensor> results = {});
  // The edge of `owner`; gives its result.
  program::Value* AddEdge(program::Value* owner, ShardingId sharding = kNoSharding);
  // Groups are numbered from 0.
  void AddToGroup(int64_t group, program::Value* member);

  // One more block of the last op that was added to the innermost one.
  void OpenBlock();
  void CloseBlock(absl::Span<program::Value* const> yielded);

  // The end of the function. InvalidArgument if a block is open, an edge is of a value that has
  // none, or a value is in two groups. Also if an op reads a value that no op before it makes.
  absl::Status Return(absl::Span<program::Value* const> values,
                      absl::Span<const ShardingId> shardings);

  // After Return.
  const NumberedProgram& numbered() const { return *numbered_; }
  RuleId RuleOf(OpId o) const;
  RuleSource rule_source() const {
    return [this](OpId o) { return RuleOf(o); };
  }
  // Of each op.
  std::vector<RuleId> AllRules() const;

 private:
  program::Block* block() { return open_.back(); }
  absl::Status CheckEdges() const;
  absl::Status CheckGroups() const;

  program::Program program_;
  factors::RuleTable rules_;
  std::map<const program::Op*, OpSpec> specs_;
  std::vector<program::Block*> open_;
  std::optional<NumberedProgram> numbered_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_TEST_PROGRAM_H_
