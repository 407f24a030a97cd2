// The text between the braces of a V1 or V2 sharding, item by item.
//
//   ShardingLexer in("devices=[2,1]<=[2] metadata={..}}");
//   HloShardingItems items;
//   while (!in.Is('}')) TESSERA_RETURN_IF_ERROR(ParseHloShardingItem(in, items));
//   items.tile_dims;      // {2, 1}

#ifndef TESSERA_SHARDING_TEXT_HLO_SHARDING_ITEMS_H_
#define TESSERA_SHARDING_TEXT_HLO_SHARDING_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/hlo_sharding.h"
#include "tessera/sharding/text/sharding_lexer.h"

namespace tessera::sharding {

struct KindWord {
  absl::string_view word;
  HloSharding::Kind kind;
};

// In the order in which they win over each other.
inline constexpr KindWord kKindWords[] = {
    {"replicated", HloSharding::Kind::kReplicated}, {"maximal", HloSharding::Kind::kMaximal},
    {"manual", HloSharding::Kind::kManual},         {"unknown", HloSharding::Kind::kUnknown},
    {"unreduced", HloSharding::Kind::kUnreduced},
};
struct HloShardingItems {
  size_t offset = 0;
  // Which of kKindWords.
  bool kinds[std::size(kKindWords)] = {};
  Dims tile_dims;
  Dims reshape_dims;
  Dims perm;
  std::vector<int64_t> devices;
  std::vector<SubgroupType> subgroups;
  bool last_dim_replicates = false;
  ShardGroup group;
  std::vector<std::string> metadata;
};

// Reads the next item; its words and attributes are in the essay of hlo_sharding_text.cc.
absl::Status ParseHloShardingItem(ShardingLexer& in, HloShardingItems& items);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_TEXT_HLO_SHARDING_ITEMS_H_
