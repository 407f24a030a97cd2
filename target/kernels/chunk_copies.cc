#include "tessera/target/kernels/chunk_copies.h"

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_set.h"
#include "tessera/target/kernels/products/registers.h"
#include "tessera/target/kernels/row_updates.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr int64_t kLanes = 128;

using Sizes = std::vector<int64_t>;

// Of dimensions with more than one element.
Sizes SizesOf(const layout::Shape& array) {
  Sizes sizes;
  for (const int64_t d : LargeDims(array)) sizes.push_back(array.dim(d));
  return sizes;
}

// Positions in chunks that fill lanes, and heads that do not: {8, 8, 256, 12, 64}.
bool AreChunks(const Sizes& sizes) {
  const size_t n = sizes.size();
  return n >= 4 && sizes[n - 1] < kLanes && sizes[n - 2] < kLanes && sizes[n - 3] % kLanes == 0;
}

// With the dimension `back` places before the end as a part of the one after it.
Sizes Joined(Sizes sizes, size_t back) {
  const auto at = sizes.end() - static_cast<int64_t>(back);
  at[1] *= at[0];
  sizes.erase(at);
  return sizes;
}

Sizes HeadsOfChunks(const Sizes& chunks) { return Joined(chunks, 4); }
Sizes FeaturesOfHeads(const Sizes& heads) { return Joined(heads, 2); }

// Heads of positions that instructions have in chunks.
absl::flat_hash_set<Sizes> ChunkedHeads(const hlo::Module& module,
                                        const std::vector<InstructionId>& order) {
  absl::flat_hash_set<Sizes> heads;
  for (const InstructionId id : order) {
    if (module.instruction(id).opcode != Opcode::kReshape) continue;
    for (const InstructionId end : {id, module.operands(id)[0]}) {
      const Sizes sizes = SizesOf(module.shape(end));
      if (AreChunks(sizes)) heads.insert(HeadsOfChunks(sizes));
    }
  }
  return heads;
}

}  // namespace

std::vector<LayoutCopy> FindChunkCopies(const hlo::Module& module,
                                        const std::vector<InstructionId>& order) {
  const absl::flat_hash_set<Sizes> chunked = ChunkedHeads(module, order);
  std::vector<LayoutCopy> copies;
  if (chunked.empty()) return copies;
  for (const InstructionId id : order) {
    if (module.instruction(id).opcode != Opcode::kReshape) continue;
    const InstructionId from = module.operands(id)[0];
    const double tiles = Registers(module.shape(id));
    const Sizes a = SizesOf(module.shape(from)), b = SizesOf(module.shape(id));
    const Sizes& fine = a.size() > b.size() ? a : b;
    const Sizes& coarse = a.size() > b.size() ? b : a;
    const bool has_chunks = AreChunks(fine);
    const bool is_both =
        has_chunks && coarse == FeaturesOfHeads(HeadsOfChunks(fine)) && coarse.back() % kLanes == 0;
    const bool is_of_heads = chunked.contains(fine) && coarse == FeaturesOfHeads(fine);
    if (is_both || (has_chunks && coarse == HeadsOfChunks(fine)))
      copies.push_back({from, id, tiles, false});
    if (is_both || is_of_heads) copies.push_back({from, id, tiles, true});
  }
  return copies;
}

}  // namespace tessera::target
