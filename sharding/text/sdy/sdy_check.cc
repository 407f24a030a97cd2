// The checks in the order that decides which fault is reported.
//
// The work is done on names. Sub-axis sizes are whatever the text says until the last step has
// bounded them by the size of the axis; products are therefore taken with care.
//
// Tested by sdy_resolve_test.cc.

#include "tessera/sharding/text/sdy/sdy_check.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/text/checked.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// pre-size times size; none when that does not fit.
std::optional<int64_t> NextPreSize(const AxisText& sub) {
  int64_t next = 0;
  if (!MultiplyFits(sub.pre_size, sub.size, &next)) return std::nullopt;
  return next;
}

bool CanMergeText(const AxisText& a, const AxisText& b) {
  return a.name == b.name && a.is_sub && b.is_sub && NextPreSize(a) == b.pre_size;
}

std::string KnownAxes(const Mesh& mesh) {
  if (mesh.num_axes() == 0) return "no axes";
  return absl::StrJoin(mesh.axes(), ", ", [](std::string* out, const MeshAxis& axis) {
    absl::StrAppend(out, QuoteName(axis.name));
  });
}

class ShardingChecker {
 public:
  ShardingChecker(const ShardingText& text, const Mesh& mesh) : text_(text), mesh_(mesh) {}

  absl::Status CheckType(const ValueType& type) const;
  absl::Status CheckAxes();
  bool has_lists() const { return !text_.replicated.empty() || !text_.unreduced.empty(); }

 private:
  absl::Status CheckRank(const ValueType& type) const;
  absl::Status CheckPriorities(const DimensionText& dim, size_t index) const;
  absl::Status CheckList(const std::vector<AxisText>& axes);
  absl::Status CheckSorted(const std::vector<AxisText>& axes, absl::string_view what) const;
  absl::Status CheckParts(int axis) const;
  absl::Status CheckPart(const AxisText& part, int64_t full_size) const;

  const ShardingText& text_;
  const Mesh& mesh_;
  std::vector<const AxisText*> seen_;
};

absl::Status ShardingChecker::CheckRank(const ValueType& type) const {
  if (text_.dims.size() == type.dimensions.size()) return absl::OkStatus();
  return text::ErrorAt(text_.offset,
                       absl::StrCat("the sharding has ", text_.dims.size(),
                                    " dimensions, the value has ", type.dimensions.size()));
}

absl::Status ShardingChecker::CheckType(const ValueType& type) const {
  const bool array = type.kind == ValueType::Kind::kArray;
  if (type.kind == ValueType::Kind::kTuple && type.tuple_size != 1) {
    return text::ErrorAt(text_.offset, "one sharding cannot stand for a tuple of several values");
  }
  if (array) return CheckRank(type);
  if (type.kind == ValueType::Kind::kToken && (!text_.dims.empty() || has_lists())) {
    return text::ErrorAt(text_.offset, "the sharding of a token must be empty: <@mesh, []>");
  }
  return absl::OkStatus();
}

absl::Status ShardingChecker::CheckPriorities(const DimensionText& dim, size_t index) const {
  if (dim.priority < 0 && dim.priority != kNoPriority) {
    return text::ErrorAt(dim.offset, absl::StrCat("dimension ", index, " has a negative priority"));
  }
  if (dim.priority != kNoPriority && dim.axes.empty() && dim.is_closed) {
    return text::ErrorAt(
        dim.offset, absl::StrCat("dimension ", index, " has a priority, but no axes and no '?'"));
  }
  return absl::OkStatus();
}

absl::Status ShardingChecker::CheckList(const std::vector<AxisText>& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    const AxisText& axis = axes[i];
    if (!mesh_.FindAxis(axis.name)) {
      return text::ErrorAt(axis.offset, absl::StrCat("the mesh has no axis ", QuoteName(axis.name),
                                                     "; it has ", KnownAxes(mesh_)));
    }
    for (const AxisText* other : seen_) {
      if (*other == axis) {
        return text::ErrorAt(axis.offset, absl::StrCat("axis ", ToString(axis), " is used twice"));
      }
    }
    seen_.push_back(&axis);
    if (i > 0 && CanMergeText(axes[i - 1], axis)) {
      return text::ErrorAt(axis.offset,
                           absl::StrCat(ToString(axes[i - 1]), " and ", ToString(axis),
                                        " are consecutive: write them as one sub-axis"));
    }
  }
  return absl::OkStatus();
}

