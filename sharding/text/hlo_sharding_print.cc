#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::sharding {
namespace {

constexpr absl::string_view kSubgroupNames[] = {"maximal", "manual", "unreduced", "replicated"};
constexpr absl::string_view kReductionNames[] = {"", "max", "min"};
constexpr absl::string_view kKindNames[] = {"replicated", "", "manual", "unreduced", "unknown"};

std::string PrintRefs(const AxisList& axes, const Mesh& mesh) {
  return absl::StrJoin(
      axes, ", ", [&mesh](std::string* out, AxisRef ref) { *out += QuotedAxisText(ref, mesh); });
}

std::string PrintDim(const DimensionSharding& dim, const Mesh& mesh) {
  std::string out = absl::StrCat("{", PrintRefs(dim.axes, mesh));
  if (!dim.is_closed) absl::StrAppend(&out, dim.axes.empty() ? "?" : ", ?");
  return out + "}";
}

std::string PrintDeviceOrder(const NamedSharding& named) {
  if (named.has_iota_order) {
    const TileAssignment& order = named.iota_order;
    return absl::StrCat(", device_ids=([", absl::StrJoin(order.reshape_dims(), ","), "]T(",
                        absl::StrJoin(order.perm(), ","), "))");
  }
  if (named.mesh.device_ids().empty()) return "";
  return absl::StrCat(", device_ids=(", absl::StrJoin(named.mesh.device_ids(), ","), ")");
}

std::string PrintNamedMesh(const NamedSharding& named) {
  const auto axis = [](std::string* out, const MeshAxis& a) {
    absl::StrAppend(out, "'", a.name, "'=", a.size);
  };
  return absl::StrCat("mesh[", absl::StrJoin(named.mesh.axes(), ",", axis), "]",
                      PrintDeviceOrder(named));
}

std::string PrintLists(const NamedSharding& named, absl::string_view reduction) {
  std::string out;
  const auto append = [&](absl::string_view what, const AxisList& axes) {
    if (!axes.empty()) absl::StrAppend(&out, what, "{", PrintRefs(axes, named.mesh), "}");
  };
  append(", replicated=", named.replicated);
  append(absl::StrCat(", unreduced=", reduction), named.unreduced);
  append(", manual=", named.manual);
  return out;
}

// All axes unreduced. Axes of size 1 may be missing from the list: that is not told apart, except
// after an explicit reduction, where readers know the long form.
std::string PrintUnreduced(const NamedSharding& named, absl::string_view reduction) {
  if (reduction.empty()) return ", unreduced";
  std::string out = absl::StrCat(", unreduced=", reduction);
  if (static_cast<int>(named.unreduced.size()) < named.mesh.num_axes()) {
    absl::StrAppend(&out, "{", PrintRefs(named.unreduced, named.mesh), "}");
  }
  return out;
}

std::string PrintNamedBody(const NamedSharding& named, absl::string_view reduction) {
  if (named.dims.empty()) {
    if (named.IsReplicated() && named.replicated.empty()) return ", replicated";
    if (named.IsUnreduced()) return PrintUnreduced(named, reduction);
    if (named.IsManual()) return ", manual";
  }
  const auto dim = [&named](std::string* out, const DimensionSharding& d) {
    *out += PrintDim(d, named.mesh);
  };
  return absl::StrCat(", [", absl::StrJoin(named.dims, ", ", dim), "]",
                      PrintLists(named, reduction));
}

std::string PrintNamed(const NamedSharding& named, absl::string_view reduction,
                       bool single_device) {
  if (named.mesh.is_maximal()) {
    return absl::StrCat(single_device ? "single_device" : "maximal_mesh",
                        "[device_id=", named.mesh.maximal_device_id(), "]");
  }
  return PrintNamedMesh(named) + PrintNamedBody(named, reduction);
}

std::string PrintSubgroups(absl::Span<const SubgroupType> types) {
  if (types.empty()) return "";
  if (types.size() == 1 && types.front() == SubgroupType::kReplicated) {
    return " last_tile_dim_replicate";
  }
  const auto name = [](std::string* out, SubgroupType type) {
    absl::StrAppend(out, kSubgroupNames[static_cast<size_t>(type)]);
  };
  return absl::StrCat(" last_tile_dims={", absl::StrJoin(types, ", ", name), "}");
}

std::string PrintShardGroup(const ShardGroup& group) {
  if (group.kind == ShardGroup::Kind::kNone) return "";
  return absl::StrCat(group.kind == ShardGroup::Kind::kAs ? " shard_as " : " shard_like ",
                      group.id);
}

// Elements of a long tuple are often copies of few: what they share is spelled once.
class ElementTexts {
 public:
  explicit ElementTexts(const HloShardingForm& form) : form_(form) {}

