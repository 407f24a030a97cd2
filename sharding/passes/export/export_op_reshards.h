// Writes the agreement of the tensors of one op into the program. Internal to the package.

#ifndef TESSERA_SHARDING_PASSES_EXPORT_EXPORT_OP_RESHARDS_H_
#define TESSERA_SHARDING_PASSES_EXPORT_EXPORT_OP_RESHARDS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/factors/rule.h"
#include "tessera/sharding/passes/export/reshard_inserter.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/reshard/explicit_reshards.h"

namespace tessera::sharding::passes {

// Inserts the reshards that sharding/reshard plans for an op and its rule.
//
//   OpResharder resharder(program);
//   resharder.Run(op, rule, version);
//
// Layers repeat: ops of one rule whose tensors have equal sizes and shardings share a plan. The
// meshes of the program must not change.
class OpResharder {
 public:
  explicit OpResharder(HloProgram& program) : program_(program), inserter_(program) {}

  void Run(Op* op, const factors::OpShardingRule& rule, reshard::Version version);

 private:
  struct Planned {
    factors::OpShardingRule rule;
    reshard::OpReshards plan;
  };
  // Good until the next call.
  const reshard::OpReshards& PlanFor(const Op* op, const factors::OpShardingRule& rule,
                                     reshard::Version version);
  void SetKey(const Op* op, const factors::OpShardingRule& rule, reshard::Version version);
  void AddToKey(const Value* value);
  void ReshardResult(Value* result, const reshard::ResultReshards& plan);

  HloProgram& program_;
  ReshardInserter inserter_;
  // The key has the address of the rule, for speed. Another rule may have that address later, so
  // the rule itself is stored too.
  absl::flat_hash_map<std::vector<int64_t>, Planned> plans_;
  std::vector<int64_t> key_;  // of the question at hand
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_EXPORT_EXPORT_OP_RESHARDS_H_
