// The smaller pieces of sdy text: names, axes, dimensions, meshes. See sdy_text.cc for the grammar.

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "tessera/sharding/sdy_text.h"
#include "tessera/sharding/text/quote.h"
#include "tessera/sharding/text/sdy/sdy_lexer.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {

using text::Cursor;

namespace {

absl::StatusOr<std::vector<int64_t>> ParseDeviceIds(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '=', "after 'device_ids'"));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '[', "before the device ids"));
  std::vector<int64_t> ids;
  do {
    TESSERA_ASSIGN_OR_RETURN(const int64_t id, ParseInt(in, "a device id"));
    ids.push_back(id);
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, ']', "or ',' after a device id"));
  return ids;
}

absl::StatusOr<std::vector<MeshAxis>> ParseMeshAxes(Cursor& in) {
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '[', "before the axes of a mesh"));
  std::vector<MeshAxis> axes;
  if (in.Consume(']')) return axes;
  do {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ParseQuotedName(in));
    TESSERA_RETURN_IF_ERROR(ExpectChar(in, '=', "and the size of the axis"));
    TESSERA_ASSIGN_OR_RETURN(const int64_t size, ParseInt(in, "the size of the axis"));
    axes.push_back({std::move(name), size});
  } while (in.Consume(','));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, ']', "or ',' after an axis of a mesh"));
  return axes;
}

// The `p2` after a dimension, if there is one.
absl::StatusOr<int64_t> ParsePriority(Cursor& in) {
  const size_t at = in.NextOffset();
  const absl::string_view word = ConsumeWord(in);
  if (word.empty()) return kNoPriority;
  const absl::string_view digits = word.substr(1);
  int64_t priority = 0;
  if (word[0] != 'p' || digits.empty() ||
      digits.find_first_not_of("0123456789") != absl::string_view::npos) {
    return in.ErrorAt(at, absl::StrCat("expected a priority such as p1, not '", word, "'"));
  }
  if (digits.size() > 1 && digits[0] == '0') {
    return in.ErrorAt(at, absl::StrCat("a priority has no leading zeros: '", word, "'"));
  }
  if (!absl::SimpleAtoi(digits, &priority)) {
    return in.ErrorAt(at, absl::StrCat("the priority '", word, "' does not fit into 64 bits"));
  }
  return priority;
}

}  // namespace

absl::StatusOr<std::string> ParseQuotedName(Cursor& in) {
  const size_t at = in.NextOffset();
  absl::string_view body;
  if (!in.ConsumeQuoted(body)) return in.ErrorAt(at, "expected a name in double quotes");
  absl::StatusOr<std::string> name = UnquoteName(body);
  if (!name.ok()) return in.ErrorAt(at, name.status().message());
  return name;
}

absl::StatusOr<AxisText> ParseAxisText(Cursor& in) {
  AxisText axis;
  axis.offset = in.NextOffset();
  TESSERA_ASSIGN_OR_RETURN(axis.name, ParseQuotedName(in));
  if (!in.Consume(':')) return axis;
  axis.is_sub = true;
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '(', "and the pre-size of a sub-axis"));
  TESSERA_ASSIGN_OR_RETURN(axis.pre_size, ParseInt(in, "the pre-size of a sub-axis"));
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, ')', "after the pre-size"));
  TESSERA_ASSIGN_OR_RETURN(axis.size, ParseInt(in, "the size of a sub-axis"));
  return axis;
}

absl::StatusOr<DimensionText> ParseDimensionText(Cursor& in) {
  DimensionText dim;
  dim.offset = in.NextOffset();
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '{', "before the axes of a dimension"));
  bool more = in.Peek() != '}';
  while (more) {
    if (in.Consume('?')) {
      dim.is_closed = false;
      break;
    }
    TESSERA_ASSIGN_OR_RETURN(AxisText axis, ParseAxisText(in));
    dim.axes.push_back(std::move(axis));
    more = in.Consume(',');
  }
  TESSERA_RETURN_IF_ERROR(ExpectChar(
      in, '}', dim.is_closed ? "or ',' after an axis" : "after '?', which must be the last"));
  TESSERA_ASSIGN_OR_RETURN(dim.priority, ParsePriority(in));
  return dim;
}

absl::StatusOr<Mesh> ParseMeshBody(Cursor& in) {
  const size_t at = in.NextOffset();
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '<', "before a mesh"));
  TESSERA_ASSIGN_OR_RETURN(std::vector<MeshAxis> axes, ParseMeshAxes(in));
  std::vector<int64_t> ids;
  if (in.Consume(',')) {
    if (!ConsumeWord(in, "device_ids")) return in.Error("expected 'device_ids'");
    TESSERA_ASSIGN_OR_RETURN(ids, ParseDeviceIds(in));
  }
  TESSERA_RETURN_IF_ERROR(ExpectChar(in, '>', "at the end of a mesh"));
  absl::StatusOr<Mesh> mesh = Mesh::Create(std::move(axes), std::move(ids));
  if (!mesh.ok()) return in.ErrorAt(at, mesh.status().message());
  return mesh;
}

}  // namespace tessera::sharding
