#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/proto.h"
#include "tessera/pipeline/answer/reference_form.h"
#include "tessera/pipeline/command_line/reference_flag.h"
#include "tessera/pipeline/input/read_module.h"
#include "tessera/pipeline/verbs/declarations.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::PrintOptions;

// The whole file, or with --module the part of it that is this module.
std::string Keep(const hlo::Module& module, const Arguments& arguments) {
  if (!arguments.Has("module")) return hlo::Editor(module).Apply();
  const hlo::SourceRange range = module.source();
  return absl::StrCat(module.source_text().substr(range.begin, range.size()), "\n");
}

// Far beyond what is read by anyone, but for modules that are larger themselves.
constexpr size_t kMaxPrinted = size_t{1} << 30;

absl::StatusOr<std::string> PrintAll(const std::vector<hlo::Module>& modules,
                                     const PrintOptions& options) {
  std::string out;
  for (const hlo::Module& module : modules) {
    const size_t most = std::max(kMaxPrinted, 4 * module.source_text().size());
    absl::StatusOr<std::string> text =
        hlo::PrintModuleWithin(module, options, most - std::min(most, out.size()));
    if (!text.ok()) return text::Located(text.status(), *module.text());
    out += *text;
  }
  return out;
}

absl::StatusOr<std::string> Print(const std::vector<hlo::Module>& modules,
                                  const Arguments& arguments) {
  const std::string& format = arguments.Get("format");
  if (format == "keep") return Keep(modules.front(), arguments);
  TESSERA_ASSIGN_OR_RETURN(const auto reference, ReadReference(arguments));
  const auto print = [&](const PrintOptions& options) {
    return PrintAll(modules, InFormOf(reference.behaviors, options));
  };
  if (format == "xla") return print(PrintOptions::Default());
  if (format == "short") return print(PrintOptions::ShortParsable());
  if (format == "canonical") return print(PrintOptions::Canonical());
  if (format != "pb" && format != "textproto") {
    return absl::InvalidArgumentError(absl::StrCat(
        "--format=", format, ": expected keep, xla, short, canonical, pb or textproto"));
  }
  if (modules.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("--format=", format, " holds one module, ",
                                                   arguments.positional(0), " has ", modules.size(),
                                                   ": expected --module=N"));
  }
  const absl::StatusOr<std::string> proto = format == "pb"
                                                ? hlo::ModuleToProto(modules.front())
                                                : hlo::ModuleToTextProto(modules.front());
  if (proto.ok()) return proto;
  return text::Located(proto.status(), *modules.front().text());
}

VerbResult RunPrint(const Arguments& arguments) {
  const auto modules = ReadModules(arguments);
  if (!modules.ok()) return BadInput(modules.status());
  absl::StatusOr<std::string> printed = Print(*modules, arguments);
  return printed.ok() ? Done(*std::move(printed)) : BadInput(printed.status());
}

}  // namespace

Verb PrintVerb() {
  Verb verb;
  verb.name = "print";
  verb.summary = "the module again, unchanged or in one of XLA's forms";
  verb.description =
      "keep prints every byte of the text, comments and order included. xla is XLA's text of the "
      "loaded module: unique names and XLA's order, without constants of more than ten elements. "
      "short can be parsed again and has all constants. canonical has no names and prints called "
      "computations in place. --reference selects the XLA whose format these three have. Without "
      "--module, all modules of a file are printed. pb is a binary HloModuleProto and textproto "
      "its text form; both lack replica_count, num_partitions, alias_passthrough_params and the "
      "allow_spmd lists.";
  verb.positionals = {{"FILE", kFileHelp}};
  verb.flags = {
      {"format", "FORMAT", "keep, xla, short, canonical, pb or textproto", "keep"},
      ReferenceFlag(),
      ModuleFlag(),
  };
  verb.examples = {
      {"tessera print step.hlo --format=short", "the module as JAX prints it"},
      {"tessera print step.hlo --format=pb -o step.hlo.pb", "the module as binary HLO"},
      {"tessera print dumps.hlo --module=2", "the second module of a file, byte for byte"},
  };
  verb.run = RunPrint;
  return verb;
}

}  // namespace tessera::pipeline
