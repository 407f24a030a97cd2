// The axes of a transposed iota: what a TileAssignment in iota form does with them.
//
//   IotaAxes iota{{2, 1, 4}, {2, 0, 1}};   // iota(8) as [2,1,4], transposed to [4,2,1]
//   Canonicalize(iota);                    // {2, 4}, {1, 0}

#ifndef TESSERA_SHARDING_MESH_IOTA_AXES_H_
#define TESSERA_SHARDING_MESH_IOTA_AXES_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace tessera::sharding {

using Dims = absl::InlinedVector<int64_t, 6>;

struct IotaAxes {
  Dims reshape_dims;  // sizes of the axes before the transpose
  Dims perm;          // axis i after it is axis perm[i] before it

  friend bool operator==(const IotaAxes& a, const IotaAxes& b) {
    return a.reshape_dims == b.reshape_dims && a.perm == b.perm;
  }
};

// No axes of size 1, no neighbours that stay together; at least one axis.
void Canonicalize(IotaAxes& iota);

// The iota after `dims` once these are permuted by `by`; none if it has no such form.
std::optional<IotaAxes> TransposeIota(const Dims& dims, const IotaAxes& iota,
                                      absl::Span<const int64_t> by);

// The iota that holds these devices in this order; none if it has no such form. Linear in them, and
// soon done where they are none.
std::optional<IotaAxes> AxesOfList(absl::Span<const int64_t> devices);

// Sorts the minor entries of the perm that make up groups of `size` devices, splitting one axis if
// need be. False if the groups do not fall on axes; `iota` means nothing then.
bool SortMinorAxes(int64_t size, IotaAxes& iota);

}  // namespace tessera::sharding

#endif  // TESSERA_SHARDING_MESH_IOTA_AXES_H_
