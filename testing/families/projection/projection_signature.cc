// Family projection_signature: which cells of each operand a block of the root of a small module
// needs.
#include <algorithm>
#include <string>
#include <vector>

#include "tessera/hlo/parser.h"
#include "tessera/projection/set/runs.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;

constexpr int64_t kLimit = 1 << 20;

// What the policy of a case says about the sets.
Exactness ReadPolicy(const std::string& policy) {
  if (policy == "exact") return Exactness::kExact;
  if (policy.rfind("exact", 0) == 0) return Exactness::kExactIfConstant;
  return policy.rfind("opaque", 0) == 0 ? Exactness::kOpaque : Exactness::kBound;
}

// The maximal runs of disjoint boxes, ascending.
std::vector<projection::Run> RunsOf(const std::vector<ZRange>& boxes, const ZPoint& shape) {
  std::vector<projection::Run> all, merged;
  for (const ZRange& box : boxes) {
    const std::vector<projection::Run> runs = RunsOfBox(box, shape, kLimit).value();
    all.insert(all.end(), runs.begin(), runs.end());
  }
  const auto first = [](projection::Run a, projection::Run b) { return a.first < b.first; };
  std::sort(all.begin(), all.end(), first);
  for (const projection::Run run : all) {
    if (!merged.empty() && merged.back().first + merged.back().length == run.first) {
      merged.back().length += run.length;
    } else {
      merged.push_back(run);
    }
  }
  return merged;
}

Outcome CheckCells(const ZSet& cells, const ZPoint& shape, const json& e) {
  const Outcome first = First({Expect("count", cells.size().value(), e["count"]),
                               Expect("bounding", Write(cells.bounding()), e["bounding"]),
                               Expect("dense", IsBox(cells), e["dense"])});
  if (first.verdict != Verdict::kPassed || cells.empty()) return first;
  json axes;
  if (cells.product() != nullptr) {
    axes = json::array();
    for (const AxisSet& axis : *cells.product()) axes.push_back(Write(axis));
  }
  const std::vector<ZRange> slabs = cells.Slabs(kLimit).value();
  const std::vector<projection::Run> list = RunsOf(slabs, shape);
  json runs = json::array();
  for (projection::Run r : list) runs.push_back({r.first, r.length});
  return First({Expect("axes", axes, e["axes"]), Expect("num_boxes", slabs.size(), e["num_boxes"]),
                e.contains("boxes") ? Expect("boxes", Write(slabs), e["boxes"]) : Passed(),
                Expect("num_runs", runs.size(), e["num_runs"]),
                e.contains("runs") ? Expect("runs", runs, e["runs"]) : Passed()});
}

json WriteRows(const Signature& s, const json& expected) {
  const size_t k = expected["operand"].get<size_t>();
  const ZProjection* p =
      s.operands.at(k).maps.empty() ? nullptr : s.operands[k].maps[0]->projection();
  if (p == nullptr) return json();
  json matrix = json::array();
  for (int r = 0; r < p->tensor_rank(); ++r) matrix.push_back(Write(p->matrix().row(r)));
  json out = {{"operand", k},
              {"matrix", matrix},
              {"offset", Write(p->offset())},
              {"shape", Write(p->shape())}};
  const ZPoint ones = ZPoint::Filled(p->tensor_rank(), 1);
  if (p->step() != ones) out["step"] = Write(p->step());
  if (p->dilate() != ones) out["dilate"] = Write(p->dilate());
  for (const GroupTerm& g : p->spec().groups) {
    out["groups"].push_back({{"row", g.row}, {"axis", g.axis}, {"div", g.div}, {"mul", g.mul}});
  }
  const bool live_taps = s.operands[k].maps[0]->ToString().rfind("live taps", 0) == 0;
  if (p->spec().policy != OutOfBoundsPolicy::kForbid)
    out["guard"] = std::string(PolicyName(p->spec().policy));
  if (live_taps) out["guard"] = "live-taps";
  return out;
}

}  // namespace

Outcome CheckProjectionSignature(const json& c) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(c["hlo"].get<std::string>());
  if (!module.ok()) return Failed(module.status().ToString());
  const absl::StatusOr<Signature> s = SignatureOf(*module, module->entry().root);
  if (!s.ok()) return Failed(s.status().ToString());
  const absl::Status valid = CheckSignature(*s);
  if (!valid.ok()) return Failed(valid.ToString());
  const absl::StatusOr<std::vector<Need>> needs = Project(*s, ReadRange(c["block"]), kLimit);
  if (!needs.ok()) return Failed(needs.status().ToString());
  if (needs->size() != c["operands"].size()) return Failed("another number of operands");
  for (size_t k = 0; k < needs->size(); ++k) {
    Outcome o = CheckCells((*needs)[k].cells, s->operands[k].shape, c["operands"][k]);
    if (o.verdict != Verdict::kPassed)
      return Failed("operand " + std::to_string(k) + ": " + o.detail);
  }
  if (c.contains("signature")) {
    for (const json& row : c["signature"]) {
      const Outcome o = Expect("signature", WriteRows(*s, row), row);
      if (o.verdict != Verdict::kPassed) return o;
    }
  }
  return Expect("policy", static_cast<int>(s->exactness),
                static_cast<int>(ReadPolicy(c["policy"].get<std::string>())));
}

}  // namespace tessera::testing
