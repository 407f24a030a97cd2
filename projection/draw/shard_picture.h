// An operation cut into shards, drawn: who reads which cell of an operand.
//
//   DrawShards("x", {14}, *FragmentsOf(plan, 0), 4)
//
//   x ‖14‖
//     0 0 0 0 * * 1 1 * * 2 2 2 2
//     read by 0: 4 cells, 16 bytes
//     read by 0, 1: 2 cells, 8 bytes
//     ..
//
// A cell that one shard reads has its number (0-9, a-z), one that several read has '*', one that
// nobody reads '.'. At most 100 columns; larger tensors are scaled.
#ifndef TESSERA_PROJECTION_DRAW_SHARD_PICTURE_H_
#define TESSERA_PROJECTION_DRAW_SHARD_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/projection/partition/partial.h"
#include "tessera/projection/partition/shards.h"

namespace tessera::projection {

std::string DrawShards(absl::string_view name, const ZPoint& shape,
                       absl::Span<const Fragment> fragments, int64_t element_bytes);

// Map stage, partial tensor, combine stage.
std::string DrawSplit(const SplitReduction& split);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_DRAW_SHARD_PICTURE_H_
