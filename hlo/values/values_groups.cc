// Replica groups in their three spellings: lists, a transposed iota, axes of a mesh.
//
//   {{0,1},{2,3}}     [2,4]<=[4,2]T(1,0)     mesh['a'=2,'b'=4] {'a','b':(1)2}
//
// An iota is brought into one form when read: dimensions of size 1 go, neighbours that stay
// neighbours in ascending order merge. [2,4]<=[2,4]T(0,1) becomes [2,4]<=[8].

#include <numeric>

#include "absl/strings/str_join.h"
#include "tessera/hlo/values/values.h"
#include "tessera/text/checked.h"

namespace tessera::hlo {
namespace {

bool ReadSizes(Reader& in, IntList* sizes, char open, char close) {
  if (!in.Expect(open)) return false;
  do {
    int64_t size = 0;
    if (!in.ExpectInt(&size)) return false;
    sizes->push_back(size);
  } while (in.Eat(','));
  return in.Expect(close);
}

// Product of positive sizes; 0 when one is not positive or the product leaves int64.
int64_t PositiveProduct(const IntList& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size <= 0 || !MultiplyFits(product, size, &product)) return 0;
  }
  return product;
}

bool ReadPermutation(Reader& in, size_t rank, IntList* permutation) {
  std::vector<bool> seen(rank);
  do {
    int64_t entry = 0;
    if (!in.ExpectInt(&entry)) return false;
    if (entry < 0 || entry >= static_cast<int64_t>(rank) || seen[entry]) {
      return in.Fail(
          absl::StrCat(entry, " is not an entry of a permutation of ", rank, " dimensions"));
    }
    seen[entry] = true;
    permutation->push_back(entry);
  } while (in.Eat(','));
  if (permutation->size() != rank) return in.Fail("the permutation is too short");
  return in.Expect(')');
}

void DropSizeOneDims(IntList* reshape, IntList* permutation) {
  IntList new_number(reshape->size(), -1), sizes, order;
  for (size_t i = 0; i < reshape->size(); ++i) {
    if ((*reshape)[i] == 1) continue;
    new_number[i] = static_cast<int64_t>(sizes.size());
    sizes.push_back((*reshape)[i]);
  }
  for (int64_t p : *permutation) {
    if (new_number[p] >= 0) order.push_back(new_number[p]);
  }
  *reshape = sizes;
  *permutation = order;
}

// Merges runs of the permutation that ascend by one.
void MergeDims(IntList* reshape, IntList* permutation) {
  IntList merged_into(reshape->size(), -1);  // first dimension of the run that holds dimension i
  for (size_t i = 0; i < permutation->size(); ++i) {
    const int64_t p = (*permutation)[i];
    const bool joins = i > 0 && p == (*permutation)[i - 1] + 1;
    merged_into[p] = joins ? merged_into[p - 1] : p;
  }
  IntList sizes, number(reshape->size(), -1), order;
  for (size_t d = 0; d < reshape->size(); ++d) {
    if (merged_into[d] != static_cast<int64_t>(d)) {
      sizes.back() *= (*reshape)[d];
      continue;
    }
    number[d] = static_cast<int64_t>(sizes.size());
    sizes.push_back((*reshape)[d]);
  }
  for (int64_t p : *permutation) {
    if (merged_into[p] == p) order.push_back(number[p]);
  }
  *reshape = sizes;
  *permutation = order;
}

void Canonicalize(IntList* reshape, IntList* permutation) {
  if (permutation->empty()) {
    permutation->resize(reshape->size());
    std::iota(permutation->begin(), permutation->end(), 0);
  }
  const int64_t total = PositiveProduct(*reshape);
  DropSizeOneDims(reshape, permutation);
  MergeDims(reshape, permutation);
  if (reshape->empty()) *reshape = {total};
  if (reshape->size() == 1) permutation->clear();
}

// After the bracket of `[sizes]`: T(..) when there is more than one dimension.
bool ReadIotaPermutation(Reader& in, IntList* reshape, IntList* permutation) {
  if (reshape->size() > 1) {
    if (!in.EatWord("T") || !in.Expect('(')) return in.Fail("expected T( and a permutation");
    if (!ReadPermutation(in, reshape->size(), permutation)) return false;
  }
  Canonicalize(reshape, permutation);
  return true;
}

bool ReadIota(Reader& in, ReplicaGroups* groups) {
  const char* at = in.at();
  IntList sizes;
  groups->form = ReplicaGroups::Form::kIota;
  if (!ReadSizes(in, &sizes, '[', ']')) return false;
  if (!in.ConsumeLessEqual()) return in.Fail("expected <= and the shape of the iota");
  if (!ReadSizes(in, &groups->reshape, '[', ']')) return false;
  const int64_t total = PositiveProduct(groups->reshape);
  if (total == 0) return in.FailAt(at, "the sizes of an iota are above 0 and within 64 bits");
  if (!ReadIotaPermutation(in, &groups->reshape, &groups->permutation)) return false;
  if (sizes.size() != 2) return in.FailAtName("expected [groups,size]<=..");
  if (PositiveProduct(sizes) != total) {
    return in.FailAt(at, "the groups and the iota hold different numbers of devices");
  }
  groups->num_groups = sizes[0];
  groups->group_size = sizes[1];
  return true;
}

