#include "tessera/pipeline/verbs/layout/layout_request.h"

#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/layout/error.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/tile_rules_textproto.h"
#include "tessera/layout/validate.h"
#include "tessera/pipeline/verbs/layout/layout_shard.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using text::Source;

absl::StatusOr<std::shared_ptr<const Source>> ShapeSource(const std::string& argument) {
  if (argument == "-") return Source::FromFile(argument);
  return Source::FromString("<shape>", argument);
}

// `status` at its place in the source, with its code at the end of the message.
absl::Status At(const absl::Status& status, const Source& source) {
  const absl::Status coded =
      text::ErrorAt(text::ErrorOffset(status),
                    absl::StrCat(status.message(), " [", layout::ErrorCode(status), "]"));
  return text::Located(coded, source);
}

absl::StatusOr<layout::Shape> ReadShape(const std::string& argument) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const Source> source, ShapeSource(argument));
  const absl::StatusOr<layout::Shape> shape = layout::ParseShape(source->text());
  if (!shape.ok()) return At(shape.status(), *source);
  if (absl::Status valid = layout::Validate(*shape); !valid.ok()) return At(valid, *source);
  return *shape;
}

absl::StatusOr<std::vector<int64_t>> ReadIndex(const std::string& argument) {
  std::vector<int64_t> index;
  if (argument.empty()) return index;  // of a scalar
  for (absl::string_view part : absl::StrSplit(argument, ',')) {
    if (!absl::SimpleAtoi(part, &index.emplace_back())) {
      return absl::InvalidArgumentError(
          absl::StrCat("--index: expected numbers such as 1,2, found \"", argument, "\""));
    }
  }
  return index;
}

absl::StatusOr<int64_t> ReadOffset(const std::string& argument) {
  int64_t offset = 0;
  if (absl::SimpleAtoi(argument, &offset)) return offset;
  return absl::InvalidArgumentError(
      absl::StrCat("--offset: expected a number, found \"", argument, "\""));
}

// A name of rules, or else a file of them.
absl::StatusOr<layout::TileRules> ReadRules(const std::string& argument) {
  absl::StatusOr<layout::TileRules> named = layout::NamedTileRules(argument);
  if (named.ok()) return named;
  const auto file = Source::FromFile(argument);
  if (!file.ok()) return named.status();
  absl::StatusOr<layout::TileRules> rules = layout::TileRulesFromTextproto((*file)->text());
  if (!rules.ok()) return text::Located(rules.status(), **file);
  if (rules->name.empty()) rules->name = argument;
  return rules;
}

// The array `shape` in the layout of that text, which may also be a whole shape.
absl::StatusOr<layout::Shape> ReadTarget(const layout::Shape& shape, const std::string& argument) {
  if (!absl::StartsWith(absl::StripLeadingAsciiWhitespace(argument), "{")) {
    return ReadShape(argument);
  }
  const std::shared_ptr<const Source> source = Source::FromString("<layout>", argument);
  const absl::StatusOr<layout::Layout> layout = layout::ParseLayout(source->text());
  if (!layout.ok()) return At(layout.status(), *source);
  layout::Shape target = shape.array();
  if (target.is_array()) target.set_layout(*layout);
  return target;
}

}  // namespace

absl::StatusOr<LayoutRequest> ParseLayoutRequest(const Arguments& arguments) {
  LayoutRequest request;
  TESSERA_ASSIGN_OR_RETURN(request.shape, ReadShape(arguments.positional(0)));
  if (arguments.Has("sharding")) {
    request.whole = request.shape;
    request.sharding = arguments.Get("sharding");
    TESSERA_ASSIGN_OR_RETURN(request.shape,
                             ShardOf(request.shape, request.sharding, arguments.Get("mesh")));
  }
  if (arguments.Has("index")) {
    TESSERA_ASSIGN_OR_RETURN(request.index, ReadIndex(arguments.Get("index")));
  }
  if (arguments.Has("offset")) {
    TESSERA_ASSIGN_OR_RETURN(request.offset, ReadOffset(arguments.Get("offset")));
  }
  if (request.index && request.offset) {
    return absl::InvalidArgumentError("--index and --offset are two questions: give one of them");
  }
  if (arguments.Has("advise")) {
    TESSERA_ASSIGN_OR_RETURN(request.rules, ReadRules(arguments.Get("advise")));
  }
  if (arguments.Has("to")) {
    TESSERA_ASSIGN_OR_RETURN(request.to, ReadTarget(request.shape, arguments.Get("to")));
  }
  request.ops = arguments.Has("ops");
  request.hlo = arguments.Has("hlo");
  request.draw = arguments.Has("draw");
  request.memory = arguments.Has("memory");
  return request;
}

}  // namespace tessera::pipeline
