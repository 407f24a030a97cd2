// The reader of V1 and V2 texts and of tuples; V3 is read in named_sharding_text.cc.
//
//   leaf = "{" { item } "}"           items in any order, with blanks between
//   item = "replicated" | "manual" | "unknown" | "unreduced" | "maximal" | "device=" int
//        | "last_tile_dim_replicate" | "last_tile_dims=" "{" types "}" | "metadata=" ..
//        | ( "shard_as" | "shard_like" ) int
//        | "devices=" "[" ints "]" ( ints | "<=" "[" ints "]" [ "T" "(" ints ")" ] )
//
// The items are collected first and given a meaning when the leaf is complete, because their order
// is free: "{devices=[2]<=[2] replicated}" is replicated. Which keyword counts when there are
// several is the order of the table kKindWords.
//
// Tested by hlo_sharding_text_test.cc; fuzzed by sharding_text_fuzz.cc.

#include "tessera/sharding/hlo_sharding_text.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/text/hlo_sharding_items.h"
#include "tessera/sharding/text/metadata_text.h"
#include "tessera/sharding/text/named/named_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

using Items = HloShardingItems;

absl::StatusOr<TileAssignment> MakeTiles(const Items& items) {
  if (items.reshape_dims.empty()) return TileAssignment::List(items.tile_dims, items.devices);
  return TileAssignment::Iota(items.tile_dims, items.reshape_dims, items.perm);
}

absl::StatusOr<HloSharding> MakeTiled(const Items& items) {
  const auto wrong = [&items](absl::string_view why) { return text::ErrorAt(items.offset, why); };
  if (items.tile_dims.empty()) {
    return wrong("expected a kind (replicated, manual, ..) or devices=[..] in a sharding");
  }
  if (items.reshape_dims.size() != items.perm.size()) {
    return wrong(absl::StrCat("T(..) must order all ", items.reshape_dims.size(),
                              " axes of the devices, it has ", items.perm.size()));
  }
  if (items.last_dim_replicates && !items.subgroups.empty()) {
    return wrong("last_tile_dim_replicate and last_tile_dims= exclude each other");
  }
  if (items.reshape_dims.empty() && items.devices.size() <= 1) {
    return wrong("a list of devices needs at least two; one device is {maximal device=N}");
  }
  const absl::StatusOr<TileAssignment> tiles = MakeTiles(items);
  if (!tiles.ok()) return wrong(tiles.status().message());
  std::vector<SubgroupType> types = items.subgroups;
  if (items.last_dim_replicates) types = {SubgroupType::kReplicated};
  if (types.size() > items.tile_dims.size()) {
    return wrong("there are more subgroup types than dimensions");
  }
  return HloSharding::FromSubgroups(*tiles, types);
}

absl::StatusOr<HloSharding> MakeOfKind(const KindWord& kind, const Items& items) {
  if (kind.kind == HloSharding::Kind::kMaximal) {
    if (items.devices.size() == 1) return HloSharding::Maximal(items.devices.front());
    return text::ErrorAt(items.offset, "a maximal sharding needs exactly one device: device=N");
  }
  if (!items.devices.empty()) {
    return text::ErrorAt(items.offset,
                         absl::StrCat("a sharding that is ", kind.word, " has no devices"));
  }
  switch (kind.kind) {
    case HloSharding::Kind::kManual:
      return HloSharding::Manual();
    case HloSharding::Kind::kUnknown:
      return HloSharding::Unknown();
    case HloSharding::Kind::kUnreduced:
      return HloSharding::Unreduced();
    default:
      return HloSharding::Replicated();
  }
}

absl::StatusOr<HloSharding> MakeValue(const Items& items) {
  for (size_t i = 0; i < std::size(kKindWords); ++i) {
    if (items.kinds[i]) return MakeOfKind(kKindWords[i], items);
  }
  return MakeTiled(items);
}

absl::StatusOr<HloSharding> ParseLeaf(ShardingLexer& in) {
  TESSERA_RETURN_IF_ERROR(in.Expect('{', "before a sharding"));
  if (IsNamedMesh(in)) return ParseNamedSharding(in);
  Items items;
  items.offset = in.offset();
  while (!in.Is('}')) TESSERA_RETURN_IF_ERROR(ParseHloShardingItem(in, items));
  in.Next();
  TESSERA_ASSIGN_OR_RETURN(HloSharding out, MakeValue(items));
  out.set_shard_group(items.group);
  out.set_reduction(ReductionOfMetadata(items.metadata));
  out.set_metadata(std::move(items.metadata));
  return out;
}

// The last few different leaves of a tuple by their text: of the hundreds that a loop carries, most
// are one of them.
class RecentLeaves {
 public:
  absl::Status Parse(ShardingLexer& in, std::vector<HloSharding>& elements) {
    for (const Leaf& leaf : leaves_) {
      if (leaf.text.empty() || !in.ConsumeTokens(leaf.text)) continue;
      elements.push_back(HloSharding(elements[leaf.element]));
      return absl::OkStatus();
    }
    const size_t begin = in.offset();
    TESSERA_ASSIGN_OR_RETURN(HloSharding leaf, ParseLeaf(in));
    const absl::string_view text = in.TextSince(begin);
    if (elements.empty()) {  // as many more as there are of this size, in a text of usual length
      elements.reserve(1 + std::min<size_t>(in.rest_size() / text.size(), 1000));
    }
    leaves_[next_] = {text, elements.size()};
    next_ = (next_ + 1) % std::size(leaves_);
    elements.push_back(std::move(leaf));
    return absl::OkStatus();
  }

 private:
  struct Leaf {
    absl::string_view text;
    size_t element = 0;
  };

  Leaf leaves_[8];
  size_t next_ = 0;
};

absl::StatusOr<HloSharding> ParseSharding(ShardingLexer& in) {
  if (!in.Is('{')) return in.Error("expected '{' before a sharding");
  const ShardingLexer ahead = in.Ahead();
  if (!ahead.Is('{') && !ahead.Is('}')) return ParseLeaf(in);
  in.Next();
  std::vector<HloSharding> elements;
  if (!in.Is('}')) {
    RecentLeaves leaves;
    do {
      TESSERA_RETURN_IF_ERROR(leaves.Parse(in, elements));
    } while (in.Consume(','));
  }
  TESSERA_RETURN_IF_ERROR(in.Expect('}', "or ',' after an element of a tuple sharding"));
  return HloSharding::Tuple(std::move(elements));
}

}  // namespace

absl::StatusOr<HloSharding> ParseHloSharding(absl::string_view text) {
  ShardingLexer in(text);
  TESSERA_ASSIGN_OR_RETURN(HloSharding out, ParseSharding(in));
  if (!in.AtEnd()) return in.Error("unexpected text after the sharding");
  return out;
}

}  // namespace tessera::sharding
