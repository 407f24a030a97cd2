// What two ways to the same answer must agree on, for any module.
//
//   EnginesDisagree(module, options)      // "" or a sentence for the one who reads the failure
//
// Engines: the slow engine of propagation (sharding/propagation/testing) and the one that
// remembers nothing give every value the sharding that the real one gives it. Structures: the text
// with edits (kept) differs from the input by edits that are allowed only
// (testing/keep_edits), and has at its border the shardings of the module written anew.
#ifndef TESSERA_TESTING_FUZZ_AGREEMENT_H_
#define TESSERA_TESTING_FUZZ_AGREEMENT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/shard_options.h"

namespace tessera::testing {

// Programs of more ops than a few hundred are not asked: the slow engine is more than quadratic.
std::string EnginesDisagree(const hlo::Module& module, const pipeline::ShardOptions& options);

// `kept` and `renewed` are the module of `text` sharded with either structure at stage `pass`.
std::string StructuresDisagree(absl::string_view text, absl::string_view kept,
                               absl::string_view renewed);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FUZZ_AGREEMENT_H_
