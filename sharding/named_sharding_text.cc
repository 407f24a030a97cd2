// V3 leaves:
//
//   leaf = "maximal_mesh" "[" "device_id=" int "]" [ "," "metadata=" .. ] "}"
//        | "mesh" "[" axes "]" [ "," "device_ids=" "(" devices ")" ] [","] body "}"
//   body = ( "replicated" | "manual" | "unreduced" [ "=" op ] [ refs ] ) [ "," "metadata=" .. ]
//        | "[" dims "]" { "," ( "replicated=" | "unreduced=" [ op ] | "manual=" ) refs }
//
// The references are checked against the mesh when all of them are known: malformed sub-axes first,
// then overlaps among all, neighbours that should be one, and the order of the lists. A malformed
// sub-axis can hold numbers that no AxisRef can, so it is refused as it is read.
//
// Tested by named_sharding_text_test.cc; fuzzed by sharding_text_fuzz.cc.

#include "tessera/sharding/named_sharding_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/metadata_text.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

class Reader {
 public:
  explicit Reader(HloLexer& in) : in_(in) {}

  absl::StatusOr<HloSharding> Read();

 private:
  absl::Status ReadMaximalMesh();
  absl::Status ReadMesh();
  absl::Status ReadDeviceOrder(std::vector<MeshAxis> axes, size_t offset);
  absl::Status ReadTransform(std::vector<MeshAxis> axes, size_t offset);
  absl::Status ReadBody();
  absl::Status ReadWordBody();
  absl::Status ReadDims();
  absl::StatusOr<DimensionSharding> ReadDim();
  absl::Status ReadReductionAndRefs(AxisList& refs, bool word_required);
  absl::Status ReadRefs(AxisList& refs);
  absl::StatusOr<AxisRef> ReadRef();
  absl::StatusOr<int> ReadAxis();
  absl::StatusOr<AxisRef> MakeSub(int axis, int64_t pre_size, int64_t size, size_t offset);
  bool ReadReduction();
  absl::Status SetMesh(std::vector<MeshAxis> axes, std::vector<int64_t> ids, size_t offset);
  AxisList AllAxes() const;

  absl::Status Check(size_t offset) const;
  absl::Status CheckOverlaps(size_t offset) const;
  absl::Status CheckList(const AxisList& refs, bool sorted, absl::string_view what,
                         size_t offset) const;

  HloLexer& in_;
  NamedSharding out_;
  Reduction reduction_ = Reduction::kSum;
  std::vector<std::string> metadata_;
};

absl::Status Reader::SetMesh(std::vector<MeshAxis> axes, std::vector<int64_t> ids, size_t offset) {
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes), std::move(ids));
  if (!mesh.ok()) return text::ErrorAt(offset, mesh.status().message());
  out_.mesh = *std::move(mesh);
  return absl::OkStatus();
}

absl::Status Reader::ReadMaximalMesh() {
  TESSERA_RETURN_IF_ERROR(in_.Expect('[', "behind 'maximal_mesh'"));
  const size_t offset = in_.offset();
  if (!in_.ConsumeAttribute("device_id")) return in_.Error("expected 'device_id='");
  TESSERA_ASSIGN_OR_RETURN(const int64_t device, in_.ExpectInt("a device"));
  TESSERA_RETURN_IF_ERROR(in_.Expect(']', "behind the device"));
  return SetMesh({}, {device}, offset);
}

