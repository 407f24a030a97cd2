// Collectives as XLA writes them: a channel id each, groups of global devices, one reducer
// computation for each reduction. XLA: GetDefaultCollectiveOpsCreator.

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/opcode.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/emit/expander.h"

namespace tessera::sharding::partition {

using hlo::AttributeName;

// Of a reducer. Where costs share one, the numbers in names count its copies all the same.
constexpr size_t kParametersAndRoot = 3;

absl::string_view Expander::NextChannel() {
  return module_.Keep(absl::AlphaNum(++last_channel_).Piece());
}

// Of two scalars of the type. Each caller has its own, as in XLA; costs read the first one of all.
hlo::ComputationId Expander::Combiner(hlo::Opcode opcode, layout::ElementType type,
                                      absl::string_view name) {
  hlo::ComputationId& known =
      combiners_.try_emplace({static_cast<int>(opcode), static_cast<int>(type)}, hlo::kNoId)
          .first->second;
  if (known != hlo::kNoId && graph_.options().is_for_costs) {
    output_->next_number += kParametersAndRoot;
    return known;
  }
  known = module_.AddComputation(output_->NewComputationName(name));
  module_.mutable_computation(known).instructions.reserve(kParametersAndRoot);
  BodyWriter body(output_, known);
  const hlo::ShapeId scalar = output_->ScalarShape(type);
  const Id lhs = body.AddKept(Opcode::kParameter, scalar, {}, {});
  const Id rhs = body.AddKept(Opcode::kParameter, scalar, {}, {});
  module_.SetRoot(known, body.AddKept(opcode, scalar, {lhs, rhs}, {}));
  return known;
}

// One that does more than its opcode is that of the instruction itself.
hlo::ComputationId Expander::ReducerOf(const Site& at, const CollectiveForm& form) {
  const layout::ElementType type = at.node.shape->element_type();
  if (!form.reduces_as_written) {
    return Combiner(
        *form.reduction, type,
        absl::StrCat(hlo::OpcodeName(*form.reduction), ".", layout::ElementTypeName(type)));
  }
  const hlo::ComputationId written = input_.called(at.node.cause)[0];
  const hlo::Computation& computation = input_.computation(written);
  const Ids reduced = input_.operands(computation.root);
  const bool is_plain = computation.instructions.size() == kParametersAndRoot &&
                        reduced.size() == 2 && reduced[0] != reduced[1];
  if (!is_plain || graph_.options().is_for_costs) {
    if (is_plain) output_->next_number += kParametersAndRoot;
    return output_->kept->Of(written);
  }
  return Combiner(*form.reduction, type, computation.name);
}

// Once a list, which many collectives share.
absl::string_view Expander::DevicesOf(const Site& at, const CollectiveForm& form) {
  const bool is_permute = at.node.opcode == Opcode::kCollectivePermute;
  const void* const list = is_permute ? form.pairs.identity() : form.groups.identity();
  absl::string_view& text = device_texts_[list];
  if (text.empty()) {
    text = module_.Keep(is_permute ? PairsText(form.pairs) : GroupsText(form.groups));
  }
  return text;
}

// Most have one of few.
absl::string_view Expander::DimensionsText(const SharedList<int64_t>& dims) {
  absl::string_view& text = dimensions_texts_[dims.list()];
  if (text.empty()) text = module_.Keep(hlo::PrintInts(dims.list()));
  return text;
}

Expander::Id Expander::MadeCollective(const Site& at, const CollectiveForm& form) {
  absl::InlinedVector<hlo::Attribute, 4> attributes;
  const auto say = [&](AttributeName name, absl::string_view kept) {
    attributes.emplace_back(name, kept, 0);
  };
  say(AttributeName::kChannelId, NextChannel());
  if (!graph_.options().is_for_costs) {
    say(at.node.opcode == Opcode::kCollectivePermute ? AttributeName::kSourceTargetPairs
                                                     : AttributeName::kReplicaGroups,
        DevicesOf(at, form));
  }
  if (!form.dimensions.empty()) {
    say(AttributeName::kDimensions, DimensionsText(form.dimensions));
  }
  const bool is_reduce = at.node.opcode == Opcode::kAllReduce;
  if (is_reduce || at.node.opcode == Opcode::kAllGather) {
    say(AttributeName::kUseGlobalDeviceIds, "true");
  }
  const hlo::ComputationId reducer = is_reduce ? ReducerOf(at, form) : hlo::kNoId;
  const Id id = at.body.AddKept(at.node.opcode, ShapeOf(at.node), at.operands, attributes);
  if (is_reduce) module_.SetCalled(id, {reducer});
  return id;
}

}  // namespace tessera::sharding::partition
