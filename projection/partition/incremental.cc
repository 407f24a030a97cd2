#include "tessera/projection/partition/incremental.h"

#include "tessera/projection/core/error.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

absl::StatusOr<int64_t> Bytes(const ZSet& cells, int64_t element_bytes) {
  TESSERA_ASSIGN_OR_RETURN(int64_t n, cells.size());
  const Checked bytes = Checked(n) * element_bytes;
  if (!bytes.ok()) return OverflowError("the bytes of a region");
  return bytes.value();
}

}  // namespace

absl::StatusOr<int64_t> BlockBytes::total() const {
  Checked sum = Checked(written) + intermediate;
  for (int64_t bytes : read) sum += bytes;
  if (!sum.ok()) return OverflowError("the bytes of a block");
  return sum.value();
}

absl::StatusOr<BlockBytes> BytesOfBlock(const Signature& s, const ElementBytes& bytes,
                                        const ZRange& block) {
  BlockBytes out;
  TESSERA_ASSIGN_OR_RETURN(std::vector<Need> needs, Project(s, block));
  for (size_t k = 0; k < needs.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(int64_t read, Bytes(needs[k].cells, bytes.operands[k]));
    out.read.push_back(read);
  }
  Checked written = 0, inside = 0;
  for (size_t k = 0; k < s.results.size(); ++k) {
    TESSERA_ASSIGN_OR_RETURN(ZSet cells, s.results[k].Image(block));
    TESSERA_ASSIGN_OR_RETURN(int64_t part, Bytes(cells, bytes.results[k]));
    written += part;
  }
  for (const ScratchBuffer& internal : s.internals) {
    TESSERA_ASSIGN_OR_RETURN(ZSet cells, internal.projection.Image(block));
    TESSERA_ASSIGN_OR_RETURN(int64_t part, Bytes(cells, internal.element_bytes));
    inside += part;
  }
  if (!written.ok() || !inside.ok()) return OverflowError("the bytes of a block");
  out.written = written.value();
  out.intermediate = inside.value();
  return out;
}

absl::StatusOr<std::vector<Growth>> GrowByOne(const Signature& s, const ElementBytes& bytes,
                                              const ZRange& block) {
  TESSERA_ASSIGN_OR_RETURN(BlockBytes now, BytesOfBlock(s, bytes, block));
  std::vector<Growth> out;
  for (int axis = 0; axis < s.index.rank(); ++axis) {
    Growth growth{axis, block.end()[axis] == s.index.end()[axis], {}, 0};
    if (!growth.at_end) {
      const ZRange larger = block.WithDim(axis, block.start()[axis], block.end()[axis] + 1);
      TESSERA_ASSIGN_OR_RETURN(BlockBytes then, BytesOfBlock(s, bytes, larger));
      for (size_t k = 0; k < then.read.size(); ++k)
        growth.read.push_back(then.read[k] - now.read[k]);
      growth.written = then.written - now.written;
    }
    out.push_back(std::move(growth));
  }
  return out;
}

}  // namespace tessera::projection
