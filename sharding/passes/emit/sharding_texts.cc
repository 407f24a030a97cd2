// Shardings of values as HLO says them.

#include <algorithm>

#include "tessera/sharding/hlo_conversions.h"
#include "tessera/sharding/passes/emit/lowering.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/transfers.h"

namespace tessera::sharding::passes {

constexpr HloShardingId kNotMade = -2;

HloSharding Lowering::ToHlo(const ManualContext& manual, const TensorSharding& s) const {
  const Mesh& mesh = program_.meshes().mesh(s.mesh_id());
  if (!options_.named) return ToTiledSharding(s, mesh, manual.axes);
  return ToNamedSharding(s, mesh, manual.axes,
                         program_.behaviors().empty_shardings_keep_device_ids);
}

HloShardingId Lowering::ManualText(const ManualContext& manual, ShardingId id, int rank) {
  const bool foreign = id == kNoSharding || program_.Find(id)->mesh_id() != manual.mesh;
  const auto key = std::make_tuple(manual, foreign ? kNoSharding : id, foreign ? rank : 0);
  const auto known = texts_.find(key);
  if (known != texts_.end()) return known->second;
  const TensorSharding s =
      foreign ? TensorSharding::FullyClosed(manual.mesh, rank) : *program_.Find(id);
  return texts_[key] = form_.shardings.Add(ToHlo(manual, s));
}

HloShardingId Lowering::PlainText(ShardingId id) {
  if (id == kNoSharding) return kNoHloSharding;
  if (id >= plain_texts_.size()) plain_texts_.resize(program_.shardings().size(), kNotMade);
  HloShardingId& text = plain_texts_[id];
  if (text == kNotMade) text = form_.shardings.Add(ToHlo(ManualContext(), *program_.Find(id)));
  return text;
}

HloShardingId Lowering::Text(const ManualContext& manual, const Value* value, ShardingId id) {
  const bool partly = !manual.axes.empty() && static_cast<int>(manual.axes.size()) <
                                                  program_.meshes().mesh(manual.mesh).num_axes();
  if (partly && value->shape().is_token() && program_.behaviors().tokens_are_never_partly_manual) {
    return form_.shardings.Replicated();
  }
  return Text(manual, id, RankOf(value));
}

std::vector<HloShardingId> Lowering::ResultTexts(const Frame& frame, const Op* op) {
  if (BeginsTransfer(*op)) {
    const Op* end = EndOfTransfer(*op);
    if (end != nullptr) return AtBeginOfTransfer(*op, ResultTexts(frame, end));
  }
  std::vector<HloShardingId> texts;
  for (const Value& result : op->results) texts.push_back(Text(frame, &result));
  if (op->results.empty() && op->kind == OpKind::kHlo) {
    const auto* own = op->As<CallSharding>();
    texts.push_back(Text(frame, own == nullptr ? kNoSharding : own->sharding, 0));
  }
  const bool some =
      std::any_of(texts.begin(), texts.end(), [](HloShardingId s) { return s != kNoHloSharding; });
  for (HloShardingId& text : texts) {
    if (some && text == kNoHloSharding) text = form_.shardings.Replicated();
  }
  return texts;
}

HloShardingId Lowering::WithoutAxes() {
  return options_.named ? form_.shardings.Add(HloSharding::Named(NamedSharding()))
                        : form_.shardings.Replicated();
}

std::vector<HloShardingId> Lowering::ControlShardings(const Frame& frame, const Op* op) {
  std::vector<HloShardingId> texts = ResultTexts(frame, op);
  for (HloShardingId& text : texts) {
    if (text == kNoHloSharding) text = WithoutAxes();
  }
  return texts;
}

HloShardingId Lowering::OneOrTuple(const std::vector<HloShardingId>& shardings, bool tuple) {
  if (tuple) return form_.shardings.Tuple(shardings);
  return shardings.empty() ? kNoHloSharding : shardings[0];
}

}  // namespace tessera::sharding::passes
