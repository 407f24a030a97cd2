#include "tessera/sharding/axis_text.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tessera::sharding {
namespace {

std::string WithPart(std::string name, AxisRef axis) {
  if (axis.is_sub()) absl::StrAppend(&name, ":(", axis.pre_size(), ")", axis.sub_size());
  return name;
}

absl::Status Unreadable(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text, "': expected an axis of the mesh, such as x or x:(2)4"));
}

}  // namespace

std::string ShortAxisText(AxisRef axis, const Mesh& mesh) {
  return WithPart(mesh.axis(axis.axis()).name, axis);
}

std::string QuotedAxisText(AxisRef axis, const Mesh& mesh) {
  return WithPart(absl::StrCat("'", mesh.axis(axis.axis()).name, "'"), axis);
}

absl::StatusOr<AxisRef> ParseAxisText(absl::string_view text, const Mesh& mesh) {
  const std::pair<absl::string_view, absl::string_view> name_and_part =
      absl::StrSplit(text, absl::MaxSplits(":(", 1));
  const std::optional<int> axis = mesh.FindAxis(name_and_part.first);
  if (!axis.has_value()) return Unreadable(text);
  if (name_and_part.first.size() == text.size()) return AxisRef::Full(*axis);
  const std::pair<absl::string_view, absl::string_view> sizes =
      absl::StrSplit(name_and_part.second, absl::MaxSplits(')', 1));
  int64_t before = 0, size = 0;
  if (!absl::SimpleAtoi(sizes.first, &before) || !absl::SimpleAtoi(sizes.second, &size)) {
    return Unreadable(text);
  }
  return AxisRef::Sub(*axis, before, size);
}

}  // namespace tessera::sharding
