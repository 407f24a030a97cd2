// Two ways to the same answer must agree, for any module.
//
//   EnginesDisagree(module, options)      // "" or a sentence for the one who reads the failure
//
// Engines: the slow engine of propagation (sharding/propagation/testing) and the one without memory
// give every value the sharding of the real one. Structures: the text with edits (kept) differs
// from the input only by allowed edits (testing/keep_edits). At its border it has the shardings of
// the module written anew.
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
