#include "tessera/testing/derived_rules/ties.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/projection/map/reshape.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using projection::AxisKind;
using projection::Signature;
using projection::ZPoint;
using projection::ZProjection;
using sharding::factors::FactorKind;
using sharding::factors::OpShardingRule;

void Add(Dim a, Dim b, Ties* ties) { ties->insert(a < b ? std::pair(a, b) : std::pair(b, a)); }

// How row r of an operand follows the one axis that moves it.
enum class Follows { kNot, kExactly, kMoved };

Follows HowRowFollows(const ZProjection& p, int r, int c, int64_t axis_extent) {
  if (p.matrix().SingleColumn(r) != c) return Follows::kNot;
  for (const projection::GroupTerm& g : p.spec().groups) {
    if (g.row == r) return Follows::kNot;
  }
  const bool same_place =
      p.matrix()(r, c) == 1 && p.offset()[r] == 0 && p.shape()[r] == 1 && p.dilate()[r] == 1;
  return same_place && (*p.spec().extent)[r] == axis_extent ? Follows::kExactly : Follows::kMoved;
}

// Operand dimensions that one axis moves: to the result's dimension if it has one, else to each
// other.
void TieAxis(const Signature& s, int c, int result, BothTies* out) {
  std::vector<std::pair<Dim, Follows>> moved;
  for (size_t k = 0; k < s.operands.size(); ++k) {
    if (s.operands[k].maps.empty() || s.operands[k].shape.rank() == 0) continue;
    const ZProjection& p = *s.operands[k].maps[0]->projection();
    for (int r = 0; r < p.tensor_rank(); ++r) {
      const Follows how = HowRowFollows(p, r, c, s.axes[static_cast<size_t>(c)].extent);
      if (how != Follows::kNot && s.operands[k].shape[r] > 1)
        moved.push_back({{static_cast<int>(k), r}, how});
    }
  }
  const bool in_result = c < s.result_shapes[0].rank();
  for (size_t i = 0; i < moved.size(); ++i) {
    const bool exact = moved[i].second == Follows::kExactly;
    if (in_result) Add(moved[i].first, {result, c}, exact ? &out->strict : &out->moved);
    for (size_t j = 0; !in_result && j < i; ++j) Add(moved[i].first, moved[j].first, &out->strict);
  }
}

BothTies TiesOfReshape(const hlo::Module& module, hlo::InstructionId id) {
  BothTies out;
  const ZPoint from(module.shape(module.operands(id)[0]).dims()), to(module.shape(id).dims());
  for (const projection::ReshapeGroup& g : projection::ReshapeGroups(from, to)) {
    std::vector<int> a, b;  // dimensions of more than one cell
    for (int d = g.operand_begin; d < g.operand_end; ++d)
      if (from[d] > 1) a.push_back(d);
    for (int d = g.result_begin; d < g.result_end; ++d)
      if (to[d] > 1) b.push_back(d);
    if (a.size() == 1 && b.size() == 1) Add({0, a[0]}, {1, b[0]}, &out.strict);
  }
  return out;
}

}  // namespace

BothTies TiesOfRule(const OpShardingRule& rule) {
  BothTies out;
  const int result = rule.num_operands();
  for (int f = 0; f < rule.num_factors(); ++f) {
    const FactorKind kind = rule.kind(f);
    if (rule.size(f) <= 1 || kind == FactorKind::kNeedReplication) continue;
    std::vector<Dim> dims;
    for (int t = 0; t <= result && t < rule.num_tensors(); ++t) {
      for (int d = 0; d < rule.rank(t); ++d) {
        if (rule.factors(t, d).size() == 1 && rule.factors(t, d)[0] == f) dims.push_back({t, d});
      }
    }
    Ties* ties = kind == FactorKind::kPermutation ? &out.moved : &out.strict;
    const bool has_result = !dims.empty() && dims.back().first == result;
    for (size_t i = 0; i < dims.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!has_result || dims[i].first == result) Add(dims[i], dims[j], ties);
      }
    }
  }
  return out;
}

absl::StatusOr<BothTies> TiesOfProjections(const hlo::Module& module, hlo::InstructionId id) {
  if (module.instruction(id).opcode == hlo::Opcode::kReshape) return TiesOfReshape(module, id);
  TESSERA_ASSIGN_OR_RETURN(
      Signature s, projection::SignatureOf(module, id, {0, true, projection::IndexPolicy::kBound}));
  for (const auto& operand : s.operands) {
    const bool scalar = operand.shape.rank() == 0;  // has no dimension to tie
    if (!scalar && !operand.maps.empty() && operand.maps[0]->projection() == nullptr) {
      return absl::UnimplementedError(operand.maps[0]->ToString());
    }
  }
  if (s.result_shapes.empty()) return absl::UnimplementedError("no result array");
  BothTies out;
  for (int c = 0; c < s.index.rank(); ++c) {
    const AxisKind kind = s.axes[static_cast<size_t>(c)].kind;
    const bool free = kind == AxisKind::kParallel || kind == AxisKind::kReduction;
    if (free && s.index.extent(c) > 1) TieAxis(s, c, static_cast<int>(s.operands.size()), &out);
  }
  return out;
}

std::string TiesText(const Ties& ties) {
  std::string out;
  for (const auto& [a, b] : ties)
    absl::StrAppend(&out, out.empty() ? "" : " ", a.first, ".", a.second, "-", b.first, ".",
                    b.second);
  return out.empty() ? "none" : out;
}

}  // namespace tessera::testing