absl::Status ShardingChecker::CheckSorted(const std::vector<AxisText>& axes,
                                          absl::string_view what) const {
  const auto key = [this](const AxisText& axis) {
    const int64_t whole = axis.is_sub ? 0 : 1;
    return std::make_tuple(mesh_.FindAxis(axis.name).value_or(0), axis.pre_size, whole, axis.size);
  };
  for (size_t i = 1; i < axes.size(); ++i) {
    if (key(axes[i]) < key(axes[i - 1])) {
      return text::ErrorAt(axes[i].offset,
                           absl::StrCat(what, " axes must stand in the order of the mesh: ",
                                        ToString(axes[i]), " before ", ToString(axes[i - 1])));
    }
  }
  return absl::OkStatus();
}

absl::Status ShardingChecker::CheckPart(const AxisText& part, int64_t full_size) const {
  const auto wrong = [&part](const std::string& why) {
    return text::ErrorAt(part.offset, absl::StrCat("sub-axis ", ToString(part), ": ", why));
  };
  if (part.pre_size < 1) return wrong("the pre-size must be at least 1");
  if (part.size <= 1) return wrong("the size must be at least 2");
  const std::optional<int64_t> next = NextPreSize(part);
  if (!next || full_size % *next != 0) {
    return wrong(
        absl::StrCat("pre-size times size does not divide the size of the axis, ", full_size));
  }
  if (part.size == full_size) return wrong("this is the whole axis: write its name only");
  return absl::OkStatus();
}

// All references to one axis together: not both whole and in parts, parts apart from each other.
absl::Status ShardingChecker::CheckParts(int axis) const {
  const MeshAxis& full = mesh_.axis(axis);
  std::vector<const AxisText*> parts;
  const AxisText* whole = nullptr;
  for (const AxisText* ref : seen_) {
    if (ref->name != full.name) continue;
    if (ref->is_sub) {
      parts.push_back(ref);
    } else {
      whole = ref;
    }
  }
  if (whole != nullptr && !parts.empty()) {
    return text::ErrorAt(
        std::max(whole->offset, parts.back()->offset),
        absl::StrCat("axis ", QuoteName(full.name), " is used both as a whole and in parts"));
  }
  std::sort(parts.begin(), parts.end(), [](const AxisText* a, const AxisText* b) {
    return std::tie(a->pre_size, a->size) < std::tie(b->pre_size, b->size);
  });
  for (size_t i = 0; i < parts.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(CheckPart(*parts[i], full.size));
    if (i > 0 && *NextPreSize(*parts[i - 1]) > parts[i]->pre_size) {
      return text::ErrorAt(parts[i]->offset, absl::StrCat(ToString(*parts[i - 1]), " and ",
                                                          ToString(*parts[i]), " overlap"));
    }
  }
  return absl::OkStatus();
}

absl::Status ShardingChecker::CheckAxes() {
  for (size_t d = 0; d < text_.dims.size(); ++d) {
    TESSERA_RETURN_IF_ERROR(CheckPriorities(text_.dims[d], d));
    TESSERA_RETURN_IF_ERROR(CheckList(text_.dims[d].axes));
  }
  TESSERA_RETURN_IF_ERROR(CheckSorted(text_.replicated, "replicated"));
  TESSERA_RETURN_IF_ERROR(CheckList(text_.replicated));
  TESSERA_RETURN_IF_ERROR(CheckSorted(text_.unreduced, "unreduced"));
  TESSERA_RETURN_IF_ERROR(CheckList(text_.unreduced));
  for (int axis = 0; axis < mesh_.num_axes(); ++axis) {
    TESSERA_RETURN_IF_ERROR(CheckParts(axis));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckShardingText(const ShardingText& text, const Mesh& mesh, const ValueType* type) {
  ShardingChecker checker(text, mesh);
  if (mesh.is_maximal()) {
    if (text.dims.empty() && !checker.has_lists()) return absl::OkStatus();
    return text::ErrorAt(text.offset,
                         "a sharding on a mesh of a single device must be empty: <@mesh, []>");
  }
  if (type != nullptr) TESSERA_RETURN_IF_ERROR(checker.CheckType(*type));
  return checker.CheckAxes();
}

}  // namespace tessera::sharding
