// A transposed iota that loses as little as possible when it is worked on.
//
// Canonical form. Reshape axes of size 1 say nothing and go. Two axes that stay neighbours in the
// transpose (perm .. i, i+1 ..) act as one and are merged. What is left is unique: two iotas hold
// the same devices exactly if their reshape dims and perms are equal.
//
// Transposing an iota is easy when its axes line up with the dims that are moved. If they do not,
// all axes are cut into prime factors, which are dealt out to the dims from the left. Within one
// axis the primes may stand in any order (6 = 2*3 = 3*2). So a prime that does not fit is swapped
// with a later one of the same axis. When no dealing works, the grid has no iota form.
//
//   [6,4]<=[24] moved to (4,6)       -> [4,6]<=[6,4]T(1,0)
//   [4,9]<=[6,6]T(1,0) moved         -> the 6s are cut into 2*3: 4 = 2*? fails
//
// Costs: linear in the number of axes and prime factors. Tested by tile_assignment_test.cc against
// lists of devices for all small grids.

#include "tessera/sharding/mesh/iota_axes.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/text/checked.h"

namespace tessera::sharding {
namespace {

int64_t Signed(size_t i) { return static_cast<int64_t>(i); }

// Removes axes of size 1.
void DropSizeOneAxes(IotaAxes& iota) {
  Dims& reshape_dims = iota.reshape_dims;
  Dims& perm = iota.perm;
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

bool IsCanonical(const IotaAxes& iota) {
  for (const int64_t size : iota.reshape_dims) {
    if (size == 1) return false;
  }
  const size_t axes = iota.perm.size();
  for (size_t i = 1; i < axes; ++i) {
    if (iota.perm[i] == iota.perm[i - 1] + 1) return false;
  }
  return axes > 0;
}

// Merges axes that the transpose leaves side by side; the merged ones get size 1.
bool MergeNeighbours(IotaAxes& iota) {
  Dims& reshape_dims = iota.reshape_dims;
  const Dims& perm = iota.perm;
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

void AppendPrimes(int64_t n, Dims& out) {
  for (int64_t p = 2; p * p <= n; p += p == 2 ? 1 : 2) {
    for (; n % p == 0; n /= p) out.push_back(p);
  }
  if (n > 1) out.push_back(n);
}

// The same iota with every axis cut into primes. `owner` gets the axis that each prime is of.
IotaAxes CutIntoPrimes(const IotaAxes& iota, Dims& owner) {
  IotaAxes out;
  Dims first;
  for (int64_t size : iota.reshape_dims) {
    first.push_back(static_cast<int64_t>(out.reshape_dims.size()));
    AppendPrimes(size, out.reshape_dims);
    owner.resize(out.reshape_dims.size(), static_cast<int64_t>(first.size()) - 1);
  }
  first.push_back(static_cast<int64_t>(out.reshape_dims.size()));
  for (int64_t axis : iota.perm) {
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

// Devices first, first + stride, first + 2 x stride, ..
struct Run {
  size_t size = 1;
  int64_t stride = 1;
};

// The list as nested runs, the innermost first; each device is compared with that of a run before.
std::optional<std::vector<Run>> RunsOf(absl::Span<const int64_t> devices) {
  std::vector<Run> runs;
  const size_t count = devices.size();
  for (size_t span = 1; span < count;) {
    Run run = {1, devices[span] - devices[0]};
    while (span * (run.size + 1) <= count &&
           devices[span * run.size] == devices[0] + Signed(run.size) * run.stride) {
      ++run.size;
    }
    if (run.size == 1 || count % (span * run.size) != 0) return std::nullopt;
    const size_t end = span * run.size;
    for (size_t at = span; at < end; ++at) {
      if (devices[at] != devices[at - span] + run.stride) return std::nullopt;
    }
    runs.push_back(run);
    span = end;
  }
  return runs;
}

}  // namespace

std::optional<IotaAxes> AxesOfList(absl::Span<const int64_t> devices) {
  if (devices.empty() || devices[0] != 0) return std::nullopt;
  std::optional<std::vector<Run>> runs = RunsOf(devices);
  if (!runs) return std::nullopt;
  std::reverse(runs->begin(), runs->end());
  Dims order(runs->size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&runs](int64_t a, int64_t b) {
    return (*runs)[Index(a)].stride > (*runs)[Index(b)].stride;
  });
  IotaAxes out;
  out.perm.resize(order.size());
  int64_t after = Signed(devices.size());  // the strides of an iota follow from its sizes
  for (int64_t run : order) {
    const Run& axis = (*runs)[Index(run)];
    after /= Signed(axis.size);
    if (axis.stride != after) return std::nullopt;
    out.perm[Index(run)] = Signed(out.reshape_dims.size());
    out.reshape_dims.push_back(Signed(axis.size));
  }
  Canonicalize(out);
  return out;
}

void Canonicalize(IotaAxes& iota) {
  if (IsCanonical(iota)) return;
  do {
    DropSizeOneAxes(iota);
  } while (MergeNeighbours(iota));
  if (iota.reshape_dims.empty()) iota = {{1}, {0}};
}

std::optional<IotaAxes> TransposeIota(const Dims& dims, const IotaAxes& iota,
                                      absl::Span<const int64_t> by) {
  if (iota.reshape_dims.size() == 1) return IotaAxes{dims, Dims(by.begin(), by.end())};
  Dims owner(iota.reshape_dims.size());
  std::iota(owner.begin(), owner.end(), 0);
  IotaAxes out = iota;
  std::optional<std::vector<Dims>> groups = Deal(out, owner, dims);
  const bool one_each = groups && std::all_of(groups->begin(), groups->end(),
                                              [](const Dims& g) { return g.size() <= 1; });
  if (!one_each) {
    owner.clear();
    out = CutIntoPrimes(iota, owner);
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

bool SortMinorAxes(int64_t size, IotaAxes& iota) {
  Dims& reshape_dims = iota.reshape_dims;
  Dims& perm = iota.perm;
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

}  // namespace tessera::sharding
