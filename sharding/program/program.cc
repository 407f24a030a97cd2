#include "tessera/sharding/program/program.h"

#include <algorithm>
#include <utility>

namespace tessera::sharding::program {
namespace {

void SetFunction(Block* block, Function* function) {
  if (block->function == function) return;
  block->function = function;
  for (Op* op = block->first; op != nullptr; op = op->next) {
    for (Block* inner : op->blocks()) SetFunction(inner, function);
  }
}

}  // namespace

Function* Program::entry() const {
  const auto it = std::find_if(functions_.begin(), functions_.end(),
                               [](const Function* f) { return f->is_entry; });
  return it == functions_.end() ? nullptr : *it;
}

Function* Program::AddFunction(std::string name, OriginId source) {
  Function& f = function_store_.emplace_back();
  f.original_name = name;
  f.name = std::move(name);
  f.body = NewBlock(&f, source);
  functions_.push_back(&f);
  return &f;
}

Block* Program::NewBlock(Function* function, OriginId source) {
  Block* block = arena_.New<Block>();
  block->function = function;
  block->source = source;
  return block;
}

OpExtra& Program::ExtraOf(Op* op) {
  if (!op->has_extra) op->extra = arena_.New<OpExtra>();
  op->has_extra = true;
  return *op->extra;
}

void Program::AddBlock(Op* op, Block* block) {
  absl::Span<Block*>& blocks = ExtraOf(op).blocks;
  const size_t n = blocks.size();
  if ((n & (n - 1)) == 0) {  // there is room for the next power of two
    const absl::Span<Block*> room = arena_.NewArray<Block*>(std::max<size_t>(1, 2 * n));
    std::copy(blocks.begin(), blocks.end(), room.begin());
    blocks = room;
  }
  blocks = absl::MakeSpan(blocks.data(), n + 1);
  blocks[n] = block;
  block->parent = op;
  block->region = static_cast<int>(n);
  SetFunction(block, op->block->function);
}

void Program::MakeBody(Function* f, Op* op) {
  Block* const body = op->blocks()[0];
  op->extra->blocks = {};
  f->body = body;
  body->parent = nullptr;
  body->region = 0;
  SetFunction(body, f);
}

void Program::MoveExtra(Op* from, Op* to) {
  std::swap(to->extra, from->extra);
  std::swap(to->has_extra, from->has_extra);
  for (Block* block : to->blocks()) block->parent = to;
}

Value* Program::AddArg(Block* block, const layout::Shape* shape) {
  Argument* const place = arena_.New<Argument>();
  place->owner = block;
  Value* arg = &place->value;
  arg->shape_ = shape;
  arg->is_argument_ = true;
  arg->index_ = static_cast<uint32_t>(block->num_args());
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

void Program::EraseArgs(Block* block, const std::vector<bool>& dropped) {
  size_t kept = 0;
  for (size_t i = 0; i < block->args.size(); ++i) {
    if (dropped[i]) continue;
    block->args[i]->index_ = static_cast<uint32_t>(kept);
    block->args[kept++] = block->args[i];
  }
  block->args = block->args.subspan(0, kept);
}

const layout::Shape* Program::KeepShape(layout::Shape shape) {
  return &shapes_.emplace_back(std::move(shape));
}

}  // namespace tessera::sharding::program
