#include "tessera/sharding/graph/graph.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::sharding::graph {

Graph::Graph(const hlo::Module* module) : module_(module), positions_(module->num_instructions()) {
  for (hlo::ComputationId c = 0; c < module->num_computations(); ++c) {
    uint32_t position = 0;
    for (hlo::InstructionId id : module->computation(c).instructions) positions_[id] = position++;
  }
}

Function* Graph::entry() const {
  const auto it = std::find_if(functions_.begin(), functions_.end(),
                               [](const Function* f) { return f->is_entry; });
  return it == functions_.end() ? nullptr : *it;
}

Function* Graph::AddFunction(std::string name, hlo::ComputationId source) {
  Function& f = function_store_.emplace_back();
  f.original_name = name;
  f.name = std::move(name);
  f.body = NewBlock(&f, source);
  functions_.push_back(&f);
  return &f;
}

std::string Graph::UniqueFunctionName(absl::string_view name) const {
  const auto taken = [&](absl::string_view candidate) {
    return std::any_of(functions_.begin(), functions_.end(),
                       [&](const Function* f) { return f->name == candidate; });
  };
  std::string candidate(name);
  for (int i = 0; taken(candidate); ++i) candidate = absl::StrCat(name, "_", i);
  return candidate;
}

Block* Graph::NewBlock(Function* function, hlo::ComputationId source) {
  Block* block = arena_.New<Block>();
  block->function = function;
  block->source = source;
  return block;
}

namespace {

void SetFunction(Block* block, Function* function) {
  if (block->function == function) return;
  block->function = function;
  for (Op* op = block->first; op != nullptr; op = op->next) {
    for (Block* inner : op->blocks) SetFunction(inner, function);
  }
}

}  // namespace

void Graph::AddBlock(Op* op, Block* block) {
  absl::Span<Block*> blocks = arena_.NewArray<Block*>(op->blocks.size() + 1);
  for (size_t i = 0; i < op->blocks.size(); ++i) blocks[i] = op->blocks[i];
  blocks.back() = block;
  block->parent = op;
  block->region = static_cast<int>(op->blocks.size());
  op->blocks = blocks;
  SetFunction(block, op->block->function);
}

void Graph::MoveBlocks(Op* from, Op* to) {
  to->blocks = from->blocks;
  from->blocks = {};
  for (Block* block : to->blocks) block->parent = to;
}

Value* Graph::AddArg(Block* block, const layout::Shape* shape) {
  Value* arg = arena_.New<Value>();
  arg->shape_ = shape;
  arg->owner_ = block;
  arg->index_ = block->num_args();
  const size_t n = block->args.size();
  if (n == block->arg_capacity) {
    block->arg_capacity = std::max<size_t>(4, 2 * n);
    absl::Span<Value*> room = arena_.NewArray<Value*>(block->arg_capacity);
    for (size_t i = 0; i < n; ++i) room[i] = block->args[i];
    block->args = room;
  }
  block->args = absl::MakeSpan(block->args.data(), n + 1);
  block->args[n] = arg;
  return arg;
}

void Graph::EraseArgs(Block* block, const std::vector<bool>& dropped) {
  size_t kept = 0;
  for (size_t i = 0; i < block->args.size(); ++i) {
    if (dropped[i]) continue;
    block->args[i]->index_ = static_cast<int>(kept);
    block->args[kept++] = block->args[i];
  }
  block->args = block->args.subspan(0, kept);
}

Op* Graph::AddOp(const OpHead& head, absl::Span<Value* const> operands,
                 absl::Span<const layout::Shape* const> results, InsertPoint where) {
  Op* op = arena_.New<Op>();
  op->kind = head.kind;
  op->part = head.part;
  op->pure = head.pure;
  op->source = head.source;
  if (head.source != hlo::kNoId) op->opcode = module_->instruction(head.source).opcode;
  op->operands = arena_.NewArray<Use>(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    op->operands[i].user_ = op;
    op->operands[i].Set(operands[i]);
  }
  op->results = arena_.NewArray<Value>(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    op->results[i].shape_ = results[i];
    op->results[i].def_ = op;
    op->results[i].index_ = static_cast<int>(i);
  }
  Link(op, where);
  return op;
}

void Graph::Link(Op* op, InsertPoint where) {
  ++counts_[static_cast<size_t>(op->kind)];
  Block* block = where.block;
  op->block = block;
  op->next = where.before;
  op->prev = where.before != nullptr ? where.before->prev : block->last;
  (op->prev != nullptr ? op->prev->next : block->first) = op;
  (op->next != nullptr ? op->next->prev : block->last) = op;
}

void Graph::Unlink(Op* op) {
  --counts_[static_cast<size_t>(op->kind)];
  (op->prev != nullptr ? op->prev->next : op->block->first) = op->next;
  (op->next != nullptr ? op->next->prev : op->block->last) = op->prev;
  op->block = nullptr;
  op->prev = op->next = nullptr;
}

