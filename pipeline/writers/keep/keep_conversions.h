// Computations that a change of unreduced axes needs, as text to put into a module.
//
//   std::string name;
//   std::string text = RenderComputation(form, index, names, spell, &name);
//   // "%body.1 {\n  %p = f32[8] parameter(0), ..\n  ROOT %r = ..\n}\n\n"

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_KEEP_CONVERSIONS_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_KEEP_CONVERSIONS_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"
#include "tessera/pipeline/writers/free_names.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// How a name is written in the module at hand: with or without `%`.
using SpellName = std::function<std::string(absl::string_view)>;

// The computation `index` of the form, which must have no source, after those that it calls.
// `name` is set to its name as spelled; names of computations and instructions are taken from
// `names`.
std::string RenderComputation(const sharding::passes::HloForm& form, int index, FreeNames& names,
                              const SpellName& spell, std::string* name);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_KEEP_CONVERSIONS_H_
