// How the XLA of a release prints a module.
//
//   hlo::PrintModule(module, InFormOf(reference.behaviors, hlo::PrintOptions::Default()));

#ifndef TESSERA_PIPELINE_ANSWER_REFERENCE_FORM_H_
#define TESSERA_PIPELINE_ANSWER_REFERENCE_FORM_H_

#include "tessera/hlo/print_options.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::pipeline {

// The options with what differs between releases. Elements of tuples keep their lines: only dumps
// are compact, see DumpFormOf.
hlo::PrintOptions InFormOf(const sharding::reference::Behaviors& behaviors,
                           hlo::PrintOptions options);

// As --xla_dump_to writes modules, with all constants.
hlo::PrintOptions DumpFormOf(const sharding::reference::Behaviors& behaviors);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_ANSWER_REFERENCE_FORM_H_
