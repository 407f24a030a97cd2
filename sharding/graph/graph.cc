#include "tessera/sharding/graph/graph.h"

#include <algorithm>

namespace tessera::sharding::graph {
namespace {

void SetFunction(Block* block, Function* function) {
  if (block->function == function) return;
  block->function = function;
  for (Op* op = block->first; op != nullptr; op = op->next) {
    for (Block* inner : op->blocks) SetFunction(inner, function);
  }
}

}  // namespace

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

Block* Graph::NewBlock(Function* function, hlo::ComputationId source) {
  Block* block = arena_.New<Block>();
  block->function = function;
  block->source = source;
  return block;
}

void Graph::AddBlock(Op* op, Block* block) {
  const size_t n = op->blocks.size();
  absl::Span<Block*> blocks = op->blocks;
  if ((n & (n - 1)) == 0) {  // there is room for the next power of two
    blocks = arena_.NewArray<Block*>(std::max<size_t>(1, 2 * n));
    std::copy(op->blocks.begin(), op->blocks.end(), blocks.begin());
  }
  blocks = absl::MakeSpan(blocks.data(), n + 1);
  blocks[n] = block;
  block->parent = op;
  block->region = static_cast<int>(n);
  op->blocks = blocks;
  SetFunction(block, op->block->function);
}

void Graph::SetBody(Function* f, Block* body) {
  f->body = body;
  body->parent = nullptr;
  body->region = 0;
  SetFunction(body, f);
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

const layout::Shape* Graph::KeepShape(layout::Shape shape) {
  return &shapes_.emplace_back(std::move(shape));
}

InstructionValues* Graph::TableOf(const Block* block) {
  const auto it = table_of_.find(block);
  return it == table_of_.end() ? nullptr : it->second;
}

InstructionValues* Graph::AddTable(const Block* block) {
  const size_t count = module_->computation(block->source).instructions.size();
  leaf_tables_.emplace_back(block, &positions_, count);
  return table_of_[block] = &leaf_tables_.back();
}

}  // namespace tessera::sharding::graph
