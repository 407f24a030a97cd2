// Grids of devices that are iotas seen through a transpose.
//
// `[4,2]<=[2,4]T(1,0)` is iota(8), reshaped to 2x4, transposed to 4x2, reshaped to the dims 4x2. A
// pod of 100,000 devices needs a handful of numbers this way, so every operation here tries to stay
// in that form.
//
// Canonical form. Reshape axes of size 1 say nothing and go. Two axes that stay neighbours in the
// transpose (perm .. i, i+1 ..) act as one and are merged. What is left is unique: two iotas hold
// the same devices exactly if their dims, reshape dims and perms are equal.
//
// Transposing an iota is easy when its axes line up with the dims that are moved. If they do not,
// all axes are cut into prime factors, which are dealt out to the dims from the left; within one
// axis the primes may stand in any order (6 = 2*3 = 3*2), so a prime that does not fit is swapped
// with a later one of the same axis. When no dealing works, the grid becomes a list.
//
//   [6,4]<=[24] moved to (4,6)       -> [4,6]<=[6,4]T(1,0)
//   [4,9]<=[6,6]T(1,0) moved         -> the 6s are cut into (2,3): 4 = 2*? fails, so a list
//
// Costs: linear in the number of axes, but a list costs the number of devices. Tested by
// tile_assignment_test.cc against lists for all small grids.

#include "tessera/sharding/tile_assignment.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::sharding {
namespace {

size_t Index(int64_t i) { return static_cast<size_t>(i); }

// Product of positive numbers; none for a number below 1 or a product above kMaxDevices.
std::optional<int64_t> DeviceProduct(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d < 1 || d > TileAssignment::kMaxDevices / product) return std::nullopt;
    product *= d;
  }
  return product;
}

int64_t Product(absl::Span<const int64_t> dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<int64_t>());
}

bool IsPermutation(absl::Span<const int64_t> perm) {
  std::vector<bool> seen(perm.size());
  for (int64_t p : perm) {
    if (p < 0 || Index(p) >= perm.size() || seen[Index(p)]) return false;
    seen[Index(p)] = true;
  }
  return true;
}

Dims Pick(absl::Span<const int64_t> values, absl::Span<const int64_t> at) {
  Dims out;
  for (int64_t i : at) out.push_back(values[Index(i)]);
  return out;
}

// Removes axes of size 1 from both; true if there were any.
void DropSizeOneAxes(Dims& reshape_dims, Dims& perm) {
  Dims new_index(reshape_dims.size(), -1);
  Dims kept_dims;
  for (size_t i = 0; i < reshape_dims.size(); ++i) {
    if (reshape_dims[i] == 1) continue;
    new_index[i] = static_cast<int64_t>(kept_dims.size());
    kept_dims.push_back(reshape_dims[i]);
  }
  Dims kept_perm;
  for (int64_t p : perm) {
    if (new_index[Index(p)] >= 0) kept_perm.push_back(new_index[Index(p)]);
  }
  reshape_dims = std::move(kept_dims);
  perm = std::move(kept_perm);
}

// Merges axes that the transpose leaves side by side; the merged ones get size 1.
bool MergeNeighbours(Dims& reshape_dims, const Dims& perm) {
  bool changed = false;
  size_t base = 0;
  for (size_t i = 1; i < perm.size(); ++i) {
    if (perm[i] == perm[base] + static_cast<int64_t>(i - base)) {
      reshape_dims[Index(perm[base])] *= reshape_dims[Index(perm[i])];
      reshape_dims[Index(perm[i])] = 1;
      changed = true;
    } else {
      base = i;
    }
  }
  return changed;
}

void Canonicalize(Dims& reshape_dims, Dims& perm) {
  do {
    DropSizeOneAxes(reshape_dims, perm);
  } while (MergeNeighbours(reshape_dims, perm));
  if (!reshape_dims.empty()) return;
  reshape_dims = {1};
  perm = {0};
}

