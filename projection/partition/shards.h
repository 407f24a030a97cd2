// An operation cut into parts: what each part reads, what parts share, which cells travel.
//
//   // dimension 0 in 4, dimension 1 in 2
//   absl::StatusOr<ShardPlan> plan = CutOperation(signature, {{0, 4}, {1, 2}});
//   plan->shards[3].needs[0].cells
//   plan->distinct_images[1]   // 2: two different regions of operand 1, each fetched once
//   std::vector<Fragment> f = *FragmentsOf(*plan, 0);
//   f[2].readers               // the shards that read those cells: two at a halo
#ifndef TESSERA_PROJECTION_PARTITION_SHARDS_H_
#define TESSERA_PROJECTION_PARTITION_SHARDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "tessera/projection/signature/signature.h"

namespace tessera::projection {

// How much of a region the next one along an axis shares.
enum class Sharing {
  kTotal,    // the same region: a constant of any cut along this axis
  kNone,     // nothing
  kPartial,  // a halo
};

struct Cut {
  int axis;
  int64_t parts;
};

struct Shard {
  ZRange index;             // empty when there are more parts than indices; then nothing is needed
  std::vector<Need> needs;  // one for each operand
};

struct ShardPlan {
  std::vector<int64_t> parts;            // of each axis
  std::vector<Shard> shards;             // row-major by part
  std::vector<int64_t> distinct_images;  // for each operand
  // For each operand, over all cuts: kTotal is a constant of the cut, read by every shard alike.
  std::vector<Sharing> sharing;
};

// kNotSupported for an axis that cannot be cut, naming its kind; kTooLarge above 4096 shards.
absl::StatusOr<ShardPlan> CutOperation(const Signature& s, absl::Span<const Cut> cuts);

// The cells of one operand that exactly these shards read. Every needed cell is in one fragment.
struct Fragment {
  std::vector<int> readers;  // ascending
  ZSet cells;
};
absl::StatusOr<std::vector<Fragment>> FragmentsOf(const ShardPlan& plan, int operand,
                                                  int64_t limit = kDefaultLimit);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_SHARDS_H_
