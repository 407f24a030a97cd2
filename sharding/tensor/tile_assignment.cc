// Grids of devices that are iotas seen through a transpose, or lists.
//
// `[4,2]<=[2,4]T(1,0)` is iota(8), reshaped to 2x4, transposed to 4x2, reshaped to the dims 4x2. A
// pod of 100,000 devices needs a handful of numbers this way. So every operation here tries to stay
// in that form (iota_axes.cc says how) and falls back to a list, whose costs are linear in the
// number of devices. Tested by tile_assignment_test.cc against lists for all small grids.

#include "tessera/sharding/tile_assignment.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/text/checked.h"

namespace tessera::sharding {
namespace {

// Product of positive numbers; none for a number below 1 or a product above kMaxDevices.
std::optional<int64_t> DeviceProduct(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d < 1 || d > TileAssignment::kMaxDevices / product) return std::nullopt;
    product *= d;
  }
  return product;
}

bool IsPermutation(absl::Span<const int64_t> perm) {
  absl::InlinedVector<uint8_t, 64> seen(perm.size(), 0);
  for (int64_t p : perm) {
    if (p < 0 || Index(p) >= perm.size() || seen[Index(p)] != 0) return false;
    seen[Index(p)] = 1;
  }
  return true;
}

Dims Pick(absl::Span<const int64_t> values, absl::Span<const int64_t> at) {
  Dims out;
  for (int64_t i : at) out.push_back(values[Index(i)]);
  return out;
}

Dims StridesOf(absl::Span<const int64_t> dims) {
  Dims out(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) out[i - 1] = out[i] * dims[i];
  return out;
}

// Calls f(row-major index of the element of `dims`) over the transpose of `dims` by `perm`, in
// row-major order of the result. There is at least one dimension.
template <typename F>
void ForEachTransposed(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm, F f) {
  const Dims sizes = Pick(dims, perm);
  const Dims strides = Pick(StridesOf(dims), perm);
  Dims at(dims.size(), 0);
  const int64_t row = sizes.back(), step = strides.back();
  for (int64_t n = Product(dims) / row, begin = 0; n > 0; --n) {
    for (int64_t i = 0; i < row; ++i) f(begin + i * step);
    for (size_t i = at.size() - 1; i-- > 0;) {
      begin += strides[i];
      if (++at[i] < sizes[i]) break;
      begin -= strides[i] * sizes[i];
      at[i] = 0;
    }
  }
}

// Whether the minor axes that make up groups of `size` devices are in order, and so are the groups.
// False if the groups do not fall on axes.
bool AreMinorAxesSorted(int64_t size, const IotaAxes& iota) {
  size_t first = iota.perm.size();
  while (size > 1) {
    const int64_t have = iota.reshape_dims[Index(iota.perm[--first])];
    if (size % have != 0) {
      if (have % size != 0) return false;
      break;
    }
    size /= have;
  }
  return std::is_sorted(iota.perm.begin() + static_cast<std::ptrdiff_t>(first), iota.perm.end());
}

// Whether moving the dims by `perm` moves any data at all: axes of size 1 may go anywhere.
bool MovesData(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm) {
  int64_t last = -1;
  for (int64_t p : perm) {
    if (dims[Index(p)] == 1) continue;
    if (p < last) return true;
    last = p;
  }
  return false;
}

}  // namespace

TileAssignment::TileAssignment(absl::Span<const int64_t> dims, IotaAxes iota, bool is_list)
    : dims_(dims.begin(), dims.end()), iota_(std::move(iota)), is_list_(is_list) {
  Canonicalize(iota_);
}

TileAssignment::TileAssignment(absl::Span<const int64_t> dims, std::vector<int64_t> devices)
    : dims_(dims.begin(), dims.end()), is_list_(true) {
  if (auto axes = AxesOfList(devices)) {
    iota_ = *std::move(axes);
  } else {
    devices_ = std::make_shared<const std::vector<int64_t>>(std::move(devices));
  }
}

TileAssignment TileAssignment::Plain(absl::Span<const int64_t> dims) {
  return TileAssignment(dims, IotaAxes{{Product(dims)}, {0}});
}

absl::StatusOr<TileAssignment> TileAssignment::Iota(absl::Span<const int64_t> dims,
                                                    absl::Span<const int64_t> reshape_dims,
                                                    absl::Span<const int64_t> perm) {
  const std::optional<int64_t> tiles = DeviceProduct(dims);
  const std::optional<int64_t> devices = DeviceProduct(reshape_dims);
  if (!tiles || !devices) {
    return absl::InvalidArgumentError(absl::StrCat(
        "all dimensions of a tile assignment must be positive, with a product of at most ",
        kMaxDevices));
  }
  if (*tiles != *devices) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", *tiles, " tiles, but ", *devices, " devices"));
  }
  if (perm.size() != reshape_dims.size() || !IsPermutation(perm)) {
    return absl::InvalidArgumentError(absl::StrCat("T(", absl::StrJoin(perm, ","),
                                                   ") does not order the ", reshape_dims.size(),
                                                   " axes of the devices"));
  }
  return TileAssignment(dims, IotaAxes{Dims(reshape_dims.begin(), reshape_dims.end()),
                                       Dims(perm.begin(), perm.end())});
}

