// How Input reads the sharding of an instruction: the tilings of its leaves, and of one without a
// sharding what the partitioner takes.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/hlo_sharding_text.h"
#include "tessera/sharding/partition/element_texts.h"
#include "tessera/sharding/partition/input.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::partition {
namespace {

bool IsOpen(const HloSharding& leaf) {
  if (leaf.IsUnreduced()) return true;
  if (leaf.IsNamed()) return !leaf.named().unreduced.empty();
  return leaf.IsTiled() &&
         std::count(leaf.subgroups().begin(), leaf.subgroups().end(), SubgroupType::kUnreduced) > 0;
}

}  // namespace

Tiling Input::TilingOf(const HloSharding& leaf) {
  if (!behaviors_.groups_in_mesh_order) return Tiling::Of(leaf);
  Tiling out = Tiling::InMesh(leaf, in_mesh_);
  if (out.IsNamed()) in_mesh_ = out;
  return out;
}

Input::ParsedSharding Input::ToTilings(const HloSharding& sharding) {
  ParsedSharding said;
  said.is_tuple = sharding.IsTuple();
  Leaves leaves;
  if (!said.is_tuple) {
    leaves.push_back(TilingOf(sharding));
    said.is_open = IsOpen(sharding);
  }
  for (const HloSharding& leaf : sharding.elements()) {
    leaves.push_back(TilingOf(leaf));
    said.is_open |= IsOpen(leaf);
  }
  said.leaves = lists_->Add(std::move(leaves));
  return said;
}

LeafLists::Id Input::ForAllLeaves(const Shape& shape, ParsedSharding& said) {
  if (!shape.is_tuple()) return said.leaves;
  const Leaves leaves = Uniform(shape, (*lists_)[said.leaves].front());
  for (const auto& [count, known] : said.uniform) {
    if (count == leaves.size()) return known;
  }
  const LeafLists::Id id = lists_->Add(leaves);
  said.uniform.emplace_back(leaves.size(), id);
  return id;
}

// The leaves of an instruction without a sharding.
LeafLists::Id Input::DefaultSharding(hlo::InstructionId id) {
  const hlo::Instruction& instruction = module_->instruction(id);
  // `x#1`: the sharding of an element that has no line is that of the tuple.
  if (instruction.opcode == Opcode::kGetTupleElement && instruction.is_implied) {
    const hlo::InstructionId tuple = module_->operands(id)[0];
    marks_[id] |= marks_[tuple] & kUnreduced;
    const int64_t index = hlo::GetTupleIndex(*module_, id);
    const std::vector<int64_t>& begin = tuple_leaves_->Of(module_->shape_id(tuple));
    if (At(begin, index + 1) - At(begin, index) == 1) {
      return lists_->Alone(leaves_.id(tuple), static_cast<size_t>(At(begin, index)));
    }
    return lists_->Add(LeavesOf(module_->shape(tuple), index, leaves_[tuple]));
  }
  // Where random numbers are made on one device, there they are reversed.
  if (instruction.opcode == Opcode::kReverse && behaviors_.reverses_stay_on_their_device) {
    const hlo::InstructionId operand = module_->operands(id)[0];
    if (leaves_[operand].front().IsSingle()) return leaves_.id(operand);
  }
  return ForAllLeaves(module_->shape(id),
                      instruction.opcode == Opcode::kRng ? single_ : replicated_);
}

// A sharding with a tiling for each leaf.
absl::StatusOr<LeafLists::Id> Input::LeafByLeaf(hlo::InstructionId id, const ParsedSharding& said) {
  const Shape& shape = module_->shape(id);
  const size_t wanted = static_cast<size_t>(std::max<int64_t>(CountLeaves(shape), 1));
  const Leaves& leaves = (*lists_)[said.leaves];
  if (leaves.empty() && !shape.is_tuple()) return replicated_.leaves;
  if (leaves.size() < wanted) {
    return text::ErrorAt(
        module_->instruction(id).source.begin,
        absl::StrCat("the sharding has ", leaves.size(), " leaves, the shape ", wanted));
  }
  if (leaves.size() == wanted) return said.leaves;
  // The sharding of a side effect may also include the token after its result.
  return lists_->Add(Leaves(leaves.begin(), leaves.begin() + static_cast<ptrdiff_t>(wanted)));
}

// A tuple of many elements has few texts of elements. Nothing: for the parser of all forms.
std::optional<Input::ParsedSharding> Input::ByElement(absl::string_view text, Texts* texts) {
  const auto elements = ElementTexts(text);
  if (!elements.has_value()) return std::nullopt;
  ParsedSharding said;
  said.is_tuple = true;
  Leaves leaves;
  for (absl::string_view element : *elements) {
    const absl::StatusOr<ParsedSharding*> one = ReadText(element, texts);
    if (!one.ok() || (*one)->is_tuple) return std::nullopt;
    leaves.push_back((*lists_)[(*one)->leaves].front());
    said.is_open |= (*one)->is_open;
  }
  said.leaves = lists_->Add(std::move(leaves));
  return said;
}

absl::StatusOr<Input::ParsedSharding*> Input::ReadText(absl::string_view text, Texts* texts) {
  // Adjacent instructions often have equal shardings.
  if (last_ != nullptr && last_->first == text) return &last_->second;
  const auto [place, is_new] = texts->try_emplace(text);
  Texts::value_type* const said = &*place;  // stays where it is while elements are added
  if (is_new) {
    if (auto tuple = ByElement(text, texts)) {
      said->second = *std::move(tuple);
      last_ = said;
      return &said->second;
    }
    const absl::StatusOr<HloSharding> sharding = ParseHloSharding(text);
    if (!sharding.ok()) {
      const auto range = module_->RangeOf(text);
      return text::Rebase(sharding.status(), range.has_value() ? range->begin : 0);
    }
    said->second = ToTilings(*sharding);
  }
  last_ = said;
  return &said->second;
}

absl::Status Input::ReadSharding(hlo::InstructionId id, Texts* texts) {
  const auto text = module_->FindAttribute(id, hlo::AttributeName::kSharding);
  if (!text.has_value()) {
    leaves_.Set(id, DefaultSharding(id));
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(ParsedSharding * said, ReadText(*text, texts));
  if (said->is_open) marks_[id] |= kUnreduced;
  if (!said->is_tuple) {
    leaves_.Set(id, ForAllLeaves(module_->shape(id), *said));
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const LeafLists::Id leaves, LeafByLeaf(id, *said));
  leaves_.Set(id, leaves);
  return absl::OkStatus();
}

}  // namespace tessera::sharding::partition
