// The partitioner's input: the tilings of every tuple leaf, and the few rewrites before
// partitioning.
//
//   absl::StatusOr<Input> input = Input::Read(view, behaviors, lists, tuple_leaves);
//   lists[input->leaves(id)].front();    // the tiling of an array
//
// XLA: SpmdPartitioner::PreprocessSharding (missing shardings become replicated) and PreprocessHlos
// (rewrites.h). Each distinct sharding text is parsed once. Linear in the instructions. Tested by
// partitioner_test.cc and refusals_test.cc.

#ifndef TESSERA_SHARDING_PARTITION_INPUT_H_
#define TESSERA_SHARDING_PARTITION_INPUT_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/side_effects.h"
#include "tessera/sharding/partition/ops/ops.h"
#include "tessera/sharding/partition/ops/rewrites.h"
#include "tessera/sharding/partition/repeats/instruction_classes.h"
#include "tessera/sharding/partition/tiling/leaf_lists.h"
#include "tessera/sharding/partition/tiling/tiling.h"
#include "tessera/sharding/partition/tuple_leaves.h"

namespace tessera::sharding::partition {

class Input {
 public:
  // InvalidArgument, with the offset in the text, for a sharding that cannot be parsed, or that the
  // partitioner refuses for an operation with a side effect. Shardings are added to `lists`;
  // `tuple_leaves` belongs to the module of `view`. All arguments must outlive the result.
  static absl::StatusOr<Input> Read(const ModuleView& view, const reference::Behaviors& behaviors,
                                    LeafLists& lists, TupleLeaves& tuple_leaves);

  // One per leaf of the shape; one for an empty tuple.
  LeafLists::Id leaves(hlo::InstructionId id) const { return leaves_.id(id); }
  // Its sums stay open.
  bool IsUnreduced(hlo::InstructionId id) const { return Has(id, kUnreduced); }
  bool HasSideEffect(hlo::InstructionId id) const { return Has(id, kEffect); }
  // Neither that, nor dropped, rewritten or taken for a constant.
  bool IsOrdinary(hlo::InstructionId id) const { return (At(marks_, id) & ~kUnreduced) == 0; }
  // What it is by itself (instruction_classes.h).
  InstructionClasses::Id class_of(hlo::InstructionId id) const { return class_of_[id]; }
  const InstructionClasses& classes() const { return classes_; }

  // --- With the rewrites ----------------------------------------------------------------------
  bool IsDropped(hlo::InstructionId id) const { return Has(id, kDropped); }
  bool IsRewritten(hlo::InstructionId id) const { return Has(id, kRewritten); }
  absl::Span<const hlo::InstructionId> operands(hlo::InstructionId id) const {
    return IsRewritten(id) ? rewrites_.rewritten.at(id).operands : module_->operands(id);
  }
  // The instruction whose metadata its nodes carry.
  hlo::InstructionId cause(hlo::InstructionId id) const {
    return IsRewritten(id) ? rewrites_.rewritten.at(id).cause : id;
  }
  absl::StatusOr<NodeId> Run(Visit& v, Handler handler) const;

 private:
  enum Mark : uint8_t { kUnreduced = 1, kEffect = 2, kDropped = 4, kRewritten = 8, kEmpty = 16 };

  Input(const ModuleView& view, const reference::Behaviors& behaviors, LeafLists& lists,
        TupleLeaves& tuple_leaves);
  // The tilings of one sharding text.
  struct ParsedSharding {
    LeafLists::Id leaves = LeafLists::kEmpty;
    bool is_tuple = false;
    bool is_open = false;  // sums stay open
    // Expansions of a single sharding to n leaves, by n.
    std::vector<std::pair<size_t, LeafLists::Id>> uniform;
  };
  // What the instructions of a class have in common.
  struct OfClass {
    bool is_known = false;
    bool calls = false;          // what has no side effect in the one that was read
    bool cuts_or_joins = false;  // a slice or a concatenation
    uint8_t marks = 0;
    LeafLists::Id leaves = LeafLists::kEmpty;
  };
  // A module has few texts of shardings, however many instructions.
  using Texts = absl::node_hash_map<absl::string_view, ParsedSharding>;

  bool Has(hlo::InstructionId id, Mark mark) const { return (At(marks_, id) & mark) != 0; }
  Tiling TilingOf(const HloSharding& leaf);
  ParsedSharding ToTilings(const HloSharding& sharding);
  // The tiling of the first leaf, repeated for every leaf of the shape.
  LeafLists::Id ForAllLeaves(const Shape& shape, ParsedSharding& said);
  LeafLists::Id DefaultSharding(hlo::InstructionId id);
  absl::StatusOr<LeafLists::Id> LeafByLeaf(hlo::InstructionId id, const ParsedSharding& said);
  std::optional<ParsedSharding> ByElement(absl::string_view text, Texts* texts);
  absl::StatusOr<ParsedSharding*> ReadText(absl::string_view text, Texts* texts);
  absl::Status ReadAll(absl::Span<const hlo::InstructionId> list, hlo::SideEffects& effects,
                       Texts* texts);
  absl::Status ReadAsClass(hlo::InstructionId id, hlo::SideEffects& effects, Texts* texts);
  absl::Status ReadInstruction(hlo::InstructionId id, hlo::SideEffects& effects, Texts* texts);
  absl::Status ReadAfresh(hlo::InstructionId id, hlo::SideEffects& effects, Texts* texts);
  absl::Status ReadSharding(hlo::InstructionId id, Texts* texts);
  absl::Status CheckDevices(hlo::InstructionId id) const;
  absl::Status CheckEffect(hlo::InstructionId id);
  void FindRewritten();

  const ModuleView* view_;
  const hlo::Module* module_;
  reference::Behaviors behaviors_;
  LeafLists* lists_;
  TupleLeaves* tuple_leaves_;
  ParsedSharding replicated_, single_;  // without a text
  Tiling in_mesh_;                      // the last one in a mesh; most modules have one mesh
  Texts::value_type* last_ = nullptr;   // the text that was read last; only while reading
  InstructionLeaves leaves_;
  std::vector<uint8_t> marks_;    // by id
  std::vector<OfClass> read_;     // by class
  std::vector<bool> is_checked_;  // by list of leaves
  InstructionClasses classes_;
  std::vector<InstructionClasses::Id> class_of_;   // by id
  std::vector<hlo::InstructionId> cut_or_joined_;  // slices and concatenations
  std::vector<hlo::InstructionId> callers_;        // in the computation that is read
  Rewrites rewrites_;
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_INPUT_H_
