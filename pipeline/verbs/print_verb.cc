#include "tessera/pipeline/verbs/print_verb.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"
#include "tessera/pipeline/read_module.h"

namespace tessera::pipeline {
namespace {

using hlo::PrintOptions;

// The whole file, or with --module the part of it that is this module.
std::string Keep(const hlo::Module& module, const Arguments& arguments) {
  if (!arguments.Has("module")) return hlo::Editor(module).Apply();
  const hlo::SourceRange range = module.source();
  return absl::StrCat(module.source_text().substr(range.begin, range.size()), "\n");
}

VerbResult DoneOrBad(const absl::StatusOr<std::string>& output) {
  return output.ok() ? Done(*output) : BadInput(output.status());
}

VerbResult RunPrint(const Arguments& arguments) {
  const absl::StatusOr<hlo::Module> module = ReadModule(arguments);
  if (!module.ok()) return BadInput(module.status());
  const std::string& format = arguments.Get("format");
  if (format == "keep") return Done(Keep(*module, arguments));
  if (format == "xla") return Done(hlo::PrintModule(*module, PrintOptions::Default()));
  if (format == "short") return Done(hlo::PrintModule(*module, PrintOptions::ShortParsable()));
  if (format == "canonical") return Done(hlo::PrintModule(*module, PrintOptions::Canonical()));
  if (format == "pb") return DoneOrBad(hlo::ModuleToProto(*module));
  if (format == "textproto") return DoneOrBad(hlo::ModuleToTextProto(*module));
  return BadInput(
      absl::StrCat("--format=", format, ": expected keep, xla, short, canonical, pb or textproto"));
}

}  // namespace

Verb PrintVerb() {
  Verb verb;
  verb.name = "print";
  verb.summary = "the module again, unchanged or in one of XLA's forms";
  verb.description =
      "keep gives every byte of a text back, comments and order included. xla is what XLA prints "
      "for the module it loads: unique names, its order of computations and instructions, "
      "constants of more than ten elements left out. short is the form that is made to be read "
      "again, with all constants; canonical names nothing and prints called computations in place. "
      "pb is "
      "a binary HloModuleProto, textproto the same to be looked at; they have no place for "
      "replica_count, num_partitions, alias_passthrough_params and the allow_spmd lists.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = {
      {"format", "FORMAT", "keep, xla, short, canonical, pb or textproto", "keep"},
      ModuleFlag(),
  };
  verb.examples = {
      {"tessera print step.hlo --format=short", "the module as jax prints it"},
      {"tessera print step.hlo --format=pb -o step.hlo.pb", "the module as binary HLO"},
      {"tessera print dumps.hlo --module=2", "the second module of a file, byte for byte"},
  };
  verb.run = RunPrint;
  return verb;
}

}  // namespace tessera::pipeline
