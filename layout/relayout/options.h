// The choices of a caller of the relayout engine.

#ifndef TESSERA_LAYOUT_RELAYOUT_OPTIONS_H_
#define TESSERA_LAYOUT_RELAYOUT_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera::layout::relayout {

enum class Fill : uint8_t {
  kLeave,  // padding of the destination keeps what it holds
  kZero,
  kValue,
};

enum class Streaming : uint8_t {
  kAuto,  // stores go around the caches when the destination is large
  kNever,
  kAlways,
};

// Destinations of at least this many bytes are written around the caches: by copies, and by
// transpositions, whose stores jump about and so gain earlier.
inline constexpr int64_t kStreamedCopy = int64_t{8} << 20;
inline constexpr int64_t kStreamedTransposition = int64_t{2} << 20;

// Runs task(0) .. task(count - 1), on any threads, and returns when all have returned.
using Executor = std::function<void(int count, const std::function<void(int)>& task)>;

struct Options {
  // Destination dimension i is source dimension perm[i]; empty means the identity.
  std::vector<int64_t> perm;
  Fill fill = Fill::kLeave;
  // Low bits: the bit pattern of one element (of up to 64 bits), for Fill::kValue.
  uint64_t fill_value = 0;
  // Most tasks that Run gives to its executor; each has at least 1 MiB to do.
  int threads = 1;
  Streaming streaming = Streaming::kAuto;
  // Allows a type of less than 8 bits to have 4 bits an element on one side and 8 on the other; the
  // upper 4 become zero.
  bool repack = false;
};

}  // namespace tessera::layout::relayout

#endif  // TESSERA_LAYOUT_RELAYOUT_OPTIONS_H_
