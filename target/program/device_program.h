// The program that one device runs, in a form that passes edit: an HLO module and who uses what.
//
//   DeviceProgram program(std::move(module));
//   const InstructionId sum = program.Add(c, Opcode::kAdd, "sum", shape, {a, b});
//   program.ReplaceUses(old, sum);         // linear in the uses of `old`
//   program.RemoveDead(old);               // and what only it used
//   for (InstructionId id : program.PostOrder(c)) ...
//   hlo::Module changed = std::move(program).Release();
//
// Ids are those of the module, dense and never used twice. Each operand of each instruction is an
// edge in the list of uses of its instruction. Lists are linked through the edges, in the order in
// which the uses were made. So an edit costs what it changes and no more. Removed instructions
// leave the list of their computation when somebody asks for it.
//
// An instruction with control predecessors or successors is pinned: it can be neither replaced nor
// removed. Tested by device_program_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_DEVICE_PROGRAM_H_
#define TESSERA_TARGET_PROGRAM_DEVICE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/builder.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/side_effects.h"

namespace tessera::target {

using hlo::ComputationId;
using hlo::InstructionId;
using hlo::kNoId;
using hlo::Opcode;

class DeviceProgram {
 public:
  explicit DeviceProgram(hlo::Module module);
  DeviceProgram(DeviceProgram&&) = default;
  // A copy that is edited on its own.
  DeviceProgram(const DeviceProgram& other);

  // --- Reading ---------------------------------------------------------------------------------

  const hlo::Module& module() const { return *module_; }
  Opcode opcode(InstructionId id) const { return module_->instruction(id).opcode; }
  const layout::Shape& shape(InstructionId id) const { return module_->shape(id); }
  absl::Span<const InstructionId> operands(InstructionId id) const { return module_->operands(id); }
  InstructionId operand(InstructionId id, size_t k) const { return module_->operands(id)[k]; }
  ComputationId computation(InstructionId id) const { return module_->instruction(id).computation; }

  bool IsRemoved(InstructionId id) const { return nodes_[id].removed; }
  bool IsPinned(InstructionId id) const { return nodes_[id].pinned; }
  bool IsRoot(InstructionId id) const { return module_->instruction(id).is_root; }
  // By another instruction.
  bool HasUsers(InstructionId id) const { return nodes_[id].first_use != kNoEdge; }
  // The one instruction that uses it, maybe several times; kNoId where there is none or another
  // one, and for the root of a computation.
  InstructionId OnlyUser(InstructionId id) const;
  // Calls `visit(user)` for each use, in the order in which they were made.
  template <typename Visit>
  void ForEachUse(InstructionId id, Visit&& visit) const {
    for (uint32_t e = nodes_[id].first_use; e != kNoEdge; e = edges_[e].next) visit(edges_[e].user);
  }
  // Each user once, in the order of their first uses.
  std::vector<InstructionId> Users(InstructionId id) const;

  // Does more than compute its result.
  bool HasSideEffects(InstructionId id) { return effects_->Of(id); }

  // Instructions of a computation, operands first: from each one without users, in order of the
  // list. This is the order in which XLA's passes go through a computation. Good until the next
  // call. Kept until the computation changes: most passes find nothing to do in most computations.
  const std::vector<InstructionId>& PostOrder(ComputationId c);
  // Computations that are there, callees first. Kept until calls change.
  std::vector<ComputationId> Computations();

  // --- Changing --------------------------------------------------------------------------------

  // At the end of the computation's list; the name is made unique.
  InstructionId Add(ComputationId c, Opcode opcode, absl::string_view name,
                    const layout::Shape& shape, absl::Span<const InstructionId> operands);
  // The same opcode, attributes and callees with other operands and maybe another shape.
  InstructionId Clone(InstructionId id, absl::Span<const InstructionId> operands,
                      const layout::Shape& shape);
  InstructionId CloneInto(ComputationId c, InstructionId id,
                          absl::Span<const InstructionId> operands);
  // `literal` as between the brackets of constant(..).
  InstructionId AddConstant(ComputationId c, const layout::Shape& shape, absl::string_view literal);
  InstructionId AddGetTupleElement(InstructionId tuple, int64_t index);

