#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/text_format.h"
#include "tessera/cost/calibrate/machine_fit.h"
#include "tessera/cost/network/machine.h"
#include "tessera/cost/trace/trace.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/schema/calibrate_answer.pb.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/costs/calibrate/read_traces.h"
#include "tessera/pipeline/verbs/costs/input/final_module.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/sharding/mesh.h"
#include "tessera/target/collectives/standing.h"
#include "tessera/target/kernels/program_kernels.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

struct Calibration {
  cost::MachineFit fit;
  std::vector<std::string> files;
  size_t samples = 0;
};

std::string MachineText(const cost::MachineFit& fit) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(fit.topology, &text);
  return text;
}

// The machine file, with the figures of the fit as its comments.
std::string CalibrationText(const Calibration& found) {
  const cost::MachineFit& fit = found.fit;
  std::string out = absl::StrFormat(
      "# fitted by tessera calibrate to %d kernels and collectives of %s\n"
      "# a kernel was wrong by a factor of %.2f, and is now by %.2f\n",
      found.samples, absl::StrJoin(found.files, ", "), fit.before, fit.after);
  for (const cost::FittedNumber& number : fit.parameters) {
    if (number.is_seen) {
      absl::StrAppendFormat(&out, "# %s: %.3g, was %.3g\n", number.name, number.after,
                            number.before);
    } else {
      absl::StrAppendFormat(&out, "# %s: %.3g as before, nothing measured depends on it\n",
                            number.name, number.before);
    }
  }
  return out + MachineText(fit);
}

std::string CalibrationJson(const Calibration& found) {
  answers::CalibrateAnswer answer;
  answer.set_samples(static_cast<int64_t>(found.samples));
  answer.set_factor_before(found.fit.before);
  answer.set_factor(found.fit.after);
  for (const cost::FittedNumber& number : found.fit.parameters) {
    answers::CalibratedNumber* one = answer.add_numbers();
    one->set_name(number.name);
    one->set_before(number.before);
    one->set_after(number.after);
    one->set_seen(number.is_seen);
  }
  answer.set_machine(MachineText(found.fit));
  return text::JsonOf(answer) + "\n";
}

absl::StatusOr<cost::Machine> MachineOfFlags(const hlo::Module& module,
                                             const Arguments& arguments) {
  std::optional<sharding::Mesh> mesh;
  if (arguments.Has("mesh")) {
    TESSERA_ASSIGN_OR_RETURN(mesh, ParseMeshFlag(arguments.Get("mesh")));
  }
  return cost::ReadMachine(arguments.Get("target"), mesh, module.header().num_partitions);
}

absl::StatusOr<VerbResult> Calibrate(const hlo::Module& module, const Arguments& arguments) {
  if (!IsFinal(module)) {
    return absl::InvalidArgumentError(
        "a profile has the instructions of the module that ran: FILE is what compiled.as_text() "
        "gives, with is_scheduled=true");
  }
  Calibration found;
  found.files.assign(arguments.positionals().begin() + 1, arguments.positionals().end());
  TESSERA_ASSIGN_OR_RETURN(const cost::Machine machine, MachineOfFlags(module, arguments));
  TESSERA_ASSIGN_OR_RETURN(const cost::Trace trace, ReadTraces(module, found.files));
  TESSERA_ASSIGN_OR_RETURN(const auto standing, target::FindStanding(module));
  TESSERA_ASSIGN_OR_RETURN(const auto program, target::FindKernels(module));
  const std::vector<cost::Sample> samples = cost::SamplesOf(module, program, standing, trace);
  found.samples = samples.size();
  auto fit = cost::FitMachine(machine, samples);
  if (!fit.ok()) {
    return absl::Status(fit.status().code(),
                        absl::StrCat(arguments.Get("target"), ": ", fit.status().message()));
  }
  found.fit = *std::move(fit);
  return InBothForms(
      arguments, [&] { return CalibrationJson(found); }, [&] { return CalibrationText(found); });
}

VerbResult RunCalibrate(const Arguments& arguments) {
  if (!arguments.Has("target")) {
    return BadInput("calibrate starts from a machine: --target=lab.textproto, or a preset");
  }
  return OnModule(arguments,
                  [&](const hlo::Module& module) { return Calibrate(module, arguments); });
}

}  // namespace

Verb CalibrateVerb() {
  Verb verb;
  verb.name = "calibrate";
  verb.summary = "a machine file, fitted to profiles of a program";
  verb.description =
      "Fits the numbers of a machine file to profiles of jax.profiler. They are launch_s, "
      "hbm_bytes_per_s, transcendental_per_s and the peaks of the device, bytes a second and "
      "alpha_s of its links. Numbers without a measurement stay as they are. Prints the file "
      "again. Its first lines have the factor by which kernels were wrong, before and after. "
      "`cost`, `sweep` and `suggest` take it as --target. docs/cost.md has an example.";
  verb.positionals = {{"FILE", "the compiled module that ran, as compiled.as_text() gives it"},
                      {"TRACE", "its profile: HOST.trace.json.gz", false, true}};
  verb.flags = {
      {"target", "FILE", "the machine to start from, or a preset of docs/reshards.md", ""},
      {"mesh", "AXES", "names of axes, for a machine file that has mesh_axis", ""},
      ModuleFlag(),
      {"json", "", "the answer as JSON", ""}};
  verb.examples = {
      {"tessera calibrate compiled.hlo host.trace.json.gz --target=lab.textproto -o "
       "fitted.textproto",
       "the numbers that fit this profile best"},
  };
  verb.run = RunCalibrate;
  return verb;
}

}  // namespace tessera::pipeline