// `([2,2]T(1,0))`: the order is a transposed iota.
absl::Status Reader::ReadTransform(std::vector<MeshAxis> axes, size_t offset) {
  Dims sizes, reshape_dims, perm;
  TESSERA_RETURN_IF_ERROR(in_.Expect('[', "before the axes of the devices"));
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t size, in_.ExpectInt("an axis size"));
    reshape_dims.push_back(size);
  } while (in_.Consume(','));
  TESSERA_RETURN_IF_ERROR(in_.Expect(']', "or ',' behind an axis size"));
  if (reshape_dims.size() == 1) {
    perm = {0};
  } else {
    if (!in_.ConsumeWord("T")) return in_.Error("expected 'T(' and the order of the axes");
    TESSERA_RETURN_IF_ERROR(in_.Expect('(', "behind 'T'"));
    do {
      TESSERA_ASSIGN_OR_RETURN(const int64_t axis, in_.ExpectInt("an axis"));
      perm.push_back(axis);
    } while (in_.Consume(','));
    TESSERA_RETURN_IF_ERROR(in_.Expect(')', "behind the order of the axes"));
  }
  for (const MeshAxis& axis : axes) sizes.push_back(axis.size);
  const absl::StatusOr<TileAssignment> order = TileAssignment::Iota(sizes, reshape_dims, perm);
  if (!order.ok()) return text::ErrorAt(offset, order.status().message());
  if (order->is_plain()) return SetMesh(std::move(axes), {}, offset);
  out_.has_iota_order = true;
  out_.iota_order = *order;
  return SetMesh(std::move(axes), order->Devices(), offset);
}

absl::Status Reader::ReadDeviceOrder(std::vector<MeshAxis> axes, size_t offset) {
  TESSERA_RETURN_IF_ERROR(in_.Expect('(', "before the device ids"));
  if (in_.Is('[')) {
    TESSERA_RETURN_IF_ERROR(ReadTransform(std::move(axes), offset));
    return in_.Expect(')', "behind the device ids");
  }
  std::vector<int64_t> ids;
  if (!in_.Is(')')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(const int64_t id, in_.ExpectInt("a device id"));
      ids.push_back(id);
    } while (in_.Consume(','));
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(')', "or ',' behind a device id"));
  if (ids.empty()) return text::ErrorAt(offset, "the list of device ids is empty");
  if (axes.empty()) return text::ErrorAt(offset, "a mesh without axes has no device ids");
  TESSERA_RETURN_IF_ERROR(SetMesh(std::move(axes), std::move(ids), offset));
  if (!out_.mesh.device_ids().empty()) return absl::OkStatus();
  return text::ErrorAt(offset, "the device ids are 0, 1, 2, ..: leave them out");
}

absl::Status Reader::ReadMesh() {
  const size_t offset = in_.offset();
  TESSERA_RETURN_IF_ERROR(in_.Expect('[', "behind 'mesh'"));
  std::vector<MeshAxis> axes;
  if (!in_.Is(']')) {
    do {
      TESSERA_ASSIGN_OR_RETURN(std::string name, in_.ExpectString("the name of an axis"));
      TESSERA_RETURN_IF_ERROR(in_.Expect('=', "and the size of the axis"));
      TESSERA_ASSIGN_OR_RETURN(const int64_t size, in_.ExpectInt("the size of the axis"));
      axes.push_back({std::move(name), size});
    } while (in_.Consume(','));
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(']', "or ',' behind an axis of the mesh"));
  HloLexer ahead = in_.Ahead();
  if (in_.Is(',') && ahead.ConsumeAttribute("device_ids")) {
    in_ = ahead;
    TESSERA_RETURN_IF_ERROR(ReadDeviceOrder(std::move(axes), offset));
  } else {
    TESSERA_RETURN_IF_ERROR(SetMesh(std::move(axes), {}, offset));
  }
  in_.Consume(',');
  return absl::OkStatus();
}

AxisList Reader::AllAxes() const {
  AxisList all;
  for (int axis = 0; axis < out_.mesh.num_axes(); ++axis) all.push_back(AxisRef::Full(axis));
  return all;
}

// The axis of that name, or else, for a number, the axis of that index.
absl::StatusOr<int> Reader::ReadAxis() {
  const size_t offset = in_.offset();
  TESSERA_ASSIGN_OR_RETURN(const std::string name, in_.ExpectString("the name of an axis"));
  if (const std::optional<int> axis = out_.mesh.FindAxis(name)) return *axis;
  int index = -1;
  if (absl::SimpleAtoi(name, &index) && index >= 0 && index < out_.mesh.num_axes()) return index;
  return text::ErrorAt(offset, absl::StrCat("the mesh has no axis '", name, "'"));
}

