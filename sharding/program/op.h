// Ops of a program: instructions with tuples, calls and annotations resolved.
//
//   op->kind;                   // OpKind::kHlo
//   op->source;                 // the number of its instruction
//   op->operand(0);             // Value*
//   op->result(0)->sharding();
//   for (Block* body : op->blocks()) ...
//
// Every region of HLO is one computation, so an op owns blocks directly. A block is a list of ops
// that ends with a kReturn op (its operands are what the block yields); its arguments are values.

#ifndef TESSERA_SHARDING_PROGRAM_OP_H_
#define TESSERA_SHARDING_PROGRAM_OP_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "tessera/sharding/program/trailing.h"
#include "tessera/sharding/program/value.h"

namespace tessera::hlo {
enum class Opcode : uint8_t;  // not interpreted by the program
}  // namespace tessera::hlo

namespace tessera::sharding::program {

// The origin of an op or a block: the number of an instruction or computation. The program does not
// interpret it.
using OriginId = uint32_t;
inline constexpr OriginId kNoOrigin = 0xffffffffu;

struct Function;
struct Payload;

enum class OpKind : uint8_t {
  kHlo,       // any instruction that has no kind of its own; its rule decides
  kConstant,  //
  kReturn,    // last op of every block
  // Ops whose blocks hold ops of the program.
  kWhile,              // blocks: condition, body. payload: LoopInfo
  kCase,               // one block a branch, without arguments: branches read outer values
  kPredConditional,    // the same with a PRED selector, if propagation stops at it
  kNamedComputation,   // a call, inlined as a region: one block. payload: NamedInfo
  kManualComputation,  // a shard_map: one block. payload: ManualInfo
  kCall,               // payload: CallInfo
  kOptBarrier,         // optimization barrier
  // Marks of the user.
  kConstraint,          // the result's slot holds the constraint. attribute: kBoundItsOperand or 0
  kShardingGroup,       // no result; attribute: the group id
  kPropagationBarrier,  // propagation barrier; attribute: 0 none, 1 forward, 2 backward, 3 both
  kDataFlowEdge,        // operand 0 is its owner; the slot of its result serves all targets
  // Made by the export only.
  kReshard,
  kAllReduce,  // payload: AxesInfo, as for the next two
  kReplicatedToUnreduced,
  kShardedToUnreduced,
};

inline constexpr size_t kNumOpKinds = static_cast<size_t>(OpKind::kShardedToUnreduced) + 1;

// A constraint whose operand had no sharding and took the constraint's sharding.
inline constexpr int64_t kBoundItsOperand = 1;

// The role of an op in an instruction that became several ops.
enum class OpPart : uint8_t {
  kWhole,            // the instruction itself
  kSplatScalar,      // large splat constant: the scalar (kConstant) ..
  kSplatBroadcast,   // .. and its broadcast
  kSortTranspose,    // broadcast with unsorted dimensions: the transpose ..
  kSortedBroadcast,  // .. and the sorted broadcast
  kPredZero,   // convert to PRED: the zero that it is compared with; if that is large, a scalar ..
  kPredZeros,  // .. and its broadcast
  kWiden,      // convolution of mixed types: the conversion of the narrower operand
  kOpened,     // fully open constraint on a value captured by a loop
  kInserted,   // any other op without instruction
};

// After lowering (hlo_form.h): the role of an op with respect to the input module.
enum class HloRole : uint8_t {
  kCounterpart,  // stands for `source`
  kPart,         // one of several that stand for `source`; the last of them is its counterpart
  kPacking,      // tuple glue: tuple, get-tuple-element or parameter that HLO needs
  kReshard,      // inserted copy
  kConversion,   // inserted: part of a change of unreduced axes
  kBoundary,     // part of a shard_map's boundary
};

// Data that few ops have.
struct OpExtra {
  Payload* payload = nullptr;
  absl::Span<Block*> blocks;
};

// 64 bytes, followed by results and operands: some 150 bytes in all. Programs are the largest part of
// the memory of a run.
struct Op {
  Op() : role(HloRole::kCounterpart), like_source(false) {}

  OpKind kind = OpKind::kHlo;
  OpPart part = OpPart::kWhole;
  bool pure = false;      // no side effects: removable without users
  bool is_clone = false;  // a copy made by constant splitting
  uint8_t scratch = 0;    // for the running pass; 0 in between
  bool has_extra = false;
  // The opcode of `source`, also if the op is a part of it; meaningless without a source. After
  // lowering, the opcode of the op itself.
  hlo::Opcode opcode = {};
  HloRole role : 7;
  bool like_source : 1;  // after lowering: has the attributes and literal of `source`
  // The instruction that the op comes from; kNoOrigin if there is none. Copies keep it.
  OriginId source = kNoOrigin;
  int32_t number = -1;  // for the running pass

  Block* block = nullptr;  // the block that contains the op
  Op* prev = nullptr;
  Op* next = nullptr;

  Trailing<Value> results;
  Trailing<Use> operands;

  // No op has both.
  union {
    int64_t attribute = 0;  // meaning depends on the kind
    OpExtra* extra;         // if has_extra
  };

  int num_operands() const { return static_cast<int>(operands.size()); }
  int num_results() const { return static_cast<int>(results.size()); }
  Value* operand(int i) const { return operands[static_cast<size_t>(i)].value(); }
  Value* result(int i = 0) const { return &results[static_cast<size_t>(i)]; }
  absl::Span<Block* const> blocks() const {
    return has_extra ? extra->blocks : absl::Span<Block* const>();
  }
  bool has_uses() const {
    for (const Value& value : results) {
      if (value.has_uses()) return true;
    }
    return false;
  }

  // The extra data of the kind, e.g. op->As<ManualInfo>(); see payload.h.
  template <typename T>
  T* As() const {
    return static_cast<T*>(has_extra ? extra->payload : nullptr);
  }
};

struct Block {
  Op* parent = nullptr;          // null for a function body
  int region = 0;                // number among parent->blocks()
  Function* function = nullptr;  // the function that contains the block
  OriginId source = kNoOrigin;
  absl::Span<Value*> args;
  size_t arg_capacity = 0;  // places after args.data()
  Op* first = nullptr;
  Op* last = nullptr;

  // The kReturn op; null while the block is being built.
  Op* terminator() const { return last; }
  int num_args() const { return static_cast<int>(args.size()); }
};

static_assert(sizeof(Op) == 64);

// The op is stored in front of its results.
inline Op* Value::def() const {
  if (is_argument_) return nullptr;
  const Value* const first = this - index_;
  return const_cast<Op*>(reinterpret_cast<const Op*>(first)) - 1;
}

inline int Use::number() const { return static_cast<int>(this - user_->operands.data()); }

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_OP_H_
