// One computation written in place; see keep_writer.h.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_KEEP_COMPUTATION_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_KEEP_COMPUTATION_H_

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/writers/free_names.h"
#include "tessera/pipeline/writers/keep/keep_lines.h"
#include "tessera/pipeline/writers/keep/keep_matching.h"
#include "tessera/pipeline/writers/keep/keep_shardings.h"
#include "tessera/pipeline/writers/keep/node_lists.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

class KeepComputation {
 public:
  KeepComputation(const hlo::Module& module, hlo::ComputationId computation,
                  const sharding::passes::HloForm& form, int counterpart, FreeNames& names,
                  NodeLists& lists, hlo::Editor& edit);

  void Run();

  // Something must be written for an instruction that has no line (hlo::Instruction::is_implied):
  // what Run() did is of no use then.
  bool needs_lines() const { return needs_lines_; }

 private:
  using NodeId = sharding::passes::NodeId;
  // An operand: an instruction of the text, and which of its operands.
  using InUse = std::pair<hlo::InstructionId, uint32_t>;
  // Which line of a split constant: 0 is the original, 1 the first clone.
  using Copy = int;

  sharding::passes::HloNode Node(NodeId id) const { return target_.node(id); }
  // The instruction itself, or what stands for it when it is consumed.
  hlo::InstructionId SkipConsumed(hlo::InstructionId id) const;
  // As an operand: the name, or `x#1` for an element that has none.
  std::string Spelled(hlo::InstructionId id);
  std::string ShardingTailOf(sharding::passes::HloShardingId sharding) const;

  // The line that `node` became, 0 for what is not split.
  Copy CopyOf(hlo::InstructionId id, NodeId node) const;
  void PlanClones(hlo::InstructionId id);
  void PlanOperands();
  void PlanSlot(const Slot& slot);
  // Lines for the copies between a user and its value, which has this name and shape; returns the
  // name that the user reads.
  std::string AddInserted(const Slot& slot, absl::string_view base, absl::string_view shape,
                          std::string source);
  // The copy of a value that a change of unreduced axes pads.
  bool IsPaddedCopy(NodeId node) const;
  std::string AddCopy(const Slot& slot, NodeId node, absl::string_view base,
                      absl::string_view shape, const std::string& source);

  // Tuples that no line takes apart; see keep_packed.cc.
  void PlanUntaken(const Slot& slot);
  void PackUntaken();
  std::string Element(InUse at, const layout::LeafPath& path);
  std::string Pack(InUse at, const layout::Shape& shape, layout::LeafPath* path,
                   absl::string_view tail);

  // The lines of a padding for a change of unreduced axes: its zero, and itself by `name`.
  std::vector<std::string> PaddingLines(NodeId node, const std::string& source,
                                        absl::string_view base, const std::string& name);
  // The lines of a change of unreduced axes, and its computations in front of this one.
  std::vector<std::string> ConversionLines(const Slot& slot, NodeId node, const std::string& source,
                                           const std::string& base, std::string* name);
  LineChange ChangeOf(hlo::InstructionId id, Copy copy);
  void WriteInstruction(hlo::InstructionId id);
  void WriteBoundary(hlo::InstructionId id);
  // One array at the boundary of manual axes; a token has no line.
  struct BoundaryLeaf {
    std::string name, line, sharding;
  };
  BoundaryLeaf LeafOfBoundary(hlo::InstructionId id, size_t n, absl::string_view shape,
                              absl::string_view metadata);
  std::string BoundaryOperand(hlo::InstructionId id, size_t n);
  void WriteResult();
  void Wrap(hlo::InstructionId root, const std::string& name);
  void GiveLine(hlo::InstructionId root);

  const hlo::Module& module_;
  const hlo::Computation& source_;
  const sharding::passes::HloForm& form_;
  const int counterpart_;
  const sharding::passes::HloComputation& target_;
  FreeNames& names_;
  hlo::Editor& edit_;
  const Matching matching_;
  KeepShardings shardings_;
  bool needs_lines_ = false;

  struct Clone {
    std::string name;  // as spelled; empty for the original
    NodeId node;
  };
  absl::flat_hash_map<hlo::InstructionId, std::vector<Clone>> clones_;
  // Of nodes that stand for a split constant.
  absl::flat_hash_map<std::pair<hlo::InstructionId, NodeId>, Copy> copy_of_;
  // New names of operands: (instruction, its line, operand).
  std::map<std::tuple<hlo::InstructionId, Copy, size_t>, std::string> operands_;
  // Names as spelled, by the instruction whose value was copied: a constraint between the two may
  // count for some users only.
  absl::flat_hash_map<std::pair<NodeId, hlo::InstructionId>, std::string> inserted_;
  // Of operands that are taken apart: what the user reads of each leaf that changed, and the names
  // of the lines that take elements out.
  std::map<InUse, std::map<layout::LeafPath, std::string>> packed_;
  std::map<std::pair<InUse, layout::LeafPath>, std::string> elements_;
  std::vector<std::string> result_lines_;  // after the root
};

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_KEEP_COMPUTATION_H_