absl::StatusOr<AxisRef> Reader::MakeSub(int axis, int64_t pre_size, int64_t size, size_t offset) {
  const int64_t full = out_.mesh.axis_size(axis);
  const auto wrong = [&](absl::string_view why) {
    return text::ErrorAt(offset, absl::StrCat("sub-axis '", out_.mesh.axis(axis).name, "':(",
                                              pre_size, ")", size, ": ", why));
  };
  if (pre_size < 1) return wrong("the pre-size must be at least 1");
  if (size < 2) return wrong("the size must be at least 2");
  if (size == full) return wrong("this is the whole axis: write its name only");
  if (pre_size > full / size || full % (pre_size * size) != 0) {
    return wrong(absl::StrCat("pre-size times size does not divide the size of the axis, ", full));
  }
  return AxisRef::Sub(axis, pre_size, size);
}

absl::StatusOr<AxisRef> Reader::ReadRef() {
  const size_t offset = in_.offset();
  TESSERA_ASSIGN_OR_RETURN(const int axis, ReadAxis());
  if (!in_.Consume(':')) return AxisRef::Full(axis);
  TESSERA_RETURN_IF_ERROR(in_.Expect('(', "and the pre-size of a sub-axis"));
  TESSERA_ASSIGN_OR_RETURN(const int64_t pre_size, in_.ExpectInt("the pre-size of a sub-axis"));
  TESSERA_RETURN_IF_ERROR(in_.Expect(')', "behind the pre-size"));
  TESSERA_ASSIGN_OR_RETURN(const int64_t size, in_.ExpectInt("the size of a sub-axis"));
  return MakeSub(axis, pre_size, size, offset);
}

absl::Status Reader::ReadRefs(AxisList& refs) {
  TESSERA_RETURN_IF_ERROR(in_.Expect('{', "before the list of axes"));
  if (in_.Consume('}')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(const AxisRef ref, ReadRef());
    refs.push_back(ref);
  } while (in_.Consume(','));
  return in_.Expect('}', "or ',' behind an axis");
}

bool Reader::ReadReduction() {
  if (in_.ConsumeWord("max")) {
    reduction_ = Reduction::kMax;
  } else if (in_.ConsumeWord("min")) {
    reduction_ = Reduction::kMin;
  } else {
    return in_.ConsumeWord("sum");
  }
  return true;
}

absl::StatusOr<DimensionSharding> Reader::ReadDim() {
  DimensionSharding dim;
  TESSERA_RETURN_IF_ERROR(in_.Expect('{', "before the axes of a dimension"));
  bool more = !in_.Is('}');
  while (more) {
    if (in_.Consume('?')) {
      dim.is_closed = false;
      break;
    }
    TESSERA_ASSIGN_OR_RETURN(const AxisRef ref, ReadRef());
    dim.axes.push_back(ref);
    more = in_.Consume(',');
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(
      '}', dim.is_closed ? "or ',' behind an axis" : "behind '?', which must be the last"));
  return dim;
}

absl::Status Reader::ReadDims() {
  TESSERA_RETURN_IF_ERROR(
      in_.Expect('[', "before the dimensions, or replicated, manual, unreduced"));
  if (in_.Consume(']')) return absl::OkStatus();
  do {
    TESSERA_ASSIGN_OR_RETURN(DimensionSharding dim, ReadDim());
    out_.dims.push_back(std::move(dim));
  } while (in_.Consume(','));
  return in_.Expect(']', "or ',' behind a dimension");
}

// The short forms: `replicated`, `manual`, `unreduced`, `unreduced=max`, `unreduced{'a'}`.
absl::Status Reader::ReadWordBody() {
  if (in_.ConsumeWord("replicated")) return absl::OkStatus();
  if (in_.ConsumeWord("manual")) {
    out_.manual = AllAxes();
    return absl::OkStatus();
  }
  const bool with_reduction = in_.token() == HloToken::kAttribute;
  in_.Next();
  if (with_reduction && !ReadReduction()) return in_.Error("expected sum, max or min");
  if (in_.Is('{')) return ReadRefs(out_.unreduced);
  out_.unreduced = AllAxes();
  return absl::OkStatus();
}