  void SetOperand(InstructionId user, size_t k, InstructionId operand);
  // Each operand `from` of `user` becomes `to`.
  void ReplaceOperand(InstructionId user, InstructionId from, InstructionId to);
  void SetOperands(InstructionId user, absl::Span<const InstructionId> operands);
  void SetShape(InstructionId id, const layout::Shape& shape) { module_->SetShape(id, shape); }
  void SetAttribute(InstructionId id, hlo::AttributeName name, absl::string_view value) {
    module_->SetAttribute(id, name, value);
  }
  void RemoveAttribute(InstructionId id, hlo::AttributeName name) {
    module_->RemoveAttribute(id, name);
  }
  void SetCalled(InstructionId id, absl::Span<const ComputationId> called) {
    module_->SetCalled(id, called);
    knows_calls_ = false;
  }
  ComputationId AddComputation(absl::string_view name) {
    knows_calls_ = false;
    return builder_->AddComputation(name);
  }
  void SetRoot(ComputationId c, InstructionId id) { module_->SetRoot(c, id); }

  // Users of `from`, as an operand or as a root, use `to`.
  void ReplaceUses(InstructionId from, InstructionId to);
  // From now on, what ReplaceUses() put in the place of what is kept for Replacement().
  void RememberReplacements() { remembers_replacements_ = true; }
  // The instruction for `id` in the end: itself if nothing took its place.
  InstructionId Replacement(InstructionId id) const;
  // Takes out an instruction that nobody uses.
  void Remove(InstructionId id);
  // Takes it out if it is dead (no user, no root, no parameter, no side effect, not pinned), and so
  // on with its operands. False if it is not dead.
  bool RemoveDead(InstructionId id);
  // Those that the entry does not reach.
  void RemoveUnreachableComputations();
  // Takes what was removed out of the lists of the module.
  void Tidy();

  // The module with what was done to it; computations that the entry does not reach are gone.
  hlo::Module Release() &&;

 private:
  static constexpr uint32_t kNoEdge = 0xffffffffu;

  // An operand: edge first_edge + k is operand k of its user.
  struct Edge {
    InstructionId user = kNoId;
    uint32_t next = kNoEdge, previous = kNoEdge;  // uses of the same instruction
  };
  struct Node {
    uint32_t first_edge = 0;
    uint32_t first_use = kNoEdge, last_use = kNoEdge;
    bool removed = false;
    bool pinned = false;
    bool visited = false;  // by the walk at work
  };

  // A computation as it was when it was last gone through.
  struct Listed {
    bool has_removed = false;  // instructions in its list
    bool is_known = false;     // the order
    std::vector<InstructionId> order;
  };

  void Register(InstructionId id);
  void AddEdges(InstructionId id);
  // Of the computation of `id`: its order is not known any more.
  Listed& Changed(InstructionId id);
  Listed& ListedAt(ComputationId c);
  void Link(uint32_t edge, InstructionId used);
  void Unlink(uint32_t edge, InstructionId used);
  bool IsDead(InstructionId id);
  void DropRemoved(ComputationId c);
  void VisitFrom(InstructionId start, std::vector<InstructionId>* order);

  // On the heap, so that the builder and the table of effects may point to it.
  std::unique_ptr<hlo::Module> module_;
  std::unique_ptr<hlo::Builder> builder_;
  std::unique_ptr<hlo::SideEffects> effects_;
  std::vector<Node> nodes_;  // by InstructionId
  std::vector<Edge> edges_;
  std::vector<Listed> listed_;  // by ComputationId
  bool knows_calls_ = false;
  bool remembers_replacements_ = false;
  absl::flat_hash_map<InstructionId, InstructionId> replacements_;  // the next one
  std::vector<ComputationId> computations_;                         // if it knows the calls
  std::vector<InstructionId> stack_, work_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_DEVICE_PROGRAM_H_
