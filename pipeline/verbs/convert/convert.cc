#include "tessera/pipeline/verbs/convert/convert.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/schema/convert_answer.pb.h"
#include "tessera/pipeline/verbs/convert/convert_forms.h"
#include "tessera/pipeline/verbs/convert/convert_input.h"
#include "tessera/sharding/geometry.h"
#include "tessera/sharding/hlo_conversions.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using sharding::HloSharding;
using sharding::TileRange;

constexpr int64_t kMaxDevicesListed = 64;

// One form of the sharding: its text, or why it has none.
struct WrittenForm {
  absl::string_view name;
  absl::StatusOr<std::string> text;
};

// The part of the array on each device.
struct Tiles {
  std::vector<int64_t> sizes;
  std::vector<std::vector<TileRange>> devices;  // the first kMaxDevicesListed
};

// The forms that the user asked for.
struct Answer {
  std::vector<WrittenForm> forms;
  std::optional<Tiles> tiles;
};

absl::StatusOr<std::vector<WrittenForm>> WriteForms(const Arguments& arguments,
                                                    ConvertInput& input) {
  std::vector<WrittenForm> forms;
  for (const ConvertForm& form : ConvertForms()) {
    if (!arguments.Has("to")) {
      forms.push_back({form.name, form.convert(input)});
    } else if (form.name == arguments.Get("to")) {
      TESSERA_ASSIGN_OR_RETURN(std::string text, form.convert(input));
      forms.push_back({form.name, std::move(text)});
    }
  }
  if (!forms.empty()) return forms;
  return absl::InvalidArgumentError(
      absl::StrCat("--to=", arguments.Get("to"), ": expected v1, v2, v3, sdy or pspec"));
}

absl::StatusOr<Tiles> FindTiles(const ConvertInput& input) {
  const HloSharding tiled = ToTiledSharding(input.hlo);
  if (tiled.IsTuple()) {
    return absl::InvalidArgumentError("--shape is for the sharding of one array");
  }
  const sharding::ShardedLeaf leaf{true, input.shape};
  if (tiled.IsTiled()) {
    TESSERA_RETURN_IF_ERROR(ValidateSharding(tiled, false, {leaf}, tiled.num_devices()));
  }
  Tiles tiles{TileShape(tiled, input.shape), {}};
  const int64_t devices = tiled.IsTiled() ? tiled.num_devices() : 0;
  for (int64_t device = 0; device < devices && devices <= kMaxDevicesListed; ++device) {
    TESSERA_ASSIGN_OR_RETURN(auto ranges, TileOfDevice(tiled, input.shape, device));
    tiles.devices.push_back({ranges.begin(), ranges.end()});
  }
  return tiles;
}

absl::StatusOr<Answer> FindAnswer(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(ConvertInput input, ReadConvertInput(arguments));
  Answer answer;
  TESSERA_ASSIGN_OR_RETURN(answer.forms, WriteForms(arguments, input));
  if (arguments.Has("to") || input.shape.empty()) return answer;
  TESSERA_ASSIGN_OR_RETURN(answer.tiles, FindTiles(input));
  return answer;
}

std::string PrintRanges(const std::vector<TileRange>& ranges) {
  return absl::StrJoin(ranges, ",", [](std::string* out, const TileRange& range) {
    absl::StrAppend(out, range.first, ":", range.limit);
  });
}

std::string AsText(const Answer& answer, bool one_form) {
  if (one_form) return absl::StrCat(*answer.forms[0].text, "\n");
  std::string out;
  for (const WrittenForm& form : answer.forms) {
    absl::StrAppend(
        &out, form.name, ": ",
        form.text.ok() ? *form.text : absl::StrCat("none (", form.text.status().message(), ")"),
        "\n");
  }
  if (!answer.tiles.has_value()) return out;
  absl::StrAppend(&out, "tile: ", absl::StrJoin(answer.tiles->sizes, ","), "\n");
  for (size_t device = 0; device < answer.tiles->devices.size(); ++device) {
    absl::StrAppend(&out, "device ", device, ": ", PrintRanges(answer.tiles->devices[device]),
                    "\n");
  }
  return out;
}

void FillTiles(const Tiles& tiles, answers::ConvertAnswer* answer) {
  *answer->mutable_tile() = {tiles.sizes.begin(), tiles.sizes.end()};
  for (size_t device = 0; device < tiles.devices.size(); ++device) {
    answers::DeviceTile* tile = answer->add_devices();
    tile->set_device(static_cast<int64_t>(device));
    for (const TileRange& range : tiles.devices[device]) {
      tile->add_start(range.first);
      tile->add_end(range.limit);
    }
  }
}

std::string AsJson(const Answer& answer) {
  answers::ConvertAnswer filled;
  for (const WrittenForm& form : answer.forms) {
    answers::ConvertedForm* one = filled.add_forms();
    one->set_name(std::string(form.name));
    if (form.text.ok()) {
      one->set_text(*form.text);
    } else {
      one->set_why_none(std::string(form.text.status().message()));
    }
  }
  if (answer.tiles.has_value()) FillTiles(*answer.tiles, &filled);
  return text::JsonOf(filled) + "\n";
}

VerbResult Convert(const Arguments& arguments) {
  const absl::StatusOr<Answer> answer = FindAnswer(arguments);
  if (!answer.ok()) return BadInput(answer.status());
  return Done(arguments.Has("json") ? AsJson(*answer) : AsText(*answer, arguments.Has("to")));
}

}  // namespace

Verb ConvertVerb() {
  Verb verb;
  verb.name = "convert";
  verb.summary = "a sharding as V1 list, V2 iota, V3 axes, P(..) and sdy";
  verb.description =
      "Reads a sharding in any form and prints it in all forms, one a line. HLO has v1 (a list of "
      "devices), v2 (an iota of devices) and v3 (named axes of a mesh); sdy is Shardy's form, and "
      "pspec JAX's P(..). A grid of devices (v1, v2) takes its axes from --mesh; without --mesh, "
      "tessera makes up a mesh. With --shape it also prints the tile of every device.";
  verb.positionals = {{"TEXT",
                       "{devices=..}, {mesh[..], ..}, P('data', None), <@mesh, [{\"data\"}, "
                       "{}]> or [{\"data\"}, {}]; - reads standard input"}};
  verb.flags = {
      {"mesh", "AXES", "the mesh that names refer to, as data=4,model=2", ""},
      {"to", "FORM", "only this form: v1, v2, v3, sdy or pspec", ""},
      {"shape", "SIZES", "dimensions of the array, as 16,32", ""},
      {"json", "", "the answer as JSON", ""},
  };
  verb.examples = {
      {"tessera convert \"P('data', None)\" --mesh=data=4,model=2 --to=v2",
       "prints {devices=[4,1,2]<=[8] last_tile_dim_replicate}"},
      {"tessera convert '{devices=[2,2]<=[4]}' --shape=5,7",
       "all forms, and the tile of each device"},
  };
  verb.run = Convert;
  return verb;
}

}  // namespace tessera::pipeline