absl::Status Reader::ReadBody() {
  const bool short_form = in_.IsWord("replicated") || in_.IsWord("manual") ||
                          in_.IsWord("unreduced") ||
                          (in_.token() == HloToken::kAttribute && in_.token_text() == "unreduced");
  TESSERA_RETURN_IF_ERROR(short_form ? ReadWordBody() : ReadDims());
  while (!in_.Is('}')) {
    TESSERA_RETURN_IF_ERROR(in_.Expect(',', "before the next attribute"));
    if (in_.ConsumeAttribute("metadata")) {
      TESSERA_RETURN_IF_ERROR(ParseMetadata(in_, metadata_));
    } else if (!short_form && in_.ConsumeAttribute("replicated")) {
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.replicated));
    } else if (!short_form && in_.ConsumeAttribute("manual")) {
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.manual));
    } else if (!short_form && in_.ConsumeAttribute("unreduced")) {
      ReadReduction();
      TESSERA_RETURN_IF_ERROR(ReadRefs(out_.unreduced));
    } else {
      return in_.Error("expected replicated=, unreduced=, manual= or metadata=");
    }
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckOverlaps(size_t offset) const {
  AxisList all;
  for (const DimensionSharding& dim : out_.dims) {
    all.insert(all.end(), dim.axes.begin(), dim.axes.end());
  }
  for (const AxisList* list : {&out_.replicated, &out_.unreduced, &out_.manual}) {
    all.insert(all.end(), list->begin(), list->end());
  }
  std::sort(all.begin(), all.end());
  for (size_t i = 1; i < all.size(); ++i) {
    if (!Overlaps(all[i - 1], all[i]) && CanCoexist(all[i - 1], all[i])) continue;
    return text::ErrorAt(offset, absl::StrCat("the axes ", AxisRefToString(all[i - 1], out_.mesh),
                                              " and ", AxisRefToString(all[i], out_.mesh),
                                              " overlap or cannot be parts of one axis"));
  }
  return absl::OkStatus();
}

absl::Status Reader::CheckList(const AxisList& refs, bool sorted, absl::string_view what,
                               size_t offset) const {
  if (sorted && !std::is_sorted(refs.begin(), refs.end())) {
    return text::ErrorAt(offset, absl::StrCat(what, " axes must stand in the order of the mesh"));
  }
  for (size_t i = 1; i < refs.size(); ++i) {
    if (!CanMerge(refs[i - 1], refs[i])) continue;
    return text::ErrorAt(offset, absl::StrCat("neighbouring ", what, " axes should be one: ",
                                              AxisRefToString(refs[i - 1], out_.mesh), ", ",
                                              AxisRefToString(refs[i], out_.mesh)));
  }
  return absl::OkStatus();
}

absl::Status Reader::Check(size_t offset) const {
  TESSERA_RETURN_IF_ERROR(CheckOverlaps(offset));
  for (const DimensionSharding& dim : out_.dims) {
    TESSERA_RETURN_IF_ERROR(CheckList(dim.axes, false, "dimension", offset));
  }
  TESSERA_RETURN_IF_ERROR(CheckList(out_.replicated, true, "replicated", offset));
  TESSERA_RETURN_IF_ERROR(CheckList(out_.unreduced, true, "unreduced", offset));
  return CheckList(out_.manual, true, "manual", offset);
}

absl::StatusOr<HloSharding> Reader::Read() {
  const size_t offset = in_.offset();
  if (in_.ConsumeWord("maximal_mesh")) {
    TESSERA_RETURN_IF_ERROR(ReadMaximalMesh());
    if (in_.Consume(',')) {
      if (!in_.ConsumeAttribute("metadata")) return in_.Error("expected 'metadata='");
      TESSERA_RETURN_IF_ERROR(ParseMetadata(in_, metadata_));
    }
  } else {
    in_.Next();
    TESSERA_RETURN_IF_ERROR(ReadMesh());
    TESSERA_RETURN_IF_ERROR(ReadBody());
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect('}', "at the end of the sharding"));
  TESSERA_RETURN_IF_ERROR(Check(offset));
  HloSharding out = HloSharding::Named(std::move(out_));
  out.set_reduction(reduction_);
  out.set_metadata(std::move(metadata_));
  return out;
}

}  // namespace

absl::StatusOr<HloSharding> ParseNamedSharding(HloLexer& in) { return Reader(in).Read(); }

}  // namespace tessera::sharding
