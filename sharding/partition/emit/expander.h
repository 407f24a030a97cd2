// Expands one node of the graph to HLO instructions, as its recipe (reshard/recipe.h) says.
//
//   Expander expander(&output, graph);
//   absl::StatusOr<hlo::InstructionId> made = expander.Expand(node, operands, &body);
//
// Unimplemented, without a place, if the recipe is Recipes::kUnknown.

#ifndef TESSERA_SHARDING_PARTITION_EMIT_EXPANDER_H_
#define TESSERA_SHARDING_PARTITION_EMIT_EXPANDER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/partition/emit/body_writer.h"
#include "tessera/sharding/partition/reshard/graph.h"

namespace tessera::sharding::partition {

class Expander {
 public:
  using Id = hlo::InstructionId;
  using Ids = absl::Span<const Id>;

  Expander(Output* output, const Graph& graph);

  // Of any node but parameters.
  absl::StatusOr<Id> Expand(NodeId node, Ids operands, BodyWriter* body);
  // Copies the attributes of the visited instruction, and replaces the computations that it calls.
  Id ExpandCall(NodeId node, Ids operands, absl::Span<const hlo::ComputationId> called,
                BodyWriter* body);
  // The name of a node that stands for its instruction: the instruction's name for the first such
  // node. Until the next call.
  absl::string_view NameOf(const Node& node);
  // Without layouts.
  hlo::ShapeId ShapeOf(const Node& node);

 private:
  // What is being expanded.
  struct Site {
    NodeId id;
    const Node& node;
    Ids operands;
    BodyWriter& body;
  };

  absl::StatusOr<Id> Of(const Site& at, const recipe::DefaultSharding& unsaid);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Plain& plain);
  absl::StatusOr<Id> Of(const Site& at, const recipe::AsWritten& written);
  absl::StatusOr<Id> Of(const Site& at, const recipe::SliceAsWritten& slice);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Dimensions& dimensions);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Slice& slice);
  absl::StatusOr<Id> Of(const Site& at, const recipe::SliceFrom& slice);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Pad& pad);
  absl::StatusOr<Id> Of(const Site& at, const recipe::DynamicSlice& slice);
  absl::StatusOr<Id> Of(const Site& at, const recipe::StartsGiven& given);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Concatenate& concatenate);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Iota& iota);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Fill& fill);
  absl::StatusOr<Id> Of(const Site& at, const recipe::InRange& range);
  absl::StatusOr<Id> Of(const Site& at, const recipe::OnDevices& chosen);
  absl::StatusOr<Id> Of(const Site& at, const recipe::PlaceInZeros& place);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Numbers& numbers);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Outside& outside);
  absl::StatusOr<Id> Of(const Site& at, const recipe::WhereFound& found);
  absl::StatusOr<Id> Of(const Site& at, const recipe::UpdateOneShard& update);
  absl::StatusOr<Id> Of(const Site& at, const recipe::PieceColumns& pieces);
  Id FillOf(const Site& at, const recipe::PieceColumns& pieces);
  Id ColumnOf(const Site& at, const recipe::PieceColumns& pieces,
              const recipe::PieceColumns::Column& column);
  Id SourceOf(const Site& at, const recipe::PieceColumns& pieces,
              const recipe::PieceColumns::Source& source, hlo::ShapeId part);
  Id Padded(const Site& at, const recipe::PieceColumns& pieces, Id part, int64_t low, int64_t high,
            hlo::ShapeId padded);
  Id InsideOf(const Site& at, const recipe::PieceColumns& pieces, Id region);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Shifted& shifted);
  absl::StatusOr<Id> Of(const Site& at, const recipe::LargestFirst& sort);
  absl::StatusOr<Id> Of(const Site& at, const recipe::OnOneDevice& one);
  absl::StatusOr<Id> Of(const Site& at, const recipe::Dealt& dealt);
  absl::StatusOr<Id> Of(const Site& at, const recipe::SumAround& sum);
  absl::StatusOr<Id> Of(const Site& at, const recipe::SharedWindows& windows);

  // --- Attributes and constants as written (as_written.cc) -----------------------------------
  // Until the next call.
  absl::Span<const hlo::Attribute> WrittenAttributes(const Site& at,
                                                     const recipe::AsWritten& written);
  std::string ConstraintsOf(const Site& at) const;
  Id Written(const Site& at, Ids operands, const recipe::AsWritten& written);
  Id WrittenConstant(const Site& at);
  hlo::ShapeId WrittenShape(const Node& node);
  // What a scan calls (scan_step.cc).
  hlo::ComputationId StepOf(const Site& at);

  // --- Collectives (collectives.cc) ----------------------------------------------------------
  Id MadeCollective(const Site& at, const CollectiveForm& form);
  hlo::ComputationId Combiner(hlo::Opcode opcode, layout::ElementType type, absl::string_view name);
  hlo::ComputationId ReducerOf(const Site& at, const CollectiveForm& form);
  absl::string_view NextChannel();
  absl::string_view DevicesOf(const Site& at, const CollectiveForm& form);
  absl::string_view DimensionsText(const SharedList<int64_t>& dims);

  // --- Computations that are added (expand_on_one_device.cc, expand_fft.cc) ------------------
  BodyWriter NewBody(const Site& at, absl::string_view name);
  // The next parameter of a new computation.
  Id Parameter(BodyWriter* body, absl::string_view name, const layout::Shape& shape);
  hlo::ComputationId OwnBranch(const Site& at, const layout::Shape& operands);
  hlo::ComputationId ZeroBranch(const Site& at, const layout::Shape& operands);
  hlo::ComputationId AroundCondition(const Site& at, const layout::Shape& state, int64_t devices);
  hlo::ComputationId AroundBody(const Site& at, const layout::Shape& state, int64_t devices);

  // --- Texts that repeat -----------------------------------------------------------------------
  // What `make` gives for the recipe of the node.
  template <typename Make>
  absl::string_view TextOf(const Site& at, const Make& make) {
    const auto recipe = static_cast<size_t>(at.node.recipe);
    if (recipe >= texts_.size()) texts_.resize(2 * recipe);
    if (texts_[recipe].empty()) texts_[recipe] = module_.Keep(make());
    return texts_[recipe];
  }
  absl::string_view SizesOf(hlo::ShapeId shape);
  absl::string_view IndexText(int32_t index);  // of a tuple's element

  // --- Masks ---------------------------------------------------------------------------------
  Id AllOf(const Site& at, const std::vector<Id>& conditions);
  Id Within(const Site& at, const recipe::InRange& range, Id value, Id scalar);
  Id Compare(const Site& at, Id a, absl::string_view direction, Id b);

  Output* output_;
  const hlo::Module& input_;
  hlo::Module& module_;
  const Graph& graph_;
  std::vector<hlo::ShapeId> shapes_;  // by number of the graph's shape; kNoShape: not yet asked for
  absl::flat_hash_map<std::pair<int, int>, hlo::ComputationId> combiners_;  // opcode, type
  std::vector<bool> is_named_;                  // by instruction of the input: its name is taken
  std::vector<hlo::Attribute> written_;         // room that is used again
  std::vector<absl::string_view> index_texts_;  // by index
  std::vector<absl::string_view> texts_;        // of recipes that say one text
  std::vector<absl::string_view> size_texts_;   // of the dimensions of shapes
  absl::flat_hash_map<const void*, absl::string_view> device_texts_;  // of groups or pairs
  absl::flat_hash_map<std::vector<int64_t>, absl::string_view> dimensions_texts_;
  int64_t last_channel_ = 0;  // of those that are taken
};

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_EMIT_EXPANDER_H_
