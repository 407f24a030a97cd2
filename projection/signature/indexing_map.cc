#include "tessera/projection/signature/indexing_map.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::projection {
namespace {

// A sum that is written term by term.
class Sum {
 public:
  void Add(int64_t coefficient, const std::string& variable) {
    if (coefficient == 0) return;
    ++terms_;
    if (coefficient == 1) return Append(variable);
    if (coefficient == -1) {
      absl::StrAppend(&text_, text_.empty() ? "-" : " - ", variable);
      return;
    }
    Append(absl::StrCat(variable, " * ", coefficient));
  }
  void AddConstant(int64_t value) {
    if (value == 0) return;
    ++terms_;
    if (text_.empty()) return Append(absl::StrCat(value));
    // The magnitude of the least value is not an int64.
    const uint64_t size = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    absl::StrAppend(&text_, value < 0 ? " - " : " + ", size);
  }
  std::string text() const { return text_.empty() ? "0" : text_; }
  std::string AsFactor() const { return terms_ > 1 ? absl::StrCat("(", text_, ")") : text(); }

 private:
  void Append(const std::string& term) {
    absl::StrAppend(&text_, text_.empty() ? "" : " + ", term);
  }
  std::string text_;
  int terms_ = 0;
};

std::string Bounds(const std::string& what, int64_t low, int64_t high) {
  return absl::StrCat(what, " in [", low, ", ", high, "]");
}

struct Writer {
  const ZProjection& p;
  const ZRange& index;
  absl::Span<const RuntimeStart> starts;
  std::vector<std::string> results, symbols, runtime, domain, runtime_domain, constraints;

  void Row(int r) {
    Sum sum;
    for (int c = 0; c < p.index_rank(); ++c) sum.Add(p.matrix()(r, c), absl::StrCat("d", c));
    for (const GroupTerm& g : p.spec().groups) {
      if (g.row == r) sum.Add(g.mul, absl::StrCat("(d", g.axis, " floordiv ", g.div, ")"));
    }
    if (const RuntimeStart* start = StartOf(r); start != nullptr) {
      return AddRuntime(r, *start, &sum);
    }
    if (p.shape()[r] > 1) {
      const std::string symbol = absl::StrCat("s", symbols.size());
      symbols.push_back(symbol);
      domain.push_back(Bounds(symbol, 0, p.shape()[r] - 1));
      sum.Add(p.step()[r], symbol);
    }
    sum.AddConstant(p.offset()[r]);
    const int64_t dilate = p.dilate()[r];
    if (dilate > 1)
      constraints.push_back(Bounds(absl::StrCat(sum.AsFactor(), " mod ", dilate), 0, 0));
    AddBorder(r, sum);
    results.push_back(dilate > 1 ? absl::StrCat(sum.AsFactor(), " floordiv ", dilate) : sum.text());
  }

  const RuntimeStart* StartOf(int r) const {
    const auto found = std::find_if(starts.begin(), starts.end(),
                                    [&](const RuntimeStart& start) { return start.row == r; });
    return found == starts.end() ? nullptr : &*found;
  }

  // The window is the range of the start; seen from its other end where that goes backwards.
  void AddRuntime(int r, const RuntimeStart& start, Sum* sum) {
    const std::string variable = absl::StrCat("rt", runtime.size());
    runtime.push_back(variable);
    runtime_domain.push_back(Bounds(variable, 0, p.shape()[r] - 1));
    sum->Add(start.sign, variable);
    sum->AddConstant(p.offset()[r] + (start.sign < 0 ? p.shape()[r] - 1 : 0));
    AddBorder(r, *sum);
    results.push_back(sum->text());
  }

  // Only where some index falls outside.
  void AddBorder(int r, const Sum& sum) {
    const bool cuts =
        p.spec().policy == OutOfBoundsPolicy::kDrop || p.spec().policy == OutOfBoundsPolicy::kPad;
    if (!cuts || !p.spec().extent.has_value() || index.empty()) return;
    const absl::StatusOr<ZRange> span = p.UnclippedBounding(index);
    const int64_t last = p.dilate()[r] * ((*p.spec().extent)[r] - 1);
    if (span.ok() && (span->start()[r] < 0 || span->end()[r] - 1 > last))
      constraints.push_back(Bounds(sum.text(), 0, last));
  }
};

}  // namespace

std::string IndexingMapText(const ZProjection& p, const ZRange& index,
                            absl::Span<const RuntimeStart> starts) {
  const absl::StatusOr<std::optional<ZRange>> cells = p.Bounding(index);
  if (index.empty() || (cells.ok() && !cells->has_value())) return "KNOWN EMPTY";
  Writer w{p, index, starts, {}, {}, {}, {}, {}, {}};
  std::vector<std::string> axes, axis_bounds;
  for (int c = 0; c < p.index_rank(); ++c) {
    axes.push_back(absl::StrCat("d", c));
    axis_bounds.push_back(Bounds(axes.back(), index.start()[c], index.end()[c] - 1));
  }
  for (int r = 0; r < p.tensor_rank(); ++r) w.Row(r);
  std::sort(w.constraints.begin(), w.constraints.end());
  w.domain.insert(w.domain.begin(), axis_bounds.begin(), axis_bounds.end());
  w.domain.insert(w.domain.end(), w.runtime_domain.begin(), w.runtime_domain.end());
  w.domain.insert(w.domain.end(), w.constraints.begin(), w.constraints.end());
  std::string out = absl::StrCat("(", absl::StrJoin(axes, ", "), ")");
  if (!w.symbols.empty()) absl::StrAppend(&out, "[", absl::StrJoin(w.symbols, ", "), "]");
  if (!w.runtime.empty()) absl::StrAppend(&out, "{", absl::StrJoin(w.runtime, ", "), "}");
  absl::StrAppend(&out, " -> (", absl::StrJoin(w.results, ", "), ")");
  if (!w.domain.empty()) absl::StrAppend(&out, ", domain: ", absl::StrJoin(w.domain, ", "));
  return out;
}

std::string IndexingMapsText(const Signature& s) {
  std::string out;
  for (size_t k = 0; k < s.operands.size(); ++k) {
    if (s.operands[k].maps.empty()) absl::StrAppend(&out, "operand ", k, ": KNOWN EMPTY\n");
    for (const Access& map : s.operands[k].maps) {
      const ZProjection* p = map->projection();
      absl::StrAppend(
          &out, "operand ", k, ": ",
          p != nullptr ? IndexingMapText(*p, s.index, s.operands[k].starts) : map->ToString(),
          "\n");
    }
  }
  return out;
}

}  // namespace tessera::projection