  void Append(const HloSharding& element, std::string* out) {
    if (!element.IsNamed() || !element.metadata().empty()) {
      *out += element.ToString(form_);
      return;
    }
    std::string& text = texts_[{&element.named(), element.reduction()}];
    if (text.empty()) text = element.ToString(form_);
    *out += text;
  }

 private:
  const HloShardingForm& form_;
  absl::flat_hash_map<std::pair<const NamedSharding*, Reduction>, std::string> texts_;
};

std::string PrintTuple(const std::vector<HloSharding>& elements, const HloShardingForm& form) {
  ElementTexts texts(form);
  std::string out = "{";
  for (size_t i = 0; i < elements.size(); ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
    texts.Append(elements[i], &out);
  }
  return out + "}";
}

constexpr absl::string_view kReductionTag = "op_type=\"sdy::reduction_op\"";
constexpr absl::string_view kReductionOps[] = {"SUM", "MAX", "MIN"};

bool HasReductionEntry(const HloSharding& s) {
  return std::any_of(s.metadata().begin(), s.metadata().end(), [](const std::string& entry) {
    return absl::StrContains(entry, kReductionTag);
  });
}

bool HasUnreducedTiles(const HloSharding& s) {
  const absl::Span<const SubgroupType> types = s.subgroups();
  return s.kind() == HloSharding::Kind::kUnreduced ||
         std::find(types.begin(), types.end(), SubgroupType::kUnreduced) != types.end();
}

// V2 has no word for the reduction: it becomes an entry of the metadata.
bool AddsReductionEntry(const HloSharding& s, const HloShardingForm& form) {
  if (s.IsNamed()) return false;
  if (form.reductions) return HasUnreducedTiles(s) || s.reduction() != Reduction::kSum;
  return s.reduction() != Reduction::kSum && !HasReductionEntry(s);
}

std::vector<std::string> MetadataEntries(const HloSharding& s, const HloShardingForm& form) {
  std::vector<std::string> entries = s.metadata();
  if (AddsReductionEntry(s, form)) {
    entries.push_back(absl::StrCat("{", kReductionTag, " op_name=\"",
                                   kReductionOps[static_cast<size_t>(s.reduction())], "\"}"));
  }
  return entries;
}

std::string PrintMetadata(const HloSharding& s, const HloShardingForm& form) {
  const std::vector<std::string> entries = MetadataEntries(s, form);
  if (entries.empty()) return "";
  const std::string list = absl::StrCat("{", absl::StrJoin(entries, ", "), "}");
  if (s.IsNamed()) return absl::StrCat(", metadata=", list);
  return absl::StrCat(" metadata=", entries.size() == 1 ? entries.front() : list);
}

}  // namespace

std::string HloSharding::ToString(const HloShardingForm& form) const {
  if (IsTuple()) return PrintTuple(elements_, form);
  std::string body;
  if (IsNamed()) {
    body =
        PrintNamed(*named_, kReductionNames[static_cast<size_t>(reduction_)], form.single_device);
  } else if (IsTiled()) {
    body = absl::StrCat("devices=", tiles_.ToString(), PrintSubgroups(subgroups_));
  } else if (kind_ == Kind::kMaximal) {
    body = absl::StrCat("maximal device=", device_);
  } else {
    body = std::string(kKindNames[static_cast<size_t>(kind_)]);
  }
  if (!IsNamed()) body += PrintShardGroup(group_);
  if (form.metadata) body += PrintMetadata(*this, form);
  return absl::StrCat("{", body, "}");
}

}  // namespace tessera::sharding
