// Any text as a module. What is read must be given back byte for byte; what is printed must, once
// it has been read and printed again, stay as it is; nothing that may be asked of a module may
// fail. The straight path of the parser must read what the full grammar reads. testing/fuzz/run.sh runs it, on the
// modules of testing/fuzz/corpus.sh.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/edit.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/parse/by_grammar.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/printer.h"
#include "tessera/hlo/verifier.h"
#include "tessera/testing/fuzz/parse_difference.h"
#include "tessera/text/source.h"

namespace tessera::hlo {
namespace {

void Demand(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void AskEverything(const Module& module, InstructionId id) {
  GetMetadata(module, id);
  GetFrontendEntries(module, id);
  GetDotDimensions(module, id);
  GetGatherDimensions(module, id);
  GetScatterDimensions(module, id);
  GetConvolutionDimensions(module, id);
  GetWindow(module, id);
  GetSlice(module, id);
  GetPadding(module, id);
  GetAliasing(module, id);
  if (const auto groups = GetReplicaGroups(module, id); groups.has_value()) groups->Expand();
  if (module.instruction(id).opcode == Opcode::kConstant) SplatInt(module, id);
}

// Every kind of edit at once; the result need not make sense, but everything must be in range.
void EditEverything(const Module& module) {
  Editor edit(module);
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    edit.SetAttribute(id, AttributeName::kSharding, "{replicated}");
    edit.RemoveFrontendAttributes(id, "a");
    edit.RemoveAttribute(id, AttributeName::kMetadata);
    edit.InsertAfter(id, "  line");
    edit.InsertBefore(id, "  line");
    if (id % 2 == 0) edit.ReplaceShape(id, "f32[]");
    if (id % 3 == 0) edit.SetRoot(id, true);
    if (!module.operands(id).empty()) edit.ReplaceOperand(id, 0, "x");
  }
  edit.SetHeaderAttribute("num_partitions", "2");
  edit.RemoveHeaderFrontendAttributes("a");
  edit.Apply();
}

// Printing with and without reuse of the source gives one text.
void CheckCopied(const Module& module) {
  PrintOptions options = PrintOptions::Default();
  for (const bool large_constants : {false, true}) {
    options.large_constants = large_constants;
    options.reuse_source = true;
    const std::string copied = PrintModule(module, options);
    options.reuse_source = false;
    Demand(PrintModule(module, options) == copied, "copied instructions print otherwise");
  }
}

void CheckPrinted(const Module& module) {
  const PrintOptions options = PrintOptions::ShortParsable();
  const auto once = ParseModule(PrintModule(module, options));
  PrintModule(module, PrintOptions::Canonical());
  if (!once.ok()) return;  // a few forms cannot be read back, as in XLA: `{...}` of a tuple
  const std::string twice = PrintModule(*once, options);
  const auto again = ParseModule(twice);
  Demand(again.ok(), "a printed module does not read back");
  Demand(PrintModule(*again, options) == twice, "a printed module prints otherwise");
}

void Check(absl::string_view text) {
  const auto source = text::Source::FromString("fuzz", text);
  ParseOneModule(source);
  const ParsedText parsed = ParseModules(source);
  const std::string difference = ParseDifference(parsed, ParseModulesByGrammar(source), *source);
  Demand(difference.empty(), difference.c_str());
  if (!parsed.diagnostics.ok()) return;
  for (const Module& module : parsed.modules) {
    Demand(Editor(module).Apply() == text, "an unchanged module is written otherwise");
    for (InstructionId id = 0; id < module.num_instructions(); ++id) AskEverything(module, id);
    VerifyModule(module);
    EditEverything(module);
    CheckPrinted(module);
    CheckCopied(module);
  }
}

}  // namespace
}  // namespace tessera::hlo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tessera::hlo::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
