// Family projection_affine: images, overlaps, inverse images, compositions, halos, reversals,
// policies and errors.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "tessera/projection/core/error.h"
#include "tessera/projection/map/inverse/inverse.h"
#include "tessera/projection/map/projection.h"
#include "tessera/projection/map/reads.h"
#include "tessera/projection/set/split.h"
#include "tessera/testing/families/projection/projection_checks.h"
#include "tessera/testing/families/projection/projection_json.h"
#include "tessera/testing/projection/compose.h"
#include "tessera/testing/projection/inverse_box.h"
#include "tessera/testing/projection/overlap.h"
#include "tessera/testing/projection/rewrites.h"
#include "tessera/testing/projection/uneven_split.h"
#include "tessera/testing/projection/write_check.h"

namespace tessera::testing {
namespace {

using namespace projection;  // NOLINT: this file speaks of nothing else
using nlohmann::json;

ZProjection ReadPlain(const json& c) {
  ZPoint offset = ReadPoint(c.at("offset")), shape = ReadPoint(c.at("shape"));
  int cols = c.contains("range") ? static_cast<int>(c["range"]["start"].size()) : 0;
  return ZProjection::Plain(ReadMatrix(c.at("matrix"), cols), offset, shape).value();
}

OutOfBoundsPolicy ReadPolicy(const std::string& name) {
  using Policy = OutOfBoundsPolicy;
  for (Policy policy : {Policy::kForbid, Policy::kTorus, Policy::kNegative, Policy::kPad,
                        Policy::kDrop, Policy::kClamp}) {
    if (PolicyName(policy) == name) return policy;
  }
  throw std::invalid_argument(name);
}

Outcome CheckOverlaps(const ZProjection& p, const json& expected) {
  for (const json& e : expected) {
    const Overlap o = StepOverlap(p, e["axis"]).value();
    const json got = {{"axis", e["axis"]},
                      {"shape", Write(o.shape)},
                      {"cells", o.cells},
                      {"class", SharingName(o.sharing)},
                      {"gap", o.gap}};
    if (got != e) return Expect("step_overlap", got.dump(), e.dump());
  }
  return Passed();
}

Outcome CheckAffine(const json& c) {
  const ZProjection p = ReadPlain(c);
  const ZRange block = ReadRange(c["range"]);
  const ZRange image = p.UnclippedBounding(block).value();
  const ZSet cells = p.Image(block, 1 << 20).value();
  json stride = json::array();
  for (int axis = 0; axis < p.index_rank(); ++axis)
    stride.push_back(Write(p.matrix().column(axis)));
  Outcome first = First(
      {Expect("image", Write(image), c["image"]), Expect("count", cells.size().value(), c["count"]),
       Expect("stride", stride, c["stride"]), CheckOverlaps(p, c["step_overlap"])});
  if (first.verdict != Verdict::kPassed || block.empty()) return first;
  json axes;
  if (cells.product() != nullptr) {
    axes = json::array();
    for (const AxisSet& axis : *cells.product()) axes.push_back(Write(axis));
  }
  return First({Expect("dense", IsBox(cells), c["dense"]), Expect("axes", axes, c["axes"]),
                Expect("bounding", Write(p.Bounding(block).value()), c["image"]),
                Expect("num_boxes", cells.num_slabs().value(), c["num_boxes"])});
}

Outcome CheckInverse(const json& c) {
  const ZProjection p = ReadPlain(c);
  const ZRange block = ReadRange(c["range"]), target = ReadRange(c["target"]);
  for (InverseKind kind : {InverseKind::kTouch, InverseKind::kInside}) {
    const std::string name = kind == InverseKind::kTouch ? "touch" : "inside";
    const ZSet set = InverseImage(p, target, block, kind, 1 << 20).value();
    const std::optional<ZRange> box = InverseBox(p, target, block, kind).value();
    const Outcome o = First({Expect("count", set.size().value(), c[name + "_count"]),
                             Expect("bounding", Write(set.bounding()), c[name + "_bounding"])});
    if (o.verdict != Verdict::kPassed) return o;
    if (!set.empty() && (!box.has_value() || !box->Contains(*set.bounding())))
      return Failed("the box is too small");
  }
  return Passed();
}

Outcome CheckCompose(const json& c) {
  const ZProjection first = ReadPlain(c["first"]), second = ReadPlain(c["second"]);
  const ZProjection both = Compose(first, second).value();
  return First(
      {Expect("composed", both.ToString(), ReadPlain(c["composed"]).ToString()),
       Expect("exact", CompositionIsExact(first, second), c["exact_at_every_point"].get<bool>())});
}

Outcome CheckBlockHalo(const json& c) {
  const ZProjection p =
      ZProjection::Plain(ZMatrix::Diagonal({c["coefficient"]}), {c["offset"]}, {c["width"]})
          .value();
  const std::vector<ZRange> blocks =
      SplitByChunk(ZRange::FromShape({c["index"]}), 0, c["block"]).value();
  json images = json::array(), shared = json::array();
  std::vector<ZSet> sets;
  for (const ZRange& block : blocks) {
    images.push_back(Write(p.UnclippedBounding(block).value()));
    sets.push_back(ZSet::OfBox(*p.UnclippedBounding(block)));
  }
  for (size_t i = 0; i + 1 < sets.size(); ++i)
    shared.push_back(sets[i].Intersect(sets[i + 1])->size().value());
  return First({Expect("images", images, c["images"]),
                Expect("overlap", shared, c["overlap_of_neighbours"]),
                Expect("formula", BlockHalo(p, 0, 0, {c["block"]}).value(), c["formula"])});
}

ZProjection ReadOneDimensional(const json& c) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Diagonal({c["coefficient"]});
  spec.shape = {c["width"]};
  for (const auto& [name, value] : c["offsets"].items()) {
    for (int i = 0; i < kNumOffsetRoles; ++i) {
      const OffsetRole role = static_cast<OffsetRole>(i);
      if (OffsetRoleName(role) == name) spec.offsets.Set(role, {value.get<int64_t>()});
    }
  }
  return ZProjection::Create(spec).value();
}

Outcome CheckTurned(const ZProjection& got, const json& expected) {
  for (const auto& [name, value] : expected["offsets"].items()) {
    for (int i = 0; i < kNumOffsetRoles; ++i) {
      const OffsetRole role = static_cast<OffsetRole>(i);
      if (OffsetRoleName(role) != name) continue;
      const ZPoint& part = got.spec().offsets.Get(role);
      const int64_t have = part.rank() == 0 ? 0 : part[0];
      if (have != value) return Expect(name.c_str(), have, value);
    }
  }
  return First({Expect("coefficient", got.matrix()(0, 0), expected["coefficient"]),
                Expect("width", got.shape()[0], expected["width"])});
}

Outcome CheckReverse(const json& c) {
  return CheckTurned(ReverseIndexAxis(ReadOneDimensional(c), 0, c["extent"]).value(), c["result"]);
}

Outcome CheckFlip(const json& c) {
  return CheckTurned(FlipTensorDim(ReadOneDimensional(c), 0, c["extent"]).value(), c["result"]);
}

Outcome CheckPolicy(const json& c) {
  ProjectionSpec spec;
  spec.matrix = ZMatrix::Diagonal({c["coefficient"]});
  spec.offsets.Set(OffsetRole::kBounds, {c["offset"]});
  spec.shape = {c["width"]};
  spec.policy = ReadPolicy(c["policy"]);
  spec.extent = ZPoint{c["extent"].get<int64_t>()};
  const ZProjection p = ZProjection::Create(spec).value();
  const ZRange block = ZRange::Create({c["range"][0]}, {c["range"][1]}).value();
  const absl::StatusOr<ZSet> cells = p.Image(block);
  if (c.contains("error")) return ExpectError(cells.status(), c["error"]);
  const ReadCount reads = CountReads(p, block).value();
  return First({Expect("axis", Write((*cells->product())[0]), c["axis"]),
                Expect("reads", reads.reads, c["reads"]),
                Expect("pad_reads", reads.pad_reads, c["pad_reads"])});
}

// --- errors: one small function for each operation
// -------------------------------------------------

absl::Status MakeProjection(const json& c) {
  ProjectionSpec spec;
  spec.matrix = ReadMatrix(c["matrix"], 0);
  spec.offsets.Set(OffsetRole::kBounds, ReadPoint(c["offset"]));
  spec.shape = ReadPoint(c["shape"]);
  if (c.contains("step")) spec.step = ReadPoint(c["step"]);
  if (c.contains("policy")) spec.policy = ReadPolicy(c["policy"]);
  if (c.contains("extent")) spec.extent = ReadPoint(c["extent"]);
  absl::StatusOr<ZProjection> p = ZProjection::Create(spec);
  if (!p.ok() || !c.contains("range")) return p.status();
  return p->Image(ReadRange(c["range"])).status();
}

absl::Status MakeMap(const json& c) {
  return ZAffineMap::Create(ReadMatrix(c["matrix"], 0), ReadPoint(c["offset"])).status();
}

absl::Status MakeOutput(const json& c) {
  ZProjection p =
      ZProjection::Plain(ReadMatrix(c["matrix"], 0), ReadPoint(c["offset"]), ReadPoint(c["shape"]))
          .value();
  return CheckInjective(p, ReadRange(c["index"]));
}

absl::Status ApplyMap(const json& c) {
  return ZAffineMap::Create(ReadMatrix(c["matrix"], 0), ReadPoint(c["offset"]))
      .value()
      .Apply(ReadPoint(c["point"]))
      .status();
}

absl::Status MakeRange(const json& c) {
  return ZRange::Create(ReadPoint(c["start"]), ReadPoint(c["end"])).status();
}

absl::Status SizeOf(const json& c) { return ReadRange(c["range"]).size().status(); }

absl::Status PermuteRange(const json& c) {
  return ReadRange(c["range"]).Permute(c["perm"].get<std::vector<int>>()).status();
}

absl::Status BoundingOf(const json& c) {
  return ZRange::Bounding(ReadRanges(c["ranges"])).status();
}

absl::Status Split(const json& c) {
  return SplitByChunk(ReadRange(c["range"]), c["dim"], c["chunk"]).status();
}

absl::Status SplitList(const json& c) {
  return SplitBySizes(ReadRange(c["range"]), c["dim"], c["chunks"].get<std::vector<int64_t>>())
      .status();
}

absl::Status ParseRange(const json& c) {
  return ZRange::Parse(c["text"].get<std::string>()).status();
}

struct ErrorRow {
  const char* op;
  absl::Status (*run)(const json&);
};
constexpr ErrorRow kErrorRows[] = {
    {"make_map", MakeMap}, {"make_projection", MakeProjection}, {"make_output", MakeOutput},
    {"apply", ApplyMap},   {"project", MakeProjection},         {"make_range", MakeRange},
    {"size", SizeOf},      {"permute", PermuteRange},           {"bounding", BoundingOf},
    {"split", Split},      {"split_list", SplitList},           {"parse_range", ParseRange},
};

Outcome CheckErrorCase(const json& c) {
  for (const ErrorRow& row : kErrorRows) {
    if (c["op"] == row.op) return ExpectError(row.run(c), c["error"]);
  }
  return Failed("no such operation");
}

constexpr KindRow kKinds[] = {
    {"affine", CheckAffine},
    {"inverse", CheckInverse},
    {"compose", CheckCompose},
    {"block_halo", CheckBlockHalo},
    {"reverse_index_axis", CheckReverse},
    {"flip_tensor_axis", CheckFlip},
    {"policy", CheckPolicy},
    {"error", CheckErrorCase},
};

}  // namespace

Outcome CheckProjectionAffine(const json& c) { return CheckByKind(kKinds, c); }

}  // namespace tessera::testing
