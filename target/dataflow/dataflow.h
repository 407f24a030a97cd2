// A program of one device as values and the nodes that compute them: no tuples, no calls, no copies.
//
//   absl::StatusOr<Dataflow> flow = FindDataflow(module);      // a partitioned module
//   const Node& loop = flow->nodes[n];
//   flow->scopes[loop.bodies[0]].parameters[k];                // what element k is in the body
//   flow->scopes[loop.bodies[0]].roots[k];                     // and in the next run
//   loop.operands[k], loop.results[k];                         // before the loop, and after it
//
// A value is one array. A node is one instruction in one scope: the entry, the body of a loop (its
// condition included), or a branch. Calls are inlined, equal nodes of a scope are one, and a copy
// is what it copies. A loop carries only elements that change: an element that the body hands on is
// the value from outside, and elements without readers are gone. Branches read values of outer
// scopes.
//
// Cost: linear in the nodes, times the depth of nested loops. Tested by dataflow_test.cc.

#ifndef TESSERA_TARGET_DATAFLOW_DATAFLOW_H_
#define TESSERA_TARGET_DATAFLOW_DATAFLOW_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"

namespace tessera::target {

using ValueId = uint32_t;
using NodeId = uint32_t;
using ScopeId = uint32_t;
inline constexpr uint32_t kNone = 0xffffffffu;
using ValueList = absl::InlinedVector<ValueId, 2>;

struct Value {
  const layout::Shape* shape = nullptr;  // of the module or of `own_shapes`; an array, or a token
  NodeId node = kNone;                   // that computes it; kNone: a parameter of a loop's body
  ScopeId scope = kNone;
  uint32_t leaf = 0;  // which result of the node, or which parameter
};

struct Node {
  hlo::Opcode opcode = hlo::Opcode::kParameter;
  hlo::InstructionId instruction = hlo::kNoId;
  ScopeId scope = kNone;
  ValueList operands;
  ValueList results;
  absl::InlinedVector<ScopeId, 1> bodies;  // of a loop: one; of a conditional: its branches
  bool has_side_effects = false;
  bool is_again = false;  // computes once more what an earlier node does: a kernel of its own
};

struct Scope {
  NodeId owner = kNone;  // the loop or conditional; kNone: the entry
  ScopeId parent = kNone;
  std::vector<NodeId> nodes;        // operands first, in the order of the module
  std::vector<ValueId> parameters;  // of a loop's body, one for each element that it carries
  std::vector<ValueId> roots;       // likewise; of a branch and the entry: results
  ValueId condition = kNone;        // of a loop
};

struct Dataflow {
  const hlo::Module* module = nullptr;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<Scope> scopes;       // 0: the entry
  std::vector<ValueId> arguments;  // the arrays of all parameters of the entry
  std::vector<std::unique_ptr<const layout::Shape>> own_shapes;  // of values that passes added

  const Node* NodeOf(ValueId v) const {
    return values[v].node == kNone ? nullptr : &nodes[values[v].node];
  }
  // The value that a view (OpKind::kView) that made `v` shows there.
  ValueId ViewedBy(ValueId v) const {
    const Node& view = nodes[values[v].node];
    return view.operands[view.results.size() == 1 ? 0 : values[v].leaf];
  }
};

// Of the all-gathers of one array. The compiler of TPUs merges them itself, where they are near each other
// (target/tpu/near_gathers.cc).
enum class EqualGathers : uint8_t { kAreOne, kStay };

// The module must outlive the answer. InvalidArgument with the offset of an instruction for calls
// without end, and for a program that is too large with its calls inlined.
absl::StatusOr<Dataflow> FindDataflow(const hlo::Module& module,
                                      EqualGathers gathers = EqualGathers::kAreOne);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_DATAFLOW_DATAFLOW_H_
