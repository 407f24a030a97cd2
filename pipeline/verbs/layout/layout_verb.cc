#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/draw_svg.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/command_line/process/mapped_file.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/command_line/target_flag.h"
#include "tessera/pipeline/input/location_remapper.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/costs/target/target_program.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/layout/layout_answer.h"
#include "tessera/pipeline/verbs/layout/layout_pictures.h"
#include "tessera/pipeline/verbs/layout/layout_request.h"
#include "tessera/pipeline/verbs/layout/predicted_layouts.h"
#include "tessera/pipeline/verbs/layout/program_layouts.h"
#include "tessera/pipeline/verbs/layout/program_layouts_answer.h"
#include "tessera/pipeline/verbs/layout/relayout_array.h"
#include "tessera/text/error_place.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::Status WriteSvg(const layout::Shape& shape, const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::string picture, layout::DrawSvg(shape));
  return WriteWholeFile(path, picture);
}

absl::StatusOr<std::string> Answer(const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const LayoutRequest request, ParseLayoutRequest(arguments));
  if (arguments.Has("svg")) {
    TESSERA_RETURN_IF_ERROR(WriteSvg(request.shape, arguments.Get("svg")));
  }
  if (arguments.Has("json")) return LayoutAnswerJson(request);
  if (arguments.Has("svg") && request.only_sizes()) return "";
  return LayoutAnswerText(request);
}

// A shape has brackets; what has none, but a dot or a slash, is a file, which may be missing.
bool IsFile(const std::string& text) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(text, unknown) ||
         (text.find_first_of("[(") == std::string::npos &&
          text.find_first_of("./") != std::string::npos);
}

// A question about one array means nothing for a program, nor one about lists for an array.
absl::Status CheckFlags(const Arguments& arguments, const std::vector<Flag>& others,
                        absl::string_view what) {
  for (const Flag& flag : others) {
    if (!arguments.Has(flag.name)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag.name, ": the answer is about ", what));
  }
  return absl::OkStatus();
}

std::vector<Flag> ArrayFlags() {
  return {
      {"index", "I,J,..", "the offset of that element", ""},
      {"offset", "N", "the element at that offset", ""},
      {"ops", "", "the layout as pad, reshape and transpose, and back", ""},
      {"hlo", "", "the same as an HLO module", ""},
      {"advise", "RULES",
       "less padded layouts: tpu, with +min2 or +large; tile:32x32; none; or a textproto file", ""},
      {"to", "LAYOUT",
       "print the plan that copies the array to that layout, such as '{0,1:T(8,128)}', or to that "
       "shape; for ARRAY.npy, write the copy to -o",
       ""},
      {"sharding", "SHARDING",
       "answer for the shard of one device under '{devices=[2,1]<=[2]}' or P('x')", ""},
      {"mesh", "AXIS=N,..", "the mesh of P(..)", ""},
      {"draw", "", "a picture in text: offsets in tiles", ""},
      {"memory", "", "the elements in the order of memory", ""},
  };
}

// Of an array that NumPy has written, --to and this are all.
Flag FromFlag() {
  return {"from", "LAYOUT", "of ARRAY.npy: the layout or shape that its bytes are in", ""};
}

std::vector<Flag> ProgramFlags() {
  std::vector<Flag> filters = ListFilter::Flags("arrays and changes", "", "that take", "10");
  filters[3].help = "of a program: rows of each list; 0: all";
  return {
      filters[3],  // --top
      filters[0],  // --match
      filters[2],  // --min-bytes
      {"target", "CHIP:TOPOLOGY",
       "predict the layouts of this machine's compiler, for a program before its compilation or "
       "for one array: tpu-v5e:4x4 (the sides of the torus)",
       ""},
      ModuleFlag(),
  };
}

std::vector<Flag> PictureFlags() {
  return {
      {"svg", "FILE", "writes a picture; of a program, of each of the arrays that waste most", ""},
      {"json", "", "the answers as JSON", ""},
  };
}

constexpr char kPredicted[] =
    "note: predicted by rules inferred from what libtpu compiled (docs/compiled.md)\n";

// Those that stand in the module, or, with a target, those that its compiler will take.
absl::StatusOr<ProgramLayouts> LayoutsOf(hlo::Module module,
                                         const std::optional<TargetChoice>& choice,
                                         std::string* notes) {
  if (!choice.has_value()) {
    auto layouts = FindProgramLayouts(module);
    if (layouts.ok()) *notes = NoteOnNoLayouts(module, *layouts);
    if (!layouts.ok()) return LocatedInInput(layouts.status(), module, std::nullopt);
    return layouts;
  }
  TESSERA_ASSIGN_OR_RETURN(const TargetProgram program,
                           ReadTargetProgram(std::move(module), *choice, DefaultsOfPropagation()));
  const bool is_tpu = choice->target.chip->platform == target::Platform::kTpu;
  *notes = program.notes + (is_tpu ? kPredicted : "");
  TESSERA_ASSIGN_OR_RETURN(ProgramLayouts layouts,
                           PredictLayouts(program.context->program.module(), *choice->target.chip));
  layouts.target = choice->target.ToString();
  return layouts;
}