// Calls f(row-major index of the element of `dims`) over the transpose of `dims` by `perm`, in
// row-major order of the result.
template <typename F>
void ForEachTransposed(absl::Span<const int64_t> dims, absl::Span<const int64_t> perm, F f) {
  Dims stride(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) stride[i - 1] = stride[i] * dims[i];
  const Dims sizes = Pick(dims, perm);
  const Dims strides = Pick(stride, perm);
  Dims at(dims.size(), 0);
  for (int64_t n = Product(dims), linear = 0; n > 0; --n) {
    f(linear);
    for (size_t i = at.size(); i-- > 0;) {
      linear += strides[i];
      if (++at[i] < sizes[i]) break;
      linear -= strides[i] * sizes[i];
      at[i] = 0;
    }
  }
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

struct IotaAxes {
  Dims reshape_dims;
  Dims perm;
};

void AppendPrimes(int64_t n, Dims& out) {
  for (int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    for (; n % p == 0; n /= p) out.push_back(p);
  }
  if (n > 1) out.push_back(n);
}

// The same iota with every axis cut into primes. `owner` gets the axis that each prime is of.
IotaAxes CutIntoPrimes(const Dims& reshape_dims, const Dims& perm, Dims& owner) {
  IotaAxes out;
  Dims first;
  for (int64_t size : reshape_dims) {
    first.push_back(static_cast<int64_t>(out.reshape_dims.size()));
    AppendPrimes(size, out.reshape_dims);
    owner.resize(out.reshape_dims.size(), static_cast<int64_t>(first.size()) - 1);
  }
  first.push_back(static_cast<int64_t>(out.reshape_dims.size()));
  for (int64_t axis : perm) {
    for (int64_t i = first[Index(axis)]; i < first[Index(axis) + 1]; ++i) out.perm.push_back(i);
  }
  return out;
}

// Deals the axes of `iota`, in the order of its perm, out to the dims; the groups of perm entries,
// one for each dim. None if some dim cannot be made up.
std::optional<std::vector<Dims>> Deal(IotaAxes& iota, const Dims& owner, const Dims& dims) {
  const auto size_at = [&iota](size_t place) -> int64_t& {
    return iota.reshape_dims[Index(iota.perm[place])];
  };
  const auto owner_at = [&](size_t place) { return owner[Index(iota.perm[place])]; };
  std::vector<Dims> groups;
  size_t next = 0;
  for (int64_t rest : dims) {
    Dims group;
    while (rest > 1) {
      size_t fit = next;
      while (fit < iota.perm.size() && owner_at(fit) == owner_at(next) &&
             rest % size_at(fit) != 0) {
        ++fit;
      }
      if (fit >= iota.perm.size() || owner_at(fit) != owner_at(next)) return std::nullopt;
      std::swap(size_at(next), size_at(fit));
      rest /= size_at(next);
      group.push_back(iota.perm[next++]);
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

// The iota behind `dims` once these are permuted; none if it has no such form.
std::optional<IotaAxes> TransposeIota(const Dims& dims, const Dims& reshape_dims, const Dims& perm,
                                      absl::Span<const int64_t> by) {
  if (reshape_dims.size() == 1) return IotaAxes{dims, Dims(by.begin(), by.end())};
  Dims owner;
  IotaAxes out{reshape_dims, perm};
  for (size_t i = 0; i < reshape_dims.size(); ++i) owner.push_back(static_cast<int64_t>(i));
  std::optional<std::vector<Dims>> groups = Deal(out, owner, dims);
  const bool one_each = groups && std::all_of(groups->begin(), groups->end(),
                                              [](const Dims& g) { return g.size() <= 1; });
  if (!one_each) {
    owner.clear();
    out = CutIntoPrimes(reshape_dims, perm, owner);
    groups = Deal(out, owner, dims);
    if (!groups) return std::nullopt;
  }
  out.perm.clear();
  for (int64_t b : by) {
    const Dims& group = (*groups)[Index(b)];
    out.perm.insert(out.perm.end(), group.begin(), group.end());
  }
  return out;
}

// Sorts the minor entries of `perm` that make up groups of `size` devices, splitting one axis if
// need be. False if the groups do not fall on axes.
bool SortMinorAxes(int64_t size, Dims& reshape_dims, Dims& perm) {
  size_t first = perm.size();
  while (size > 1) {
    const int64_t axis = perm[--first];
    const int64_t have = reshape_dims[Index(axis)];
    if (have > size) {
      if (have % size != 0) return false;
      for (int64_t& p : perm) p += p > axis ? 1 : 0;
      reshape_dims[Index(axis)] = have / size;
      reshape_dims.insert(reshape_dims.begin() + axis + 1, size);
      perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(++first), axis + 1);
      break;
    }
    if (size % have != 0) return false;
    size /= have;
  }
  std::sort(perm.begin() + static_cast<std::ptrdiff_t>(first), perm.end());
  return true;
}

}  // namespace

TileAssignment::TileAssignment(absl::Span<const int64_t> dims, Dims reshape_dims, Dims perm)
    : dims_(dims.begin(), dims.end()),
      reshape_dims_(std::move(reshape_dims)),
      perm_(std::move(perm)) {
  Canonicalize(reshape_dims_, perm_);
}

TileAssignment::TileAssignment(absl::Span<const int64_t> dims, std::vector<int64_t> devices)
    : dims_(dims.begin(), dims.end()), devices_(std::move(devices)) {}

TileAssignment TileAssignment::Plain(absl::Span<const int64_t> dims) {
  return TileAssignment(dims, Dims{Product(dims)}, Dims{0});
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
  return TileAssignment(dims, Dims(reshape_dims.begin(), reshape_dims.end()),
                        Dims(perm.begin(), perm.end()));
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
  std::vector<int64_t> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0) return absl::InvalidArgumentError("devices must not be negative");
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    return absl::InvalidArgumentError(absl::StrCat("device ", *twice, " holds two tiles"));
  }
  return TileAssignment(dims, std::move(devices));
}

