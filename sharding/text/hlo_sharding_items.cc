#include "tessera/sharding/text/hlo_sharding_items.h"

#include "absl/strings/str_cat.h"
#include "tessera/sharding/text/metadata_text.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using Items = HloShardingItems;

constexpr absl::string_view kSubgroupWords[] = {"maximal", "manual", "unreduced", "replicated"};

absl::Status ParseInts(ShardingLexer& in, Dims& out, absl::string_view what) {
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t value, in.ExpectInt(what));
    out.push_back(value);
  } while (in.Consume(','));
  return absl::OkStatus();
}

absl::Status ParsePermutation(ShardingLexer& in, Items& items) {
  if (!in.ConsumeWord("T")) return in.Error("expected 'T(' and the order of the axes");
  TESSERA_RETURN_IF_ERROR(in.Expect('(', "after 'T'"));
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t axis, in.ExpectInt("an axis"));
    if (axis < 0 || axis >= static_cast<int64_t>(items.reshape_dims.size())) {
      return in.Error(absl::StrCat("axis ", axis, " is not one of the ", items.reshape_dims.size(),
                                   " axes of the devices"));
    }
    items.perm.push_back(axis);
  } while (in.Consume(','));
  return in.Expect(')', "after the order of the axes");
}

absl::Status ParseDevices(ShardingLexer& in, Items& items) {
  TESSERA_RETURN_IF_ERROR(in.Expect('[', "before the dimensions of the tile assignment"));
  TESSERA_RETURN_IF_ERROR(ParseInts(in, items.tile_dims, "a dimension"));
  TESSERA_RETURN_IF_ERROR(in.Expect(']', "or ',' after a dimension"));
  if (!in.Consume(ShardingToken::kLessEqual)) {
    Dims devices;
    TESSERA_RETURN_IF_ERROR(ParseInts(in, devices, "a device"));
    items.devices.insert(items.devices.end(), devices.begin(), devices.end());
    return absl::OkStatus();
  }
  TESSERA_RETURN_IF_ERROR(in.Expect('[', "before the axes of the devices"));
  TESSERA_RETURN_IF_ERROR(ParseInts(in, items.reshape_dims, "an axis size"));
  TESSERA_RETURN_IF_ERROR(in.Expect(']', "or ',' after an axis size"));
  if (items.reshape_dims.size() > 1) return ParsePermutation(in, items);
  items.perm = {0};
  return absl::OkStatus();
}

absl::Status ParseSubgroups(ShardingLexer& in, Items& items) {
  TESSERA_RETURN_IF_ERROR(in.Expect('{', "before the subgroup types"));
  if (in.Consume('}')) return absl::OkStatus();
  do {
    size_t type = 0;
    while (type < std::size(kSubgroupWords) && !in.IsWord(kSubgroupWords[type])) ++type;
    if (type == std::size(kSubgroupWords)) {
      return in.Error("expected a subgroup type: maximal, manual, unreduced or replicated");
    }
    items.subgroups.push_back(static_cast<SubgroupType>(type));
    in.Next();
  } while (in.Consume(','));
  return in.Expect('}', "or ',' after a subgroup type");
}

absl::Status ParseShardGroup(ShardingLexer& in, ShardGroup::Kind kind, Items& items) {
  TESSERA_ASSIGN_OR_RETURN(items.group.id, in.ExpectInt("the number of a shard group"));
  if (items.group.kind != ShardGroup::Kind::kAs) items.group.kind = kind;
  return absl::OkStatus();
}

absl::Status ParseWordItem(ShardingLexer& in, Items& items) {
  for (size_t i = 0; i < std::size(kKindWords); ++i) {
    if (!in.ConsumeWord(kKindWords[i].word)) continue;
    items.kinds[i] = true;
    return absl::OkStatus();
  }
  if (in.ConsumeWord("shard_as")) return ParseShardGroup(in, ShardGroup::Kind::kAs, items);
  if (in.ConsumeWord("shard_like")) return ParseShardGroup(in, ShardGroup::Kind::kLike, items);
  if (!in.ConsumeWord("last_tile_dim_replicate")) {
    return in.Error("expected a word or an attribute of a sharding");
  }
  items.last_dim_replicates = true;
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseHloShardingItem(ShardingLexer& in, HloShardingItems& items) {
  if (in.ConsumeAttribute("devices")) return ParseDevices(in, items);
  if (in.ConsumeAttribute("last_tile_dims")) return ParseSubgroups(in, items);
  if (in.ConsumeAttribute("metadata")) return ParseMetadata(in, items.metadata);
  if (in.ConsumeAttribute("device")) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t device, in.ExpectInt("a device"));
    items.devices = {device};
    return absl::OkStatus();
  }
  if (in.token() == ShardingToken::kAttribute) {
    return in.Error(absl::StrCat("unknown attribute '", in.token_text(),
                                 "=' in a sharding: there are device=, devices=, "
                                 "last_tile_dims= and metadata="));
  }
  return ParseWordItem(in, items);
}

}  // namespace tessera::sharding