VerbResult RunOnProgram(const Arguments& arguments) {
  return OnModule(arguments, [&](hlo::Module module) -> absl::StatusOr<VerbResult> {
    TESSERA_RETURN_IF_ERROR(CheckFlags(arguments, ArrayFlags(), "a program"));
    TESSERA_ASSIGN_OR_RETURN(const ListFilter filter, ListFilter::Read(arguments));
    TESSERA_ASSIGN_OR_RETURN(const auto choice, ReadTarget(arguments));
    std::string notes;
    TESSERA_ASSIGN_OR_RETURN(ProgramLayouts layouts, LayoutsOf(std::move(module), choice, &notes));
    Keep(filter, &layouts);
    const size_t rows =
        filter.top() == 0 ? std::numeric_limits<size_t>::max() : static_cast<size_t>(filter.top());
    absl::StrAppend(&notes, NotesOnTiles(layouts));
    if (arguments.Has("svg")) {
      TESSERA_ASSIGN_OR_RETURN(const std::string pictures, LayoutPictures(layouts, rows));
      TESSERA_RETURN_IF_ERROR(WriteWholeFile(arguments.Get("svg"), pictures));
    }
    return Done(
        arguments.Has("json") ? ProgramLayoutsJson(layouts) : ProgramLayoutsText(layouts, rows),
        notes);
  });
}

// Of an array's flags, a copy has --to alone.
std::vector<Flag> FlagsWithoutCopies() {
  std::vector<Flag> flags;
  for (const std::vector<Flag>& group : {ArrayFlags(), ProgramFlags(), PictureFlags()}) {
    for (const Flag& flag : group) {
      if (flag.name != "to") flags.push_back(flag);
    }
  }
  return flags;
}

absl::StatusOr<std::string> CopyNpyFile(const Arguments& arguments) {
  TESSERA_RETURN_IF_ERROR(CheckFlags(arguments, FlagsWithoutCopies(), "the copy of a .npy file"));
  if (!arguments.Has("to") || !arguments.Has("o")) {
    return absl::InvalidArgumentError(
        "a .npy file is copied to another layout: expected --to=LAYOUT -o OUT.npy");
  }
  TESSERA_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(arguments.positional(0)));
  auto copy = RelayoutNpyFile(file->bytes(), arguments.Get("from"), arguments.Get("to"));
  if (copy.ok() || text::FindErrorPlace(copy.status()).has_value()) return copy;
  return absl::Status(copy.status().code(),
                      absl::StrCat(arguments.positional(0), ": ", copy.status().message()));
}

VerbResult RunLayout(const Arguments& arguments) {
  if (absl::EndsWith(arguments.positional(0), ".npy")) {
    absl::StatusOr<std::string> copy = CopyNpyFile(arguments);
    return copy.ok() ? Done(*std::move(copy)) : BadInput(copy.status());
  }
  if (arguments.Has("from")) return BadInput("--from: expected a file ARRAY.npy as TEXT");
  if (IsFile(arguments.positional(0))) return RunOnProgram(arguments);
  std::vector<Flag> of_programs = ProgramFlags();
  of_programs.erase(absl::c_find_if(of_programs, [](auto& flag) { return flag.name == "target"; }));
  const absl::Status flags = CheckFlags(arguments, of_programs, "one array");
  if (!flags.ok()) return BadInput(flags);
  const absl::StatusOr<std::string> answer = Answer(arguments);
  return answer.ok() ? Done(*answer) : BadInput(answer.status());
}

}  // namespace

Verb LayoutVerb() {
  Verb verb;
  verb.name = "layout";
  verb.summary = "how an array lies in memory: sizes, padding, pictures";
  verb.description =
      "Prints the sizes of a shape and the padding of each tile, or the answers to the flags. "
      "Works for every element type, any number of tiles, stars, and packed elements. For a "
      "compiled program it prints the padding of its memory, by tiles and by array. It also prints "
      "changes of layout with their users: copies, transposes and bitcasts, and fusions with one "
      "of them. Below an array stands a smaller layout, and the line of Python. With --target it "
      "predicts the layouts of a program before its compilation (docs/compiled.md). An array of "
      "NumPy is copied to another layout.";
  verb.positionals = {{"TEXT",
                       "a shape, such as 'bf16[4,8]{1,0:T(8,128)(2,1)}'; - reads it; or a file: "
                       "HLO, as text or binary (.pb), or ARRAY.npy"}};
  verb.flags = ArrayFlags();
  verb.flags.push_back(FromFlag());
  for (Flag& flag : ProgramFlags()) verb.flags.push_back(std::move(flag));
  for (Flag& flag : PictureFlags()) verb.flags.push_back(std::move(flag));
  verb.examples = {
      {"tessera layout 's32[8388608,8,4]{2,1,0:T(8,128)}' --advise=tpu",
       "32 GiB of padding, and the layouts without it"},
      {"tessera layout 'f32[3,5]{1,0:T(2,2)}' --draw", "the tiles with the offset of each element"},
      {"tessera layout 'f32[3,5]{1,0:T(2,2)}' --index=2,3", "offset 17"},
      {"tessera layout 'f32[6,20]{1,0:T(4,4)}' --sharding=\"P('x','y')\" --mesh=x=2,y=4 --draw",
       "a drawing of the shard of one of eight devices"},
      {"tessera layout compiled.hlo --top=5", "the five arrays of a program that waste most"},
      {"tessera layout compiled.hlo --top=3 --svg=worst.svg", "pictures of the three worst"},
      {"tessera layout step.hlo --target=tpu-v5e:4x4",
       "the same before it is compiled, by the rule"},
      {"tessera layout 'bf16[20,300]' --target=tpu-v5e", "one array, by the rule"},
      {"tessera layout weights.npy --to='{1,0:T(8,128)}' -o tiled.npy",
       "a NumPy array copied into the tiles of a TPU"},
  };
  verb.run = RunLayout;
  return verb;
}

}  // namespace tessera::pipeline
