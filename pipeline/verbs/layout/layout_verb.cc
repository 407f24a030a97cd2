#include <string>

#include "tessera/layout/draw_svg.h"
#include "tessera/pipeline/command_line/output_file.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/layout/layout_answer.h"
#include "tessera/pipeline/verbs/layout/layout_request.h"
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

VerbResult RunLayout(const Arguments& arguments) {
  const absl::StatusOr<std::string> answer = Answer(arguments);
  return answer.ok() ? Done(*answer) : BadInput(answer.status());
}

}  // namespace

Verb LayoutVerb() {
  Verb verb;
  verb.name = "layout";
  verb.summary = "how an array lies in memory: sizes, padding, index maps, advice, pictures";
  verb.description =
      "Without flags, the sizes of the shape and what each tile adds; otherwise what the flags ask "
      "for. Works for every element type, any number of tiles, stars, and packed elements.";
  verb.positionals = {{"TEXT", "a shape, such as 'bf16[4,8]{1,0:T(8,128)(2,1)}'; - reads it"}};
  verb.flags = {
      {"index", "I,J,..", "the offset of that element", ""},
      {"offset", "N", "the element at that offset", ""},
      {"ops", "", "the layout as pad, reshape and transpose, and back", ""},
      {"hlo", "", "the same as an HLO module", ""},
      {"advise", "RULES",
       "less padded layouts: tpu, with +min2 or +large; tile:32x32; none; or a textproto file", ""},
      {"to", "LAYOUT",
       "the plan that copies the array to that layout, such as '{0,1:T(8,128)}', or shape", ""},
      {"sharding", "SHARDING",
       "all answers are about what one device holds under '{devices=[2,1]<=[2]}' or P('x')", ""},
      {"mesh", "AXIS=N,..", "the mesh of P(..)", ""},
      {"draw", "", "a picture in text: offsets in tiles", ""},
      {"memory", "", "the elements in the order of memory", ""},
      {"svg", "FILE", "writes a picture", ""},
      {"json", "", "the answers as JSON", ""},
  };
  verb.examples = {
      {"tessera layout 's32[8388608,8,4]{2,1,0:T(8,128)}' --advise=tpu",
       "32 GiB of padding, and the layouts without it"},
      {"tessera layout 'f32[3,5]{1,0:T(2,2)}' --draw", "the tiles with the offset of each element"},
      {"tessera layout 'f32[3,5]{1,0:T(2,2)}' --index=2,3", "offset 17"},
      {"tessera layout 'f32[6,20]{1,0:T(4,4)}' --sharding=\"P('x','y')\" --mesh=x=2,y=4 --draw",
       "what one of eight devices holds, drawn"},
  };
  verb.run = RunLayout;
  return verb;
}

}  // namespace tessera::pipeline
