// The state of the passes of a run: a module on its way from HLO to HLO.
//
//   Context context;
//   context.module = *hlo::ParseModule(text);
//   absl::Status status = RunPasses(UpToPropagation({}), &context);    // pass_lists.h
//   context.program->entry();
//
// Each phase fills in the next form: edits, program, run, form, text. All parts refer
// to each other, so a context stays where it is.

#ifndef TESSERA_SHARDING_PASSES_CONTEXT_H_
#define TESSERA_SHARDING_PASSES_CONTEXT_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tessera/hlo/builder.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/unread_module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"
#include "tessera/sharding/passes/import/annotations/sdy_attribute_reader.h"
#include "tessera/sharding/passes/import/import.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/passes/propagate/rule_book.h"
#include "tessera/sharding/passes/propagate/run.h"
#include "tessera/sharding/propagation/observer.h"

namespace tessera::sharding::passes {

// The module while the HLO passes change it.
struct ModuleEdits {
  // The text of the changed module.
  using TextOf = std::function<std::string(hlo::Module changed)>;

  ModuleEdits(hlo::Module read, TextOf text)
      : text(std::move(text)), before(read), module(std::move(read)), builder(&module) {}
  ModuleEdits(const ModuleEdits&) = delete;
  ModuleEdits& operator=(const ModuleEdits&) = delete;

  TextOf text;
  hlo::UnreadModule before;
  hlo::Module module;
  hlo::Builder builder;
  bool changed = false;
};

// A text has room for one form of each computation and for one line of each instruction. A module
// that needs more is rewritten, and the pipeline runs again on what stands here.
struct Rerun {
  std::optional<hlo::Module> module;
  bool calls_are_separate = false;  // the module of this run has been rewritten in this way
};

struct Context {
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // The source of the program: the input, or its cleaned form. Empty while there are edits.
  hlo::Module module;
  // The input, if `module` is its cleaned form.
  std::optional<hlo::UnreadModule> original;
  std::unique_ptr<ModuleEdits> edits;  // while the clean-up passes run, if they have work to do

  ImportOptions import;
  std::unique_ptr<HloProgram> program;
  std::unique_ptr<SdyAttributeReader> frontend;  // during the import

  std::shared_ptr<RuleBook> book;
  propagation::Observer* observer = nullptr;
  std::unique_ptr<Propagated> run;

  std::unique_ptr<HloForm> form;  // once the program has the form of HLO
  std::string text;               // the result
  Rerun rerun;
  // The names of the program's results: out['w1'], in order, "" for a token; empty if not known.
  std::vector<std::string> result_names;
  // Notes for the user, a line each.
  std::vector<std::string> notes;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_CONTEXT_H_
