// The passes between HLO and HLO, phase by phase: the lists that a pipeline is put together from.
//
//   Context context;
//   context.module = std::move(module);
//   context.import.behaviors = options.behaviors;
//   TESSERA_RETURN_IF_ERROR(RunPasses(UpToPropagation(options), &context));
//   TESSERA_RETURN_IF_ERROR(RunPasses(ExportPasses(options), &context));
//
// The order is the reference's, since each pass reads what the ones before it left. Where a release
// of the reference lacks a pass, or has it elsewhere, the list says so. Clean-ups of HLO and the
// writers come from pipeline/.
//
// Tested pass by pass by pass_test.cc on testdata/, and as a whole by the pairs.

#ifndef TESSERA_SHARDING_PASSES_PASS_LISTS_H_
#define TESSERA_SHARDING_PASSES_PASS_LISTS_H_

#include <string>
#include <utility>
#include <vector>

#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/pass.h"
#include "tessera/sharding/passes/propagate/rule_book.h"
#include "tessera/sharding/propagation/options.h"
#include "tessera/sharding/reference/behaviors.h"

namespace tessera::sharding::passes {

struct PassOptions {
  reference::Behaviors behaviors;  // of the release that is imitated
  propagation::Options propagation;
  ExportOptions exporting;
  // Rules of custom calls: target and rule text.
  std::vector<std::pair<std::string, std::string>> rules;
  // Of other runs on the same module with the same options up to here; null for none.
  RuleBooks* books = nullptr;
};

// Read Context::module and Context::import. InvalidArgument (text::ErrorAt) for annotations that
// contradict themselves or the module.
Pipeline ImportPasses();
Pipeline PreparePasses(const PassOptions& options);
// Errors as of Propagate and of RuleRegistry::RuleOf.
Pipeline PropagatePasses(const PassOptions& options);
// Import to propagation.
Pipeline UpToPropagation(const PassOptions& options);
// After them, the program has the shardings for XLA's partitioner.
Pipeline ExportPasses(const PassOptions& options);

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_PASS_LISTS_H_
