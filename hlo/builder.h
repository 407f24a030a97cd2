// The larger steps of changing a module: clones, replaced uses, unique names, clean-up.
//
//   Builder b(&module);
//   InstructionId copy = b.Add(comp, Opcode::kCopy, "x.reshard", {x});       // shape of x
//   b.ReplaceUsesExcept(x, copy, {copy});
//   ComputationId again = b.CloneComputation(body, "clone");                  // "body.clone"
//
// All names that a Builder gives are unique in the module.

#ifndef TESSERA_HLO_BUILDER_H_
#define TESSERA_HLO_BUILDER_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/unique_names.h"

namespace tessera::hlo {

class Builder {
 public:
  // Takes all names of the module; linear in its size.
  explicit Builder(Module* module);
  // With the names of `other`, whose module `module` is a copy of.
  Builder(const Builder& other, Module* module) : Builder(other) { module_ = module; }

  Module& module() { return *module_; }

  // A free instruction (or computation) name: `wanted`, or `wanted.1` and so on, as XLA makes them.
  std::string UniqueInstructionName(absl::string_view wanted);
  std::string UniqueComputationName(absl::string_view wanted);

  // New instructions, at the end of the computation's list. The first form takes the shape of the
  // first operand.
  InstructionId Add(ComputationId computation, Opcode opcode, absl::string_view name_hint,
                    absl::Span<const InstructionId> operands);
  InstructionId Add(ComputationId computation, Opcode opcode, absl::string_view name_hint,
                    const layout::Shape& shape, absl::Span<const InstructionId> operands);
  InstructionId AddParameter(ComputationId computation, absl::string_view name_hint,
                             const layout::Shape& shape);
  // `literal` as between the brackets of constant(..).
  InstructionId AddConstant(ComputationId computation, absl::string_view name_hint,
                            const layout::Shape& shape, absl::string_view literal);
  InstructionId AddTuple(ComputationId computation, absl::string_view name_hint,
                         absl::Span<const InstructionId> elements);
  InstructionId AddGetTupleElement(ComputationId computation, absl::string_view name_hint,
                                   InstructionId tuple, int64_t index);

  ComputationId AddComputation(absl::string_view name_hint);

  // A copy of `id` at the end of `computation` with these operands: attributes, called
  // computations and shape are the same. Control predecessors are not copied.
  InstructionId CloneInstruction(InstructionId id, ComputationId computation,
                                 absl::Span<const InstructionId> operands,
                                 absl::string_view name_hint);

  // A copy of a whole computation named `NAME.suffix`; called computations are shared. With
  // `mapping`, says which instruction became which.
  ComputationId CloneComputation(
      ComputationId id, absl::string_view suffix,
      absl::flat_hash_map<InstructionId, InstructionId>* mapping = nullptr);

  // In the computation of `from`: operands, control predecessors and the root.
  void ReplaceUses(InstructionId from, InstructionId to);
  void ReplaceUsesExcept(InstructionId from, InstructionId to,
                         absl::Span<const InstructionId> except);

  // Removes the computations that the entry does not reach.
  void RemoveUnreachableComputations();

 private:
  UniqueNames& InstructionNames();

  Module* module_;
  // Of the module as the builder found it; made at the first question for a name, which not every pass has.
  std::vector<absl::string_view> untaken_;
  UniqueNames instruction_names_;
  UniqueNames computation_names_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_BUILDER_H_
