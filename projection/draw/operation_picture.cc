#include "tessera/projection/draw/operation_picture.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tessera/projection/draw/picture.h"
#include "tessera/projection/draw/svg.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// A tensor of which part i of the plan has cells(i).
template <typename Cells>
SvgTensor ByPart(std::string name, const ZPoint& shape, const OperationNames& names,
                 const ShardPlan& plan, Cells cells) {
  SvgTensor t{std::move(name), shape, ZSet(shape.rank()), "", {}, names.element_bytes};
  for (size_t i = 0; i < plan.shards.size(); ++i) {
    const absl::StatusOr<ZSet> part = cells(plan.shards[i].index);
    if (part.ok() && !part->empty()) t.fragments.push_back({{static_cast<int>(i)}, *part});
  }
  return t;
}

absl::StatusOr<ZSet> Box(const ZRange& index) {
  return index.empty() ? ZSet(index.rank()) : ZSet::OfBox(index);
}

// Draws cells outside the tensor, if a single projection gives the requested cells.
void AddReach(const OperandAccess& access, const ZRange& block, SvgTensor* t) {
  const ZProjection* p = access.maps.size() == 1 ? access.maps[0]->projection() : nullptr;
  if (p == nullptr || p->dilate() != ZPoint::Filled(p->tensor_rank(), 1)) return;
  const absl::StatusOr<ZRange> reach = p->UnclippedBounding(block);
  if (!reach.ok()) return;
  t->reach = *reach;
  t->outside = p->spec().policy;
}

SvgTensor OperandOf(const Signature& s, size_t k, const OperationNames& names,
                    const ShardPlan& plan) {
  const OperandAccess& access = s.operands[k];
  SvgTensor t{names.operands[k],  access.shape, ZSet(access.shape.rank()), "", {},
              names.element_bytes};
  if (plan.shards.size() == 1) {
    t.cells = plan.shards[0].needs[k].cells;
    t.title = t.cells.empty() ? "not read" : "read by the block";
    AddReach(access, plan.shards[0].index, &t);
    return t;
  }
  absl::StatusOr<std::vector<Fragment>> fragments = FragmentsOf(plan, static_cast<int>(k));
  if (fragments.ok()) t.fragments = *std::move(fragments);
  if (t.fragments.empty()) t.title = fragments.ok() ? "not read" : "in too many pieces to draw";
  return t;
}

// How the operands are read, one a line.
std::string MapsText(const Signature& s, const OperationNames& names) {
  std::vector<std::string> lines;
  for (size_t k = 0; k < s.operands.size(); ++k) {
    for (const Access& map : s.operands[k].maps)
      lines.push_back(absl::StrCat(names.operands[k], ": ", map->ToString()));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace

absl::StatusOr<ShardPlan> PlanOfBlock(const Signature& s, const ZRange& block) {
  TESSERA_ASSIGN_OR_RETURN(std::vector<Need> needs, Project(s, block));
  ShardPlan plan;
  plan.parts.assign(s.axes.size(), 1);
  plan.shards.push_back({block, std::move(needs)});
  return plan;
}

std::string SvgOfOperation(const Signature& s, const OperationNames& names, const ShardPlan& plan,
                           const SplitReduction* stages) {
  SvgPicture picture;
  for (size_t k = 0; k < s.operands.size(); ++k) picture.Add(OperandOf(s, k, names, plan));
  if (s.operands.empty()) picture.Text("no operand");
  picture.Arrow(MapsText(s, names));
  picture.Add(
      ByPart(absl::StrCat("index of ", names.operation), s.index.shape(), names, plan, Box));
  picture.Arrow(stages == nullptr ? "results" : "map: partial results");
  for (size_t k = 0; k < s.results.size(); ++k) {
    const auto written = [&](const ZRange& index) { return s.results[k].Image(index); };
    picture.Add(ByPart(stages == nullptr ? names.operation : "partial", s.result_shapes[k], names,
                       plan, written));
  }
  if (stages == nullptr) return picture.ToString();
  const ZPoint& result = stages->combine.result_shapes[0];
  picture.Arrow("combine: the initial value once");
  picture.Add({names.operation, result, ZSet::OfBox(ZRange::FromShape(result)), "combined"});
  return picture.ToString();
}

}  // namespace tessera::projection
