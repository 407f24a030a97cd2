// Copies of ops, blocks and functions. The operands of a copy are looked up in the map of copied
// values. So operands must come before their users, as they do in a block.

#include "absl/container/inlined_vector.h"
#include "tessera/sharding/program/program.h"

namespace tessera::sharding::program {

Op* Program::CloneOver(const Op* op, absl::Span<Value* const> operands, InsertPoint where) {
  absl::InlinedVector<const layout::Shape*, 4> shapes;
  for (const Value& result : op->results) shapes.push_back(result.shape_);
  Op* copy = AddOp({op->kind, op->source, op->part, op->pure}, operands, shapes, where);
  copy->opcode = op->opcode;
  if (!op->has_extra) copy->attribute = op->attribute;
  if (const Payload* payload = op->As<Payload>()) {
    payloads_.emplace_back(payload->Clone());
    ExtraOf(copy).payload = payloads_.back().get();
  }
  for (int i = 0; i < op->num_results(); ++i) {
    copy->result(i)->sharding_ = op->result(i)->sharding_;
  }
  return copy;
}

Op* Program::Clone(const Op* op, InsertPoint where, ValueMap* map) {
  absl::InlinedVector<Value*, 4> operands;
  for (const Use& use : op->operands) {
    const auto it = map->find(use.value());
    operands.push_back(it == map->end() ? use.value() : it->second);
  }
  Op* copy = CloneOver(op, operands, where);
  for (int i = 0; i < op->num_results(); ++i) (*map)[op->result(i)] = copy->result(i);
  for (const Block* block : op->blocks()) {
    AddBlock(copy, CloneBlock(block, where.block->function, map));
  }
  return copy;
}

Block* Program::CloneBlock(const Block* block, Function* function, ValueMap* map) {
  Block* copy = NewBlock(function, block->source);
  for (const Value* arg : block->args) {
    Value* new_arg = AddArg(copy, arg->shape_);
    new_arg->sharding_ = arg->sharding_;
    (*map)[arg] = new_arg;
  }
  for (const Op* op = block->first; op != nullptr; op = op->next) {
    Clone(op, InsertPoint::AtEnd(copy), map);
  }
  BlockCopied(block, copy, *map);
  return copy;
}

Function* Program::CloneFunction(const Function* from, std::string name) {
  Function& f = function_store_.emplace_back();
  f.name = std::move(name);
  f.original_name = from->original_name;
  f.result_shardings = from->result_shardings;
  ValueMap map;
  f.body = CloneBlock(from->body, &f, &map);
  functions_.push_back(&f);
  return &f;
}

}  // namespace tessera::sharding::program
