// AccessMap: how a block of an operation's index space reads one operand. Most are one projection;
// the rest are small families of their own. All have one question in common:
//
//   absl::StatusOr<ZSet> cells = access->Need(block);
//
//   kind         reads                                          used by
//   projection   the image of a ZProjection                     nearly everything
//   pieces       projections of parts of the index space        updates at constant starts
//   reshape      the same linear positions in another shape     reshape, bitcast
//   live taps    kernel cells that some index of the block uses convolution
//   touching     positions of a window map that meet the block  select-and-scatter
//   padding      one scalar, when some index is outside         pad
//   composed     whatever a function of the block says          fusion, call, while
#ifndef TESSERA_PROJECTION_SIGNATURE_ACCESS_H_
#define TESSERA_PROJECTION_SIGNATURE_ACCESS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/projection/map/projection.h"

namespace tessera::projection {

// Immutable and thread-compatible.
class AccessMap {
 public:
  virtual ~AccessMap() = default;
  // The cells of the operand that the block needs; none for an empty block. kTooLarge, kOverflow,
  // ...
  virtual absl::StatusOr<ZSet> Need(const ZRange& block, int64_t limit = kDefaultLimit) const = 0;
  // One line.
  virtual std::string ToString() const = 0;
  // The projection when the map is nothing but one, else null.
  virtual const ZProjection* projection() const { return nullptr; }
};

using Access = std::shared_ptr<const AccessMap>;

Access ProjectionAccess(ZProjection p);

// A part of the index space with a projection of its own; indices are those of the whole space.
struct AccessPiece {
  ZRange indices;
  ZProjection projection;
};
// The union over the pieces of what the block has of each. `tensor_rank` serves when there is no
// piece.
Access PiecesAccess(int tensor_rank, std::vector<AccessPiece> pieces);

Access ReshapeAccess(ZPoint operand_shape, ZPoint result_shape);

// One spatial dimension of a kernel: tap k stands at `stride * x[axis] - pad_low + k *
// window_dilation` of the dilated input, and is used where that is a multiple of base_dilation
// inside [0, base_dilation * input_extent).
struct TapRule {
  int row;   // kernel dimension
  int axis;  // index axis
  int64_t size, stride, pad_low, base_dilation, window_dilation, input_extent;
  bool reversal;  // tap k of the window is cell size - 1 - k of the kernel
};
// The image of `p`, in the rows of `taps` cut to the taps that some index of the block uses.
Access LiveTapsAccess(ZProjection p, std::vector<TapRule> taps);

// For an operation whose index space is the tensor that `window` reads from: the positions (indices
// in `positions`) of `window` whose windows meet the block.
Access InverseWindowAccess(ZProjection window, ZRange positions);
// All cells of the windows of those positions.
Access TouchedWindowsAccess(ZProjection window, ZRange positions);

// The one cell of a scalar, needed when some index of the block reads no cell of `p` (policy kDrop
// or kPad).
Access PaddingAccess(ZProjection p);

using NeedFunction = std::function<absl::StatusOr<ZSet>(const ZRange& block, int64_t limit)>;
// `text` says what the function does, in one line.
Access ComposedAccess(NeedFunction need, std::string text);

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_SIGNATURE_ACCESS_H_
