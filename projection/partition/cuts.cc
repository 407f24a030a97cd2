// Idea. There are few ordered products of the number of parts over the axes that can be cut (4096
// parts over four axes: 455). So each is priced by the exact regions of all its parts. What no
// other beats in work, bytes and memory at once stays; bytes moved decide first.
//
//   8 parts of a square matrix product: 2x4x1 reads 6 squares, 1x8x1 reads 9
//
// Cost: candidates times parts times one Project(). Tested by shards_test.cc and cost_test.cc,
// which has the worked example of a convolution in four.
#include "tessera/projection/partition/cuts.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/set/split.h"
#include "tessera/text/checked.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

bool CanBeCut(const Axis& axis) {
  return axis.kind == AxisKind::kParallel || axis.kind == AxisKind::kReduction;
}

// All ordered products of `left` over the axes from `axis` on.
void Enumerate(const Signature& s, size_t axis, int64_t left, std::vector<int64_t>* parts,
               std::vector<std::vector<int64_t>>* out) {
  if (axis == s.axes.size()) {
    if (left == 1) out->push_back(*parts);
    return;
  }
  for (int64_t k = 1; k <= left; ++k) {
    const bool fits = k == 1 || (CanBeCut(s.axes[axis]) && k <= s.axes[axis].extent);
    if (left % k != 0 || !fits) continue;
    parts->push_back(k);
    Enumerate(s, axis + 1, left / k, parts, out);
    parts->pop_back();
  }
}

int64_t PartsOfReductions(const Signature& s, const std::vector<int64_t>& parts) {
  int64_t n = 1;
  for (size_t axis = 0; axis < s.axes.size(); ++axis)
    n *= s.axes[axis].kind == AxisKind::kReduction ? parts[axis] : 1;
  return n;
}

absl::StatusOr<CutChoice> Price(const Signature& s, const ElementBytes& bytes,
                                const std::vector<int64_t>& parts) {
  CutChoice out;
  out.parts = parts;
  TESSERA_ASSIGN_OR_RETURN(std::vector<ZRange> blocks, SplitGrid(s.index, parts));
  TESSERA_ASSIGN_OR_RETURN(BlockBytes whole, BytesOfBlock(s, bytes, s.index));
  Checked read = 0, once = 0, indices = 0;
  for (int64_t b : whole.read) once += b;
  for (const ZRange& block : blocks) {
    if (block.empty()) continue;
    TESSERA_ASSIGN_OR_RETURN(BlockBytes part, BytesOfBlock(s, bytes, block));
    TESSERA_ASSIGN_OR_RETURN(int64_t memory, part.total());
    TESSERA_ASSIGN_OR_RETURN(int64_t work, block.size());
    for (int64_t b : part.read) read += b;
    out.memory = std::max(out.memory, memory);
    out.work = std::max(out.work, work);
    indices += work;
  }
  const int64_t partials = PartsOfReductions(s, parts);
  const Checked partial = partials > 1 ? Checked(whole.written) * partials : Checked(0);
  const Checked moved = read + partial;
  if (!moved.ok() || !once.ok() || !indices.ok()) return OverflowError("the price of a cut");
  out.bytes_moved = moved.value();
  out.bytes_read_twice = (read - once).value();
  out.partial_bytes = partial.value();
  out.balance = out.work == 0
                    ? 1
                    : static_cast<double>(indices.value()) / static_cast<double>(blocks.size()) /
                          static_cast<double>(out.work);
  return out;
}

auto Rank(const CutChoice& c) { return std::tie(c.bytes_moved, c.work, c.memory, c.parts); }

bool Dominates(const CutChoice& a, const CutChoice& b) {
  const bool no_worse = a.work <= b.work && a.bytes_moved <= b.bytes_moved && a.memory <= b.memory;
  return no_worse && (a.work < b.work || a.bytes_moved < b.bytes_moved || a.memory < b.memory);
}

absl::Status CheckParts(int64_t parts) {
  if (parts >= 1 && parts <= 4096) return absl::OkStatus();
  return MakeError(ErrorCode::kBadChunk, absl::StrCat(parts, " parts: expected 1 to 4096"));
}

}  // namespace

absl::StatusOr<std::vector<CutChoice>> ChooseCuts(const Signature& s, const ElementBytes& bytes,
                                                  int64_t parts, const CutLimits& limits) {
  TESSERA_RETURN_IF_ERROR(CheckParts(parts));
  std::vector<std::vector<int64_t>> candidates;
  std::vector<int64_t> prefix;
  Enumerate(s, 0, parts, &prefix, &candidates);
  std::vector<CutChoice> priced, out;
  for (const std::vector<int64_t>& candidate : candidates) {
    TESSERA_ASSIGN_OR_RETURN(CutChoice choice, Price(s, bytes, candidate));
    if (choice.memory <= limits.memory) priced.push_back(std::move(choice));
  }
  for (const CutChoice& c : priced) {
    if (std::none_of(priced.begin(), priced.end(),
                     [&](const CutChoice& o) { return Dominates(o, c); }))
      out.push_back(c);
  }
  std::sort(out.begin(), out.end(),
            [](const CutChoice& a, const CutChoice& b) { return Rank(a) < Rank(b); });
  return out;
}

}  // namespace tessera::projection
