#include "tessera/projection/signature/projection_json.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/signature/json_value.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

constexpr OffsetRole kRoles[] = {OffsetRole::kBounds, OffsetRole::kRelative, OffsetRole::kPad,
                                 OffsetRole::kView};

bool AllOnes(const ZPoint& p) {
  for (int64_t v : p) {
    if (v != 1) return false;
  }
  return true;
}

// Only in role bounds, which is where a reader puts an offset without names.
bool NamesMatter(const Offsets& offsets) {
  for (OffsetRole role : kRoles) {
    if (role != OffsetRole::kBounds && offsets.Get(role).rank() > 0) return true;
  }
  return !offsets.user().empty();
}

void WriteOffsets(const Offsets& offsets, text::JsonWriter* json) {
  json->Key("offsets").BeginObject();
  for (OffsetRole role : kRoles) {
    if (offsets.Get(role).rank() > 0) json->Key(OffsetRoleName(role)).Ints(offsets.Get(role));
  }
  for (const auto& [name, part] : offsets.user()) json->Key(absl::StrCat("user:", name)).Ints(part);
  json->EndObject();
}

void WriteGroups(const std::vector<GroupTerm>& groups, text::JsonWriter* json) {
  json->Key("groups").BeginArray();
  for (const GroupTerm& g : groups) {
    json->BeginObject();
    json->Key("row").Int(g.row);
    json->Key("axis").Int(g.axis);
    json->Key("div").Int(g.div);
    json->Key("mul").Int(g.mul);
    json->EndObject();
  }
  json->EndArray();
}

absl::Status Unknown(absl::string_view what, absl::string_view name) {
  return MakeError(ErrorCode::kParse, absl::StrCat("no ", what, " '", name, "'"));
}

absl::StatusOr<ZMatrix> MatrixOf(const JsonValue& map) {
  const JsonValue* transposed = map.Find("projection_t");
  const JsonValue* list = transposed != nullptr ? transposed : map.Find("projection");
  std::vector<ZPoint> rows;
  if (list == nullptr) return MakeError(ErrorCode::kParse, "an affineMap without projection");
  for (const JsonValue& row : list->list) {
    TESSERA_ASSIGN_OR_RETURN(ZPoint ints, row.Ints());
    rows.push_back(std::move(ints));
  }
  TESSERA_ASSIGN_OR_RETURN(const ZMatrix matrix,
                           ZMatrix::Create(rows, rows.empty() ? 0 : rows[0].rank()));
  return transposed != nullptr ? matrix.Transpose() : matrix;
}

absl::Status ReadOffsets(const JsonValue& parts, Offsets* offsets) {
  for (const auto& [name, list] : parts.members) {
    TESSERA_ASSIGN_OR_RETURN(const ZPoint part, list.Ints());
    absl::string_view user = name;
    bool known = absl::ConsumePrefix(&user, "user:");
    if (known) offsets->AddUser(std::string(user), part);
    for (OffsetRole role : kRoles) {
      if (OffsetRoleName(role) != name) continue;
      offsets->Set(role, part);
      known = true;
    }
    if (!known) return Unknown("role", name);
  }
  return absl::OkStatus();
}

absl::Status ReadAffineMap(const JsonValue& map, ProjectionSpec* spec) {
  TESSERA_ASSIGN_OR_RETURN(spec->matrix, MatrixOf(map));
  const JsonValue* offset = map.Find("offset");
  if (offset == nullptr) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(ZPoint whole, offset->Ints());
  spec->offsets.Set(OffsetRole::kBounds, std::move(whole));
  return absl::OkStatus();
}

absl::Status ReadGroups(const JsonValue& list, ProjectionSpec* spec) {
  for (const JsonValue& group : list.list) {
    const auto get = [&](absl::string_view key) {
      const JsonValue* value = group.Find(key);
      return value == nullptr ? 0 : value->number;
    };
    spec->groups.push_back(
        {static_cast<int>(get("row")), static_cast<int>(get("axis")), get("div"), get("mul")});
  }
  return absl::OkStatus();
}

absl::Status ReadMember(const std::string& key, const JsonValue& value, ProjectionSpec* spec) {
  if (key == "affineMap") return ReadAffineMap(value, spec);
  if (key == "groups") return ReadGroups(value, spec);
  if (key == "offsets") {
    spec->offsets = Offsets();
    return ReadOffsets(value, &spec->offsets);
  }
  if (key == "policy") {
    TESSERA_ASSIGN_OR_RETURN(spec->policy, ParsePolicy(value.string));
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(ZPoint ints, value.Ints());
  if (key == "shape") return spec->shape = std::move(ints), absl::OkStatus();
  if (key == "step") return spec->step = std::move(ints), absl::OkStatus();
  if (key == "dilate") return spec->dilate = std::move(ints), absl::OkStatus();
  if (key == "extent") return spec->extent = std::move(ints), absl::OkStatus();
  return Unknown("key", key);
}

}  // namespace

std::string ToJson(const ZProjection& p) {
  text::JsonWriter json;
  json.BeginObject();
  json.Key("affineMap").BeginObject();
  json.Key("projection").BeginArray();
  for (int r = 0; r < p.tensor_rank(); ++r) json.Ints(p.matrix().row(r));
  json.EndArray();
  json.Key("offset").Ints(p.offset());
  json.EndObject();
  json.Key("shape").Ints(p.shape());
  if (!AllOnes(p.step())) json.Key("step").Ints(p.step());
  if (!AllOnes(p.dilate())) json.Key("dilate").Ints(p.dilate());
  if (!p.spec().groups.empty()) WriteGroups(p.spec().groups, &json);
  if (NamesMatter(p.spec().offsets)) WriteOffsets(p.spec().offsets, &json);
  if (p.spec().policy != OutOfBoundsPolicy::kForbid)
    json.Key("policy").String(PolicyName(p.spec().policy));
  if (p.spec().extent.has_value()) json.Key("extent").Ints(*p.spec().extent);
  json.EndObject();
  return json.text();
}

absl::StatusOr<ZProjection> ProjectionFromJson(absl::string_view json) {
  TESSERA_ASSIGN_OR_RETURN(const JsonValue in, ParseJson(json));
  ProjectionSpec spec;
  if (in.Find("affineMap") == nullptr)
    return MakeError(ErrorCode::kParse, "a projection without affineMap");
  for (const auto& [key, value] : in.members)
    TESSERA_RETURN_IF_ERROR(ReadMember(key, value, &spec));
  return ZProjection::Create(std::move(spec));
}

}  // namespace tessera::projection
