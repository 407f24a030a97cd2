// File: program_builder.h
//
// ProgramBuilder: describes a graph to propagation.
//
//   //  x = argument; y = negate(x); z = add(y, x); return z
//   ProgramBuilder b;
//   const ShapeId shape = b.AddShape({8, 16});
//   const ValueId x = b.AddValue(shape, x_sharding);
//   const ValueId y = b.AddValue(shape);
//   const ValueId z = b.AddValue(shape);
//   OpSpec function, pointwise, ret;
//   function.kind = OpKind::kFunction;
//   const OpId main = b.AddOp(function);
//   b.AddBlockArgument(main, x);
//   pointwise.parent = main;
//   pointwise.element_wise = true;
//   pointwise.flow = OpPriorityClass::kPassThrough;
//   const OpId negate = b.AddOp(pointwise, {x}, {y});
//   const OpId add = b.AddOp(pointwise, {y, x}, {z});
//   ret.kind = OpKind::kReturn;
//   ret.parent = main;
//   b.AddOp(ret, {z});
//   b.AddOutput({z, kNoSharding});
//   b.SetUses(x, {{add, 1}, {negate, 0}});  // the default order, as it happens
//   absl::StatusOr<Program> program = std::move(b).Build();

#ifndef TESSERA_SHARDING_PROPAGATION_PROGRAM_BUILDER_H_
#define TESSERA_SHARDING_PROPAGATION_PROGRAM_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/sharding/propagation/program.h"

namespace tessera::sharding::propagation {

// Collects a Program. Values and ops may be added in any order relative to each other, but ops
// among themselves in pre-order, a header before the ops of its regions.
class ProgramBuilder {
 public:
  // Makes room for so many; more may come. Saves a large graph the time to grow.
  void Reserve(size_t values, size_t ops, size_t tensors);
  // Equal shapes share one id.
  ShapeId AddShape(absl::Span<const int64_t> dims);
  ValueId AddValue(ShapeId shape, ShardingId sharding = kNoSharding) {
    p_.c_.shape.push_back(shape);
    p_.c_.sharding.push_back(sharding);
    return static_cast<ValueId>(p_.c_.shape.size()) - 1;
  }
  OpId AddOp(const OpSpec& spec, absl::Span<const ValueId> operands = {},
             absl::Span<const ValueId> results = {});
  // Declares `v` a block argument of a region of `owner` (for a function: its argument).
  void AddBlockArgument(OpId owner, ValueId v);
  // The uses of `v`, first of the list first: each (op, operand) in which `v` stands, once. A value
  // for which this is not called gets the order of a freshly built program: latest op first, the
  // last operand of an op before its first; an op counts as created after the ops of its regions.
  void SetUses(ValueId v, absl::Span<const Use> uses);
  // The op of the edge is the one that defines `edge.result`.
  void AddEdge(EdgeSpec edge);
  // Members in the order of the group's markers.
  GroupId AddGroup(absl::Span<const ValueId> members);
  // Outputs of the main function in order; those without a static shape too.
  void AddOutput(Output output);

  // Checks and freezes. InvalidArgument names the first op or value that breaks the contract above:
  // a value without definition, a use list that does not match the operands, a parent that does not
  // enclose its ops, an edge without its op.
  absl::StatusOr<Program> Build() &&;

 private:
  struct UseList {
    ValueId value;
    int32_t begin;
    int32_t count;
  };

  absl::Status CheckTensors() const;
  absl::Status CheckIds() const;
  absl::Status FillSubtrees();
  absl::Status FillDefs();
  absl::Status FillUses();
  absl::Status CheckUses(ValueId v);
  bool IsUse(ValueId v, Use use) const {
    if (use.op < 0 || use.op >= p_.num_ops() || use.operand < 0) return false;
    const int32_t place = p_.c_.begin[use.op] + use.operand;
    return place < p_.c_.result_begin[use.op] && p_.c_.tensors[place] == v;
  }
  absl::Status FillDefaultUses();

  Program p_;
  size_t num_operands_ = 0;  // of all ops
  absl::flat_hash_map<std::vector<int64_t>, ShapeId> shape_ids_;
  std::vector<std::pair<OpId, ValueId>> block_arguments_;
  std::vector<UseList> use_lists_;
  std::vector<uint8_t> listed_;  // by place among the tensors of all ops: found in a use list
  std::vector<OpId> created_;    // ops in the order of creation: regions before their owner
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PROGRAM_BUILDER_H_
