// What a target has its partitioner do otherwise than that of CPUs.
//
//   Options options;
//   options.windows = {/*flops_per_byte=*/2096, /*few_bytes=*/940};    // a TPU v5e
//   PartitionModule(module, behaviors, options);
//
// XLA's names: `windows` is windowed einsum, or collective matmul, in both directions at once;
// `shares_gathers` is cache_all_gather.

#ifndef TESSERA_SHARDING_PARTITION_OPTIONS_H_
#define TESSERA_SHARDING_PARTITION_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tessera::sharding::partition {

// A dot whose operand must be gathered, or whose result must be summed and cut, is a loop: each trip
// multiplies one shard while permutes bring the next (ops/dot/windows.h).
struct WindowedDots {
  // A device's peak in operations a second by the bytes a second of its links.
  double flops_per_byte = 0;
  // Arrays of so many bytes are always exchanged in windows.
  int64_t few_bytes = 0;
  // XLA's limit of the devices that exchange.
  int64_t most_devices = 32;
  // Arrays of fewer bytes never are.
  int64_t least_bytes = 0;
  bool of_gathers = true, of_scatters = true;
  bool in_both_directions = true;
  // Also where a gather would serve another user of the operand.
  bool even_if_shared = false;
  // The sides of the torus that devices are numbered along, major to minor; empty: not known. Groups
  // of four on two whole sides of two exchange in no windows.
  std::vector<int64_t> torus = {};
  // Of a slice, whose devices are numbered one after the other; 0: there is one. Groups over several exchange in no
  // windows.
  int64_t slice_devices = 0;
};

// Whether two devices of a torus have the same place along all sides but those of two.
inline bool DifferAlongTwos(const std::vector<int64_t>& torus, int64_t a, int64_t b) {
  for (auto side = torus.rbegin(); side != torus.rend(); ++side) {
    if (*side != 2 && a % *side != b % *side) return false;
    a /= *side;
    b /= *side;
  }
  return a == b;  // of one slice
}

struct Options {
  std::optional<WindowedDots> windows;
  // One gather of an array serves all its users; else each has its own.
  bool shares_gathers = true;
  // One all-reduce sums over all cut dimensions of an operand; else each dimension has its own.
  bool sums_dims_at_once = false;
  // A concatenate along a cut dimension is made of padded operands where its rule says so
  // (ops/joined_pads.cc).
  bool joins_pads = false;
  // A sort along a cut dimension of which the first few are taken sorts each shard, then those few of each
  // (ops/largest.h).
  bool sorts_shards_for_largest = true;
  // The module is no program, but memory and time can be read from it. Collectives do not name their
  // devices. A fusion of sharded arrays has shards around the computation of whole arrays, as in
  // XLA, whose verifier refuses that. Else such a fusion is an error.
  bool is_for_costs = false;
  // The module comes with its collectives; else with none, which takes less memory.
  bool lists_collectives = true;
  // It comes with PartitionedModule::causes and elements, beside its sources.
  bool lists_causes = false;
  // Called after the memory of the visits is freed and before instructions are written; may be null.
  std::function<void()> on_visited = nullptr;
};

inline Options OptionsOfCosts() {
  Options options;
  options.is_for_costs = true;
  return options;
}

}  // namespace tessera::sharding::partition

#endif  // TESSERA_SHARDING_PARTITION_OPTIONS_H_