int64_t TileAssignment::num_devices() const { return Product(dims_); }

int64_t TileAssignment::DeviceAt(absl::Span<const int64_t> index) const {
  int64_t linear = 0;
  for (size_t i = 0; i < dims_.size(); ++i) linear = linear * dims_[i] + index[i];
  return DeviceAtLinear(linear);
}

int64_t TileAssignment::DeviceAtLinear(int64_t linear) const {
  if (!is_iota()) return devices_[Index(linear)];
  Dims at(reshape_dims_.size());
  for (size_t i = perm_.size(); i-- > 0;) {
    const size_t axis = Index(perm_[i]);
    at[axis] = linear % reshape_dims_[axis];
    linear /= reshape_dims_[axis];
  }
  int64_t device = 0;
  for (size_t i = 0; i < at.size(); ++i) device = device * reshape_dims_[i] + at[i];
  return device;
}

std::vector<int64_t> TileAssignment::Devices() const {
  if (!is_iota()) return devices_;
  std::vector<int64_t> out;
  out.reserve(Index(num_devices()));
  ForEachTransposed(reshape_dims_, perm_, [&out](int64_t device) { out.push_back(device); });
  return out;
}

Dims TileAssignment::IndexOf(int64_t device) const {
  int64_t linear = 0;
  if (is_iota()) {
    Dims at(reshape_dims_.size());
    for (size_t i = at.size(); i-- > 0;) {
      at[i] = device % reshape_dims_[i];
      device /= reshape_dims_[i];
    }
    for (int64_t p : perm_) linear = linear * reshape_dims_[Index(p)] + at[Index(p)];
  } else {
    linear = std::find(devices_.begin(), devices_.end(), device) - devices_.begin();
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
  if (is_iota()) {
    std::optional<IotaAxes> iota = TransposeIota(dims_, reshape_dims_, perm_, perm);
    if (iota) {
      return TileAssignment(new_dims, std::move(iota->reshape_dims), std::move(iota->perm));
    }
  }
  const std::vector<int64_t> devices = Devices();
  std::vector<int64_t> moved;
  moved.reserve(devices.size());
  ForEachTransposed(dims_, perm, [&](int64_t at) { moved.push_back(devices[Index(at)]); });
  return TileAssignment(new_dims, std::move(moved));
}

TileAssignment TileAssignment::SortMinorGroups(int64_t group_size) const {
  if (is_iota()) {
    Dims reshape_dims = reshape_dims_;
    Dims perm = perm_;
    if (SortMinorAxes(group_size, reshape_dims, perm)) {
      return TileAssignment(dims_, std::move(reshape_dims), std::move(perm));
    }
  }
  std::vector<int64_t> devices = Devices();
  const auto size = static_cast<std::ptrdiff_t>(group_size);
  for (auto at = devices.begin(); at != devices.end(); at += size) std::sort(at, at + size);
  return TileAssignment(dims_, std::move(devices));
}

std::string TileAssignment::ToString() const {
  std::string out = absl::StrCat("[", absl::StrJoin(dims_, ","), "]");
  if (!is_iota()) return absl::StrCat(out, absl::StrJoin(devices_, ","));
  absl::StrAppend(&out, "<=[", absl::StrJoin(reshape_dims_, ","), "]");
  if (perm_.size() > 1) absl::StrAppend(&out, "T(", absl::StrJoin(perm_, ","), ")");
  return out;
}

bool operator==(const TileAssignment& a, const TileAssignment& b) {
  if (a.dims_ != b.dims_) return false;
  if (a.is_iota() && b.is_iota()) {
    return a.reshape_dims_ == b.reshape_dims_ && a.perm_ == b.perm_;
  }
  return a.Devices() == b.Devices();
}

}  // namespace tessera::sharding