void Graph::SetKind(Op* op, OpKind kind) {
  --counts_[static_cast<size_t>(op->kind)];
  op->kind = kind;
  ++counts_[static_cast<size_t>(kind)];
}

void Graph::Move(Op* op, InsertPoint where) {
  if (where.before == op) return;
  Unlink(op);
  Link(op, where);
}

void Graph::DropAllUses(Op* op) {
  for (Use& use : op->operands) use.Set(nullptr);
  for (Block* block : op->blocks) {
    for (Op* inner = block->first; inner != nullptr; inner = inner->next) DropAllUses(inner);
  }
}

void Graph::Erase(Op* op) {
  DropAllUses(op);
  for (Block* block : op->blocks) {
    for (Op *inner = block->first, *next; inner != nullptr; inner = next) {
      next = inner->next;
      Erase(inner);
    }
    for (Value* arg : block->args) arg->MarkGone();
  }
  for (Value& result : op->results) result.MarkGone();
  Unlink(op);
}

void Graph::Replace(Op* op, absl::Span<Value* const> values) {
  for (size_t i = 0; i < values.size(); ++i) {
    op->results[i].ReplaceAllUsesWith(values[i]);
    op->results[i].ForwardTo(values[i]);
  }
  Erase(op);
}

void Graph::EraseOperands(Op* op, const std::vector<bool>& dropped) {
  size_t kept = 0;
  for (size_t i = 0; i < op->operands.size(); ++i) {
    Value* value = op->operands[i].value();
    if (dropped[i]) {
      op->operands[i].Set(nullptr);
      continue;
    }
    if (kept != i) {
      op->operands[i].Set(nullptr);
      op->operands[kept].Set(value);
    }
    ++kept;
  }
  op->operands = op->operands.subspan(0, kept);
}

Op* Graph::Clone(const Op* op, InsertPoint where, ValueMap* map) {
  std::vector<Value*> operands;
  std::vector<const layout::Shape*> shapes;
  for (const Use& use : op->operands) {
    const auto it = map->find(use.value());
    operands.push_back(it == map->end() ? use.value() : it->second);
  }
  for (const Value& result : op->results) shapes.push_back(result.shape_);
  Op* copy = AddOp({op->kind, op->source, op->part, op->pure}, operands, shapes, where);
  copy->attribute = op->attribute;
  if (op->payload != nullptr) {
    payloads_.emplace_back(op->payload->Clone());
    copy->payload = payloads_.back().get();
  }
  for (int i = 0; i < op->num_results(); ++i) {
    copy->result(i)->sharding_ = op->result(i)->sharding_;
    (*map)[op->result(i)] = copy->result(i);
  }
  for (const Block* block : op->blocks) {
    AddBlock(copy, CloneBlock(block, where.block->function, map));
  }
  return copy;
}

Block* Graph::CloneBlock(const Block* block, Function* function, ValueMap* map) {
  Block* copy = NewBlock(function, block->source);
  for (const Value* arg : block->args) {
    Value* new_arg = AddArg(copy, arg->shape_);
    new_arg->sharding_ = arg->sharding_;
    (*map)[arg] = new_arg;
  }
  for (const Op* op = block->first; op != nullptr; op = op->next) {
    Clone(op, InsertPoint::AtEnd(copy), map);
  }
  if (const LeafTable* table = TableOf(block)) {
    leaf_tables_.push_back(table->CopyFor(copy));
    table_of_[copy] = &leaf_tables_.back();
    leaf_tables_.back().ForEachValue([&](Value*& value) {
      const auto it = map->find(value->Resolve());
      if (it != map->end()) value = it->second;
    });
  }
  return copy;
}

Function* Graph::CloneFunction(const Function* from, std::string name) {
  Function& f = function_store_.emplace_back();
  f.name = std::move(name);
  f.original_name = from->original_name;
  f.result_shardings = from->result_shardings;
  ValueMap map;
  f.body = CloneBlock(from->body, &f, &map);
  functions_.push_back(&f);
  return &f;
}

void Graph::RenewUses() {
  for (Function* f : functions_) RenewUses(f->body);
}

// A use that is set again goes to the front; done for all uses in order, nothing of the old order
// is left.
void Graph::RenewUses(Block* block) {
  for (Op* op = block->first; op != nullptr; op = op->next) {
    for (Use& use : op->operands) use.Set(use.value());
    for (Block* inner : op->blocks) RenewUses(inner);
  }
}

const layout::Shape* Graph::KeepShape(layout::Shape shape) {
  return &shapes_.emplace_back(std::move(shape));
}

LeafTable* Graph::TableOf(const Block* block) {
  const auto it = table_of_.find(block);
  return it == table_of_.end() ? nullptr : it->second;
}

LeafTable* Graph::AddTable(const Block* block) {
  const size_t count = module_->computation(block->source).instructions.size();
  leaf_tables_.emplace_back(block, &positions_, count);
  return table_of_[block] = &leaf_tables_.back();
}

}  // namespace tessera::sharding::graph
