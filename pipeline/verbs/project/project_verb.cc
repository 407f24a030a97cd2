#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/process/large_stack.h"
#include "tessera/pipeline/command_line/process/output_file.h"
#include "tessera/pipeline/input/named_module.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/pipeline/verbs/project/project_report.h"
#include "tessera/pipeline/verbs/project/project_request.h"
#include "tessera/projection/signature/indexing_map.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::StatusOr<std::string> Report(const ProjectAnswer& answer, const Arguments& arguments) {
  if (arguments.Has("format")) {
    if (arguments.Get("format") != "indexing-map") {
      return absl::InvalidArgumentError(
          absl::StrCat("--format=", arguments.Get("format"), ": expected indexing-map"));
    }
    return projection::IndexingMapsText(answer.signature);
  }
  if (arguments.Has("svg")) {
    TESSERA_RETURN_IF_ERROR(WriteWholeFile(arguments.Get("svg"), AsSvg(answer)));
  }
  return arguments.Has("json") ? AsJson(answer) : AsText(answer, arguments.Has("draw"));
}

absl::StatusOr<VerbResult> ProjectIn(const NamedModule& named, const Arguments& arguments) {
  TESSERA_ASSIGN_OR_RETURN(const ProjectAnswer answer, AnswerProject(named.module, arguments));
  TESSERA_ASSIGN_OR_RETURN(std::string report, Report(answer, arguments));
  return Done(std::move(report), named.note);
}

// A region is followed through called computations, one in the other.
VerbResult RunProject(const Arguments& arguments) {
  return OnModule(arguments, [&](hlo::Module read) -> absl::StatusOr<VerbResult> {
    TESSERA_ASSIGN_OR_RETURN(const auto found,
                             FindModulesOfNames(std::move(read), {arguments.positional(1)}));
    absl::StatusOr<VerbResult> result;
    OnLargeStack([&] { result = ProjectIn(found.front(), arguments); });
    return result;
  });
}

std::vector<Flag> ProjectFlags() {
  std::vector<Flag> flags = {
      {"block", "RANGES",
       "the block, START:END for each dimension of the result, such as 0:8,0:4 or :,0:4", ""},
      {"to-inputs", "", "the cells of the module's inputs that the block needs", ""},
      {"through", "NAME", "the cells of this intermediate array that the block needs", "", true},
      {"cut", "AXIS:PARTS",
       "every part of an even split, such as 0:4 or 0:2,k0:2, and the cells that the parts "
       "share; --best names the axes",
       ""},
      {"device", "K", "the shard of device K", ""},
      {"best", "PARTS", "the best ways to split the instruction into PARTS parts, by bytes moved",
       ""},
      {"memory", "BYTES", "with --best: the memory of one part, such as 64MiB", ""},
      {"format", "indexing-map", "the access maps of the whole instruction, in XLA's notation", ""},
      {"draw", "", "pictures in the terminal", ""},
      {"svg", "FILE", "a picture: operands, index and result, by parts", ""},
      ModuleFlag(),
      {"json", "", "the answer as JSON", ""},
  };
  for (Flag& flag : PropagationFlags()) flags.push_back(std::move(flag));
  return flags;
}

}  // namespace

Verb ProjectVerb() {
  Verb verb;
  verb.name = "project";
  verb.summary = "the data that a block of an instruction needs";
  verb.description =
      "Prints the cells of each operand that a block of an instruction's result needs. The "
      "answer is exact if the operation determines it, and a bound if data do. With --device the "
      "block is the shard of that device under the shardings of `shard`. The answer then also "
      "lists the cells that the device lacks. --to-inputs and --through follow the block further "
      "back: to the parameters of its computation, or to an array in between.";
  verb.positionals = {
      {"FILE", kFileHelp},
      {"NAME",
       "the instruction, as `shardings` names it, or COMPUTATION/NAME; without --device also one "
       "that FILE has before calls are inlined; of several arrays of its result NAME{1}, .."}};
  verb.flags = ProjectFlags();
  // The notation is of the whole instruction; a picture in text is no part of the JSON.
  verb.conflicts = {
      {"format",
       {"block", "to-inputs", "through", "cut", "device", "best", "memory", "draw", "svg", "json"}},
      {"draw", {"json"}}};
  verb.examples = {
      {"tessera project conv.hlo conv.1 --block=0:1,0:4,0:4,0:8 --draw",
       "the input window of one block of a convolution"},
      {"tessera project step.hlo logits --block=0:1,0:16 --to-inputs",
       "the inputs that one row of a late tensor needs"},
      {"tessera project step.hlo dot.3 --device=5 --mesh=data=4,model=2",
       "the cells that device 5 lacks"},
  };
  verb.run = RunProject;
  return verb;
}

}  // namespace tessera::pipeline
