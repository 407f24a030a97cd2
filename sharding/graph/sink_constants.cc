#include "tessera/sharding/graph/sink_constants.h"

#include <vector>

#include "tessera/sharding/graph/walk.h"

namespace tessera::sharding::graph {
namespace {

// The use of an outside constant, of `op` or of anything inside it, lies in `region`.
bool LiesIn(const Use& use, const Block* region) { return IsInside(use.user()->block, region); }

void SinkInto(Graph& graph, Block* region) {
  std::vector<Op*> outside;
  ForEachOp(region, [&](Op* op) {
    for (int i = 0; i < op->num_operands(); ++i) {
      Op* def = op->operand(i)->def();
      if (def == nullptr || def->kind != OpKind::kConstant || def->block == op->block) continue;
      if (IsInside(def->block, region)) continue;
      outside.push_back(def);
    }
  });
  for (Op* constant : outside) {
    bool used = false;
    for (const Use* use = constant->result()->first_use(); use != nullptr; use = use->next()) {
      used |= LiesIn(*use, region);
    }
    if (!used) continue;  // its copy is there already
    ValueMap map;
    Op* copy = graph.Clone(constant, InsertPoint::AtFront(region), &map);
    constant->result()->ReplaceAllUsesExcept(copy->result(),
                                             [&](const Use& use) { return !LiesIn(use, region); });
  }
}

}  // namespace

void SinkConstants(Graph& graph) {
  if (!graph.HasAny({OpKind::kWhile, OpKind::kCase, OpKind::kIf})) return;
  std::vector<Block*> regions;
  for (Function* f : graph.functions()) {
    ForEachOpPostOrder(f->body, [&](Op* op) {
      if (op->kind != OpKind::kWhile && op->kind != OpKind::kCase && op->kind != OpKind::kIf)
        return;
      regions.insert(regions.end(), op->blocks.begin(), op->blocks.end());
    });
  }
  for (Block* region : regions) SinkInto(graph, region);
}

}  // namespace tessera::sharding::graph
