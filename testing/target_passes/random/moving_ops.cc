// Operations that move elements.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/testing/target_passes/random/random_ops.h"

namespace tessera::testing::random_programs {
namespace {

using absl::StrCat;
using Maker = ProgramMaker;

int64_t Product(const Dims& dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= d;
  return product;
}

// Two neighbours become one dimension, one becomes two, or a dimension of one element comes or goes.
void Reshape(Maker& m) {
  const Value v = m.AnyArray();
  Dims dims = v.dims;
  const size_t at = static_cast<size_t>(m.Below(static_cast<int64_t>(dims.size())));
  const auto place = dims.begin() + static_cast<std::ptrdiff_t>(at);
  if (m.OneIn(4)) {
    dims = {Product(dims)};
  } else if (m.OneIn(3)) {
    dims.insert(place, 1);
  } else if (dims[at] == 1) {
    dims.erase(place);
  } else if (at + 1 < dims.size()) {
    dims[at] *= dims[at + 1];
    dims.erase(place + 1);
  } else if (dims[at] % 2 == 0 && dims[at] > 0) {
    dims[at] /= 2;
    dims.push_back(2);
  }
  m.Add(v.type, dims, StrCat("reshape(", v.name, ")"));
}

void Transpose(Maker& m) {
  const Value v = m.AnyArray();
  const Dims order = m.Order(v.dims.size());
  Dims dims;
  for (const int64_t d : order) dims.push_back(v.dims[static_cast<size_t>(d)]);
  m.Add(v.type, dims, StrCat("transpose(", v.name, "), dimensions=", Braces(order)));
}

void Broadcast(Maker& m) {
  const Value v = m.Any();
  if (v.dims.size() > 3) return;
  Dims dims;
  for (size_t rank = v.dims.size() + static_cast<size_t>(m.Below(2)); rank > 0; --rank) {
    dims.push_back(m.Size());
  }
  const Dims at = m.Some(v.dims.size(), dims.size());
  for (size_t i = 0; i < at.size(); ++i) dims[static_cast<size_t>(at[i])] = v.dims[i];
  m.Add(v.type, dims, StrCat("broadcast(", v.name, "), dimensions=", Braces(at)));
}

void Slice(Maker& m) {
  const Value v = m.AnyArray();
  Dims dims;
  std::vector<std::string> ranges;
  for (const int64_t size : v.dims) {
    const bool whole = m.OneIn(2);
    const int64_t begin = whole ? 0 : m.Below(size + 1);
    const int64_t end = whole ? size : begin + m.Below(size - begin + 1);
    const int64_t stride = m.OneIn(5) ? 2 : 1;
    ranges.push_back(StrCat("[", begin, ":", end, stride == 1 ? "" : ":2", "]"));
    dims.push_back((end - begin + stride - 1) / stride);
  }
  m.Add(v.type, dims, StrCat("slice(", v.name, "), slice={", absl::StrJoin(ranges, ", "), "}"));
}

void Pad(Maker& m) {
  const Value v = m.AnyArray();
  Dims dims = v.dims;
  std::vector<std::string> parts;
  for (int64_t& size : dims) {
    int64_t low = m.Below(4) - 1, high = m.Below(4) - 1;
    const int64_t inside = m.OneIn(5) ? 1 : 0;
    const int64_t dilated = size + std::max<int64_t>(0, size - 1) * inside;
    if (dilated + low + high < 0) low = high = 0;
    size = dilated + low + high;
    parts.push_back(StrCat(low, "_", high, inside == 0 ? "" : "_1"));
  }
  m.Add(v.type, dims,
        StrCat("pad(", v.name, ", ", m.Like(v.type, {}).name,
               "), padding=", absl::StrJoin(parts, "x")));
}

void Concatenate(Maker& m) {
  const Value v = m.AnyArray();
  const size_t at = static_cast<size_t>(m.Below(static_cast<int64_t>(v.dims.size())));
  std::vector<Value> parts = {v};
  Dims dims = v.dims;
  for (int64_t more = m.Below(3); more > 0; --more) {
    Dims part = v.dims;
    if (m.OneIn(2)) part[at] = m.Size();
    parts.push_back(m.Like(v.type, part));
    dims[at] += part[at];
  }
  m.Add(v.type, dims, StrCat("concatenate(", Names(parts), "), dimensions={", at, "}"));
}

void Reverse(Maker& m) {
  const Value v = m.AnyArray();
  const Dims dims = m.Some(1 + static_cast<size_t>(m.Below(2)), v.dims.size());
  m.Add(v.type, v.dims, StrCat("reverse(", v.name, "), dimensions=", Braces(dims)));
}

// A value that passes handle on their way: a tuple, a copy, a barrier.
void Copy(Maker& m) {
  const Value v = m.Any();
  if (m.OneIn(2)) {
    m.Add(v.type, v.dims, StrCat("copy(", v.name, ")"));
  } else {
    const std::vector<Value> both = {v, m.Any()};
    m.AddTuple(both, StrCat("opt-barrier(", m.Tuple(both), ")"));
  }
}

}  // namespace

absl::Span<const RandomOp> MovingOps() {
  static constexpr RandomOp kOps[] = {Reshape, Reshape,     Transpose, Broadcast, Slice,
                                      Pad,     Concatenate, Reverse,   Copy};
  return kOps;
}

}  // namespace tessera::testing::random_programs
