// Idea. Devices with equal coordinates on the mesh axes that the shardings use have the same tiles,
// need the same and lack the same: one of each class is computed. Need is the image of its index
// block, missing is that without its tile.
//
//   512 devices as data=64, model=8: an operation whose tensors use model alone has 8 classes
//
// Cost: classes times operands. Tested by the cases of op_comm and by cost_test.cc.
#include "tessera/projection/cost/demand/missing.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/demand/device_tiles.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using sharding::DeviceGrid;
using sharding::TensorSharding;

absl::StatusOr<ZRange> TileOrAll(const DeviceGrid& grid, const ZPoint& shape,
                                 const TensorSharding* s, int64_t position) {
  return s == nullptr ? ZRange::FromShape(shape) : TileBox(grid, shape, *s, position);
}

// Bytes of the cells, or of a bound on them when they take too many boxes.
absl::StatusOr<ZSet> Without(const ZSet& need, const ZRange& own, bool* exact) {
  absl::StatusOr<ZSet> missing = need.Subtract(ZSet::OfBox(own));
  if (ErrorCodeOf(missing.status()) != ErrorCode::kTooLarge) return missing;
  *exact = false;
  return ZSet::OfBox(*need.bounding()).Subtract(ZSet::OfBox(own));
}

absl::StatusOr<int64_t> BytesOf(int64_t cells, int64_t element_bits) {
  const Checked bits = Checked(cells) * element_bits;
  if (!bits.ok()) return OverflowError("the bits of a demand");
  return CeilDiv(bits.value(), 8);
}

absl::StatusOr<int64_t> BytesOfCells(const ZSet& cells, int64_t element_bits) {
  TESSERA_ASSIGN_OR_RETURN(int64_t n, cells.size());
  return BytesOf(n, element_bits);
}

// Cells of the box of `need`, with the padding after each end that it reaches, outside of the
// padded tile of the device.
absl::StatusOr<int64_t> PaddedCells(const DeviceGrid& grid, const ZPoint& shape,
                                    const TensorSharding* s, int64_t position, const ZSet& need,
                                    const ZRange& own) {
  if (s == nullptr || need.empty()) return 0;
  const ZRange box = *need.bounding();
  const bool is_alone = grid.OnlyDevice(*s).has_value();
  TESSERA_ASSIGN_OR_RETURN(const std::vector<int64_t> tile, grid.TileShape(shape, *s));
  Checked all = 1, held = 1;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t parts = is_alone ? 1 : sharding::ShardedSize(s->dim(d).axes, grid.mesh());
    const int64_t part = is_alone ? 0 : grid.PartIndex(position, s->dim(d).axes);
    const int64_t begin = box.start()[d];
    const int64_t end = box.end()[d] == shape[d] ? tile[d] * parts : box.end()[d];
    all *= end - begin;
    held *=
        std::max<int64_t>(0, std::min(end, (part + 1) * tile[d]) - std::max(begin, part * tile[d]));
  }
  if (is_alone && own.empty()) held = 0;
  const Checked missing = all - held;
  if (!missing.ok()) return OverflowError("the cells of a demand");
  return missing.value();
}

absl::StatusOr<ClassDemand> DemandOfClass(const Signature& s,
                                          absl::Span<const int64_t> element_bits,
                                          const DeviceGrid& grid,
                                          absl::Span<const TensorSharding* const> operands,
                                          const TensorSharding* result,
                                          sharding::DeviceClass devices, bool* exact) {
  ClassDemand out;
  const int64_t at = devices.representative;
  out.devices = std::move(devices);
  TESSERA_ASSIGN_OR_RETURN(out.result, TileOrAll(grid, s.index.shape(), result, at));
  for (size_t k = 0; k < s.operands.size(); ++k) {
    OperandDemand demand;
    TESSERA_ASSIGN_OR_RETURN(Need need, ProjectOperand(s, static_cast<int>(k), out.result));
    TESSERA_ASSIGN_OR_RETURN(demand.own, TileOrAll(grid, s.operands[k].shape, operands[k], at));
    *exact &= need.exact;
    demand.need = std::move(need.cells);
    TESSERA_ASSIGN_OR_RETURN(demand.missing, Without(demand.need, demand.own, exact));
    TESSERA_ASSIGN_OR_RETURN(demand.bytes, BytesOfCells(demand.missing, element_bits[k]));
    TESSERA_ASSIGN_OR_RETURN(
        const int64_t padded,
        PaddedCells(grid, s.operands[k].shape, operands[k], at, demand.need, demand.own));
    TESSERA_ASSIGN_OR_RETURN(demand.padded_bytes, BytesOf(padded, element_bits[k]));
    out.operands.push_back(std::move(demand));
  }
  return out;
}

}  // namespace

absl::StatusOr<OpDemand> DemandOf(const Signature& s, absl::Span<const int64_t> element_bits,
                                  const sharding::DeviceGrid& grid,
                                  absl::Span<const TensorSharding* const> operands,
                                  const TensorSharding* result) {
  std::vector<const TensorSharding*> all(operands.begin(), operands.end());
  all.push_back(result);
  OpDemand out;
  out.operand_bytes.assign(s.operands.size(), 0);
  Checked total = 0, padded_total = 0;
  for (sharding::DeviceClass& devices : ClassesOf(grid, all)) {
    const int64_t count = static_cast<int64_t>(devices.positions.size());
    TESSERA_ASSIGN_OR_RETURN(ClassDemand one, DemandOfClass(s, element_bits, grid, operands, result,
                                                            std::move(devices), &out.exact));
    Checked here = 0, padded = 0;
    for (size_t k = 0; k < one.operands.size(); ++k) {
      here += one.operands[k].bytes;
      padded += one.operands[k].padded_bytes;
      const Checked sum = Checked(one.operands[k].bytes) * count + out.operand_bytes[k];
      if (!sum.ok()) return OverflowError("the bytes of a demand");
      out.operand_bytes[k] = sum.value();
    }
    total += here * count;
    padded_total += padded * count;
    out.max_bytes = std::max(out.max_bytes, here.value());
    out.classes.push_back(std::move(one));
  }
  if (!total.ok() || !padded_total.ok()) return OverflowError("the bytes of a demand");
  out.total_bytes = total.value();
  out.padded_bytes = padded_total.value();
  return out;
}

}  // namespace tessera::projection
