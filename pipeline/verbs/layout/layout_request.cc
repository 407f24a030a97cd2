#include "tessera/pipeline/verbs/layout/layout_request.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/layout/tile_rules_textproto.h"
#include "tessera/layout/tpu_layout.h"
#include "tessera/pipeline/verbs/layout/layout_shard.h"
#include "tessera/pipeline/verbs/layout/shape_texts.h"
#include "tessera/target/target.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using text::Source;

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

// The array as the compiler of --target lays it out; an order that the text gives stays.
absl::StatusOr<layout::Shape> OnTarget(const layout::Shape& array, const target::Chip& chip) {
  if (chip.platform != target::Platform::kTpu) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--target=", chip.name,
        ": only TPUs have a rule for one array; elsewhere it lies in row-major order"));
  }
  if (!array.is_array() || (array.has_layout() && !array.layout().tiles.empty())) {
    return absl::InvalidArgumentError("--target: expected one array without tiles");
  }
  const layout::TpuGeneration& generation = layout::TpuGenerationOf(chip.name);
  return array.has_layout() ? layout::TpuTilesFor(array, generation)
                            : layout::TpuLayoutOf(array, generation);
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
  if (arguments.Has("xla-flags")) {
    return absl::InvalidArgumentError("--xla-flags: they decide nothing about one array");
  }
  if (arguments.Has("target")) {
    TESSERA_ASSIGN_OR_RETURN(const auto* chip, target::ParseChip(arguments.Get("target")));
    TESSERA_ASSIGN_OR_RETURN(request.shape, OnTarget(request.shape, *chip));
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
    TESSERA_ASSIGN_OR_RETURN(request.to, ReadLayoutOf(request.shape, arguments.Get("to")));
  }
  request.ops = arguments.Has("ops");
  request.hlo = arguments.Has("hlo");
  request.draw = arguments.Has("draw");
  request.memory = arguments.Has("memory");
  return request;
}

}  // namespace tessera::pipeline
