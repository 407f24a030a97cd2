#include "tessera/pipeline/steps/program_text.h"

#include "absl/strings/match.h"
#include "tessera/hlo/printer.h"
#include "tessera/pipeline/answer/reference_form.h"
#include "tessera/pipeline/writers/xla_writer.h"
#include "tessera/sharding/passes/text/program_text.h"

namespace tessera::pipeline {
namespace {

using sharding::passes::Context;

std::string Text(const Context& c, const sharding::reference::Behaviors& behaviors) {
  if (!c.text.empty()) return c.text;
  if (c.form != nullptr) {
    sharding::passes::NumberNodes(*c.form);
    return hlo::PrintModule(writers::WriteXla(c.module, *c.form), DumpFormOf(behaviors));
  }
  if (c.program != nullptr) return sharding::passes::ProgramDump(*c.program);
  return hlo::PrintModule(c.edits != nullptr ? c.edits->module : c.module, DumpFormOf(behaviors));
}

int64_t OpsOf(const sharding::passes::HloProgram& program) {
  int64_t ops = 0;
  for (size_t kind = 0; kind < sharding::passes::kNumOpKinds; ++kind) {
    ops += program.CountOf(static_cast<sharding::passes::OpKind>(kind));
  }
  return ops;
}

int64_t NodesOf(const sharding::passes::HloForm& form) {
  size_t nodes = 0;
  for (const auto& computation : form.computations) nodes += computation.nodes.size();
  return static_cast<int64_t>(nodes);
}

}  // namespace

std::string ProgramText(const Context& context, const sharding::reference::Behaviors& behaviors) {
  std::string text = Text(context, behaviors);
  if (!absl::EndsWith(text, "\n")) text += '\n';
  return text;
}

int64_t ProgramSize(const Context& c) {
  if (c.form != nullptr) return NodesOf(*c.form);
  if (c.program != nullptr) return OpsOf(*c.program);
  return (c.edits != nullptr ? c.edits->module : c.module).num_instructions();
}

}  // namespace tessera::pipeline
