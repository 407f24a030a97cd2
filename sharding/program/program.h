// The program between an input language and a result: functions of blocks of ops, each value with
// the list of its uses. Passes change it, and propagation runs on it. Knows no HLO: an op's origin
// is a number whose meaning the maker of the op knows.
//
//   Program program;
//   Function* f = program.AddFunction("main", /*source=*/0);
//   Value* x = program.AddArg(f->body, &shape);
//   Op* neg = program.AddOp({OpKind::kHlo, /*source=*/7}, {x}, {&shape},
//                           InsertPoint::AtEnd(f->body));
//   neg->result()->set_sharding(program.shardings().Intern(sharding));
//
// Ops, values and blocks live as long as the program, also after they were erased (an erased op has
// no block); pointers to them stay good.

#ifndef TESSERA_SHARDING_PROGRAM_PROGRAM_H_
#define TESSERA_SHARDING_PROGRAM_PROGRAM_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/program/arena.h"
#include "tessera/sharding/program/op.h"
#include "tessera/sharding/program/payload.h"
#include "tessera/sharding/program/value.h"
#include "tessera/sharding/sharding_table.h"

namespace tessera::sharding::program {

// A computation that is called as a whole: the entry, or the target of `call`s that stay.
struct Function {
  std::string name;
  std::string original_name;  // the same for all copies of one function
  Block* body = nullptr;
  // One for each operand of the body's return. Parameters have theirs in the slots of the body's
  // arguments.
  std::vector<ShardingId> result_shardings;
  // Axes that the shard_maps around its calls are manual on, outermost first. Set by the export.
  std::vector<int> manual_axes;
  MeshId manual_mesh = kNoMesh;
  bool is_entry = false;
};

// Where a new op goes: in front of `before`, or at the end of the block when that is null.
struct InsertPoint {
  Block* block = nullptr;
  Op* before = nullptr;

  static InsertPoint AtEnd(Block* block) { return {block, nullptr}; }
  static InsertPoint AtFront(Block* block) { return {block, block->first}; }
  static InsertPoint Before(Op* op) { return {op->block, op}; }
  static InsertPoint After(Op* op) { return {op->block, op->next}; }
  // After the op that makes the value, or at the front of the block whose argument it is.
  static InsertPoint After(const Value* value) {
    return value->def() != nullptr ? After(value->def()) : AtFront(value->owner());
  }
};

struct OpHead {
  OpKind kind = OpKind::kHlo;
  OriginId source = kNoOrigin;
  OpPart part = OpPart::kWhole;
  bool pure = false;
};

// Which copy stands for what, while a region is copied.
using ValueMap = absl::flat_hash_map<const Value*, Value*>;

class Program {
 public:
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  virtual ~Program() = default;

  // Meshes after lifting and merging: at most one for each number and order of devices.
  MeshTable& meshes() { return meshes_; }
  const MeshTable& meshes() const { return meshes_; }
  ShardingTable& shardings() { return shardings_; }
  const ShardingTable& shardings() const { return shardings_; }
  // Null for kNoSharding.
  const TensorSharding* Find(ShardingId id) const {
    return id == kNoSharding ? nullptr : &shardings_[id];
  }
  const TensorSharding* Find(const Value* value) const { return Find(value->sharding()); }

  // --- functions and blocks ----------------------------------------------------------------------

  // In order of their making.
  std::vector<Function*>& functions() { return functions_; }
  const std::vector<Function*>& functions() const { return functions_; }
  Function* entry() const;
  // A function with an empty body, last in the list.
  Function* AddFunction(std::string name, OriginId source);

  Block* NewBlock(Function* function, OriginId source);
  // Gives the op one more block.
  void AddBlock(Op* op, Block* block);
  // Makes the one block of `op` the body of `f`.
  void MakeBody(Function* f, Op* op);
  // Moves blocks and payload of `from` to `to`, which has none.
  void MoveExtra(Op* from, Op* to);

  Value* AddArg(Block* block, const layout::Shape* shape);
  // Drops the arguments whose flag is set; they must have no uses.
  void EraseArgs(Block* block, const std::vector<bool>& dropped);

  // --- ops ---------------------------------------------------------------------------------------

  Op* AddOp(const OpHead& head, absl::Span<Value* const> operands,
            absl::Span<const layout::Shape* const> results, InsertPoint where);
  // Number of ops of a kind that are in some block: lets a pass that has nothing to do end at once.
  int64_t CountOf(OpKind kind) const { return counts_[static_cast<size_t>(kind)]; }
  bool HasAny(std::initializer_list<OpKind> kinds) const {
    return std::any_of(kinds.begin(), kinds.end(), [&](OpKind k) { return CountOf(k) > 0; });
  }
  // For an op in a block.
  void SetKind(Op* op, OpKind kind);
  // Takes the op, its blocks and all their ops out of the program; its uses leave their lists. The
  // results must have no uses.
  void Erase(Op* op);
  // All uses of the results (or of the one value) take `values`, then the op is erased.
  void Replace(Op* op, absl::Span<Value* const> values);
  void Move(Op* op, InsertPoint where);
  // Drops operands; those after a dropped one are taken up anew, in order.
  void EraseOperands(Op* op, const std::vector<bool>& dropped);
  // An exact copy with copies of its blocks, slots and payload included. Operands are looked up in
  // `map` (absent: shared) and the results are added to it.
  Op* Clone(const Op* op, InsertPoint where, ValueMap* map);
  // A copy, over other operands, of an op that has no blocks.
  Op* CloneOver(const Op* op, absl::Span<Value* const> operands, InsertPoint where);
  // A copy of all of `from` under another name, last in the list.
  Function* CloneFunction(const Function* from, std::string name);

  // Rebuilds all use lists as if the program had just been made: each op before the ops of its
  // blocks, so that the latest op in program order is the first use.
  void RenewUses();

  // A payload owned by the program.
  template <typename T>
  T* NewPayload(Op* op) {
    payloads_.push_back(std::make_unique<T>());
    ExtraOf(op).payload = payloads_.back().get();
    return static_cast<T*>(payloads_.back().get());
  }
  // Keeps a shape as long as the program lives.
  const layout::Shape* KeepShape(layout::Shape shape);

 protected:
  // Is called when `copy` has become a copy of `block`, for what is known about blocks elsewhere.
  virtual void BlockCopied(const Block* /*block*/, Block* /*copy*/, const ValueMap&) {}

 private:
  Op* NewOp(size_t num_operands, size_t num_results);
  OpExtra& ExtraOf(Op* op);
  void Link(Op* op, InsertPoint where);
  void Unlink(Op* op);
  // Of the op and of all ops in its blocks.
  void DropAllUses(Op* op);
  // Likewise, when their uses were dropped.
  void TakeOut(Op* op);
  void RenewUses(Block* block);
  Block* CloneBlock(const Block* block, Function* function, ValueMap* map);

  MeshTable meshes_;
  ShardingTable shardings_;
  Arena arena_;
  std::array<int64_t, kNumOpKinds> counts_ = {};
  std::deque<layout::Shape> shapes_;
  std::deque<Function> function_store_;
  std::vector<Function*> functions_;
  std::vector<std::unique_ptr<Payload>> payloads_;
};

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_PROGRAM_H_