// Each of 0, 1, .. once, but not in that order, which would not be written.
bool IsOwnOrder(const std::vector<int64_t>& ids) {
  std::vector<bool> seen(ids.size(), false);
  bool ascending = true;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= static_cast<int64_t>(ids.size()) || seen[ids[i]]) return false;
    seen[ids[i]] = true;
    ascending &= ids[i] == static_cast<int64_t>(i);
  }
  return !ascending;
}

// (3,2,1,0) or ([2,2]T(1,0)). The order 0, 1, .. written as an iota is none, whatever its size.
bool ReadDeviceIds(Reader& in, ReplicaGroups* groups) {
  if (!in.Expect('(')) return false;
  IntList reshape, permutation;
  if (in.Peek() != '[') {
    do {
      if (!in.ExpectInt(&groups->device_ids.emplace_back())) return false;
    } while (in.Eat(','));
    const char* at = in.at();
    return in.Expect(')') &&
           (IsOwnOrder(groups->device_ids) ||
            in.FailAt(at, "device_ids in a list are 0, 1, .. in another order than this"));
  }
  if (!ReadSizes(in, &reshape, '[', ']')) return false;
  const int64_t total = PositiveProduct(reshape);
  if (total == 0 || total > (1 << 24)) return in.Fail("the mesh has no or too many devices");
  if (!ReadIotaPermutation(in, &reshape, &permutation)) return false;
  if (permutation.empty()) return in.Expect(')');
  groups->iota_order =
      absl::StrCat("[", absl::StrJoin(reshape, ","), "]T(", absl::StrJoin(permutation, ","), ")");
  groups->reshape = std::move(reshape);
  groups->permutation = std::move(permutation);
  return in.Expect(')');
}

bool ReadMesh(Reader& in, ReplicaGroups* groups) {
  if (!in.Expect('[')) return false;
  do {
    ReplicaGroups::Axis& axis = groups->mesh.emplace_back();
    if (!ReadQuoted(in, &axis.name) || !in.Expect('=') || !in.ExpectInt(&axis.size)) return false;
    if (axis.size <= 0) return in.Fail("an axis needs a size above 0");
  } while (in.Eat(','));
  if (!in.Expect(']')) return false;
  if (!in.Eat(',')) return true;
  absl::string_view name;
  if (!in.ReadAttributeName(&name) || name != "device_ids") {
    return in.Fail("expected device_ids=");
  }
  return ReadDeviceIds(in, groups);
}

bool ReadAxisRefs(Reader& in, ReplicaGroups* groups) {
  if (!in.Expect('{', "to start the axes")) return false;
  if (in.Eat('}')) return true;
  do {
    ReplicaGroups::AxisRef& axis = groups->axes.emplace_back();
    if (!ReadQuoted(in, &axis.name)) return false;
    if (!in.Eat(':')) continue;
    if (!in.Expect('(') || !in.ExpectInt(&axis.pre_size) || !in.Expect(')') ||
        !in.ExpectInt(&axis.size)) {
      return false;
    }
    if (axis.size <= 0 || axis.pre_size <= 0) return in.Fail("a sub-axis needs sizes above 0");
  } while (in.Eat(','));
  return in.Expect('}', "to end the axes");
}

bool ReadMeshGroups(Reader& in, ReplicaGroups* groups) {
  groups->form = ReplicaGroups::Form::kMesh;
  if (in.EatWord("single_device") || in.EatWord("maximal_mesh")) {
    absl::string_view name;
    if (!in.Expect('[')) return false;
    if (!in.ReadAttributeName(&name) || name != "device_id") return in.Fail("expected device_id=");
    if (!in.ExpectInt(&groups->device_ids.emplace_back()) || !in.Expect(']')) return false;
  } else if (!in.EatWord("mesh")) {
    return in.Fail("expected replica groups: {{0,1},..}, [g,s]<=[..] or mesh[..] {..}");
  } else if (!ReadMesh(in, groups)) {
    return false;
  }
  if (!ReadAxisRefs(in, groups)) return false;
  const auto size = groups->UniformSize();
  if (!size.has_value()) return in.Fail("the axes do not fit the mesh");
  return true;
}

}  // namespace

bool ReadReplicaGroups(Reader& in, ReplicaGroups* groups) {
  if (in.Peek() == '[') return ReadIota(in, groups);
  if (in.Peek() != '{') return ReadMeshGroups(in, groups);
  std::vector<IntList> lists;
  if (!ReadIntLists(in, &lists)) return false;
  for (const IntList& list : lists) groups->list.emplace_back(list.begin(), list.end());
  return true;
}

}  // namespace tessera::hlo
