// Orders of instructions and computations.
//
//   for (InstructionId id : PostOrder(module, module.entry_id())) ...   // operands before users

#ifndef TESSERA_HLO_ORDER_H_
#define TESSERA_HLO_ORDER_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"

namespace tessera::hlo {

// Users of every instruction of a computation that has any, each user once per operand, in order of
// the text.
using UserMap = absl::flat_hash_map<InstructionId, std::vector<InstructionId>>;
UserMap FindUsers(const Module& module, ComputationId id);

// Instructions of a computation with operands and control predecessors first: from each instruction
// without users in list order; before it its control predecessors, the last one first, then its
// operands in order. On a text that XLA printed this is the order of the text.
std::vector<InstructionId> PostOrder(const Module& module, ComputationId id);

// The order in which XLA's passes go through a computation that was read. It is post-order, but
// that of the list for a text that names elements of tuples where they are used (`x#1`), if
// operands come first there. Such a text comes from a module with get-tuple-elements that nobody
// uses: they are in no line, yet the post-order starts from them, too.
std::vector<InstructionId> ProgramOrder(const Module& module, ComputationId id);

// Post-order for many computations of a module that stays as it is.
class PostOrderWalk {
 public:
  explicit PostOrderWalk(const Module& module) : module_(module) {}

  // Good until the next call.
  const std::vector<InstructionId>& Of(ComputationId id);

 private:
  enum class Mark : uint8_t { kNew, kUsed, kEntered, kFinished };

  void Visit(InstructionId root);

  const Module& module_;
  InstructionId base_ = 0;   // least id of the computation
  std::vector<Mark> marks_;  // by id, from base_ on
  std::vector<InstructionId> stack_, order_;
  bool has_predecessors_ = false;  // by control, of what was visited
};

// The instructions that call something: few of all, in order of their computations.
class CallSites {
 public:
  explicit CallSites(const Module& module);
  // Or in a walk over all computations: Begin() in front of the instructions of each one and after
  // the last, Add() for those that call something.
  CallSites() = default;
  void Begin() { begin_.push_back(sites_.size()); }
  void Add(InstructionId id) { sites_.push_back(id); }

  absl::Span<const InstructionId> Of(ComputationId c) const {
    return absl::MakeConstSpan(sites_).subspan(begin_[c], begin_[c + 1] - begin_[c]);
  }
  absl::Span<const InstructionId> all() const { return sites_; }

 private:
  std::vector<size_t> begin_;  // by ComputationId, and the end
  std::vector<InstructionId> sites_;
};

// Computations, callees first, in the order in which XLA prints them. Removed ones are left out.
std::vector<ComputationId> ComputationPostOrder(const Module& module);
std::vector<ComputationId> ComputationPostOrder(const Module& module, const CallSites& sites);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ORDER_H_
