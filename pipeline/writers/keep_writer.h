// The result in place: the text that was read, with edits.
//
//   std::optional<hlo::Editor> edits = EditsOfKeep(module, form);
//   edits->Apply();     // the text; nobody needs the form any more
//
// Every instruction stays, under its name, in its place. Changed are: `sharding=`, the attributes
// that only spoke to the pass, Sharding calls (now copies), the borders of shard_maps (one
// conversion a value). Added are clones of constants that differ in sharding (`NAME.clone`) and
// copies (`NAME.reshard`). Gone are barriers, groups and marks of results; their users read the
// operand. All other bytes stay.

#ifndef TESSERA_PIPELINE_WRITERS_KEEP_WRITER_H_
#define TESSERA_PIPELINE_WRITERS_KEEP_WRITER_H_

#include <optional>

#include "tessera/hlo/edit.h"
#include "tessera/hlo/module.h"
#include "tessera/sharding/passes/emit/hlo_form.h"

namespace tessera::pipeline::writers {

// `before` must be as it was parsed; the leaf maps of the form are completed. nullopt if something must change for an
// instruction without a line of its own. nullopt, too, if the text is a single instruction:
// passes/lines/implied_lines.h writes them out.
std::optional<hlo::Editor> EditsOfKeep(const hlo::Module& before, sharding::passes::HloForm& form);

}  // namespace tessera::pipeline::writers

#endif  // TESSERA_PIPELINE_WRITERS_KEEP_WRITER_H_
