#include "tessera/sharding/passes/emit/sink_constants.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/sharding/program/walk.h"

namespace tessera::sharding::passes {
namespace {

bool IsRegion(const Op* op) {
  return op->kind == OpKind::kWhile || op->kind == OpKind::kCase ||
         op->kind == OpKind::kPredConditional;
}

// One region. Inner regions are done first, so only ops directly in it, or in blocks of other
// kinds, are visited: linear in all.
class Sinker {
 public:
  Sinker(HloProgram& program, Block* region) : program_(program), region_(region) {}

  void Run() {
    Visit(region_);
    for (const auto& [constant, uses] : uses_) {
      ValueMap map;
      const Op* copy = program_.Clone(constant, InsertPoint::AtFront(region_), &map);
      for (Use* use : uses) use->Set(copy->result());
    }
  }

 private:
  void Visit(Block* block) {
    for (Op* op = block->first; op != nullptr; op = op->next) {
      for (Use& use : op->operands) Note(use, block);
      if (IsRegion(op)) continue;
      for (Block* inner : op->blocks()) Visit(inner);
    }
  }

  void Note(Use& use, const Block* block) {
    Op* def = use.value()->def();
    if (def == nullptr || def->kind != OpKind::kConstant || def->block == block) return;
    if (IsInside(def->block, region_)) return;
    const auto [place, is_new] = places_.emplace(def, uses_.size());
    if (is_new) uses_.push_back({def, {}});
    uses_[place->second].second.push_back(&use);
  }

  HloProgram& program_;
  Block* const region_;
  // Of each constant outside, in order of first use.
  std::vector<std::pair<Op*, std::vector<Use*>>> uses_;
  absl::flat_hash_map<const Op*, size_t> places_;
};

}  // namespace

void SinkConstants(HloProgram& program) {
  if (!program.HasAny({OpKind::kWhile, OpKind::kCase, OpKind::kPredConditional})) return;
  std::vector<Block*> regions;
  for (Function* f : program.functions()) {
    ForEachOpPostOrder(f->body, [&](Op* op) {
      if (IsRegion(op)) regions.insert(regions.end(), op->blocks().begin(), op->blocks().end());
    });
  }
  for (Block* region : regions) Sinker(program, region).Run();
}

}  // namespace tessera::sharding::passes