absl::StatusOr<TileAssignment> TileAssignment::List(absl::Span<const int64_t> dims,
                                                    std::vector<int64_t> devices) {
  const std::optional<int64_t> tiles = DeviceProduct(dims);
  if (!tiles) {
    return absl::InvalidArgumentError("all dimensions of a tile assignment must be positive");
  }
  if (*tiles != static_cast<int64_t>(devices.size())) {
    return absl::InvalidArgumentError(
        absl::StrCat("there are ", *tiles, " tiles, but ", devices.size(), " devices"));
  }
  if (!IsPermutation(devices)) {
    std::vector<int64_t> sorted = devices;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() < 0) return absl::InvalidArgumentError("devices must not be negative");
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      return absl::InvalidArgumentError(absl::StrCat("device ", *twice, " holds two tiles"));
    }
  }
  return TileAssignment(dims, std::move(devices));
}

TileAssignment TileAssignment::AsList() const {
  TileAssignment out = *this;
  out.is_list_ = true;
  return out;
}

TileAssignment TileAssignment::AsIota() const {
  TileAssignment out = *this;
  out.is_list_ = false;
  return out;
}

int64_t TileAssignment::num_devices() const { return Product(dims_); }

int64_t TileAssignment::DeviceAt(absl::Span<const int64_t> index) const {
  int64_t linear = 0;
  for (size_t i = 0; i < dims_.size(); ++i) linear = linear * dims_[i] + index[i];
  return DeviceAtLinear(linear);
}

int64_t TileAssignment::DeviceAtLinear(int64_t linear) const {
  if (!has_axes()) return (*devices_)[Index(linear)];
  Dims at(reshape_dims().size());
  for (size_t i = perm().size(); i-- > 0;) {
    const size_t axis = Index(perm()[i]);
    at[axis] = linear % reshape_dims()[axis];
    linear /= reshape_dims()[axis];
  }
  int64_t device = 0;
  for (size_t i = 0; i < at.size(); ++i) device = device * reshape_dims()[i] + at[i];
  return device;
}

Dims TileAssignment::IndexOf(int64_t device) const {
  int64_t linear = 0;
  if (has_axes()) {
    Dims at(reshape_dims().size());
    for (size_t i = at.size(); i-- > 0;) {
      at[i] = device % reshape_dims()[i];
      device /= reshape_dims()[i];
    }
    for (int64_t p : perm()) linear = linear * reshape_dims()[Index(p)] + at[Index(p)];
  } else {
    linear = std::find(devices_->begin(), devices_->end(), device) - devices_->begin();
  }
  Dims index(dims_.size());
  for (size_t i = index.size(); i-- > 0;) {
    index[i] = linear % dims_[i];
    linear /= dims_[i];
  }
  return index;
}

TileAssignment TileAssignment::Reshape(absl::Span<const int64_t> dims) const {
  TileAssignment out = *this;
  out.dims_.assign(dims.begin(), dims.end());
  return out;
}

TileAssignment TileAssignment::Transpose(absl::Span<const int64_t> perm) const {
  const Dims new_dims = Pick(dims_, perm);
  if (!MovesData(dims_, perm)) return Reshape(new_dims);
  if (has_axes()) {
    std::optional<IotaAxes> iota = TransposeIota(dims_, iota_, perm);
    if (iota) return TileAssignment(new_dims, *std::move(iota), is_list_);
  }
  const std::vector<int64_t> listed = has_axes() ? Devices() : std::vector<int64_t>();
  const int64_t* const devices = has_axes() ? listed.data() : devices_->data();
  std::vector<int64_t> moved;
  moved.reserve(Index(num_devices()));
  ForEachTransposed(dims_, perm, [&](int64_t at) { moved.push_back(devices[at]); });
  return TileAssignment(new_dims, std::move(moved));
}

TileAssignment TileAssignment::SortMinorGroups(int64_t group_size) const {
  if (has_axes()) {
    if (AreMinorAxesSorted(group_size, iota_)) return *this;
    IotaAxes iota = iota_;
    if (SortMinorAxes(group_size, iota)) return TileAssignment(dims_, std::move(iota), is_list_);
  }
  if (group_size == 1) return *this;
  std::vector<int64_t> devices = Devices();
  const auto size = static_cast<std::ptrdiff_t>(group_size);
  bool is_sorted = !is_iota();
  for (auto at = devices.begin(); at != devices.end(); at += size) {
    if (std::is_sorted(at, at + size)) continue;
    is_sorted = false;
    std::sort(at, at + size);
  }
  return is_sorted ? *this : TileAssignment(dims_, std::move(devices));
}

std::string TileAssignment::ToString() const {
  std::string out = absl::StrCat("[", absl::StrJoin(dims_, ","), "]");
  if (is_list_) return absl::StrCat(out, absl::StrJoin(Devices(), ","));
  absl::StrAppend(&out, "<=[", absl::StrJoin(reshape_dims(), ","), "]");
  if (perm().size() > 1) absl::StrAppend(&out, "T(", absl::StrJoin(perm(), ","), ")");
  return out;
}

bool operator==(const TileAssignment& a, const TileAssignment& b) {
  if (a.dims_ != b.dims_) return false;
  if (a.has_axes() && b.has_axes()) return a.iota_ == b.iota_;
  if (a.has_axes() || b.has_axes()) return false;
  if (a.devices_ == b.devices_) return true;
  return *a.devices_ == *b.devices_;
}

}  // namespace tessera::sharding
