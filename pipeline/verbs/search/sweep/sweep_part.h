// Which variants of a grid one run takes, and the keys by which runs know equal variants.
//
//   const SweepKeys keys(arguments, flags, module, costs);
//   keys.Of(variant);                          // the same in every process that asks the same
//   TESSERA_ASSIGN_OR_RETURN(const std::vector<size_t> numbers,
//                            VariantsOfRun(arguments, grid, keys));
//
// Of N parts each has every N-th distinct variant and all that equal it, so that no variant is
// worked out in two parts. A key is made of the module's text, the flags that decide figures, the
// machine and the VariantKey. Cost: a key for each variant of the grid. Tested by
// sweep_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_PART_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_PART_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/verbs/search/sweep/sweep_grid.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"

namespace tessera::pipeline {

class SweepKeys {
 public:
  // `flags`: all of the verb. `module`: as it was read. `costs` must outlive the keys.
  SweepKeys(const Arguments& arguments, const std::vector<Flag>& flags, const hlo::Module& module,
            const VariantCosts& costs);

  absl::uint128 Of(const Variant& variant) const;  // safe from many threads
  // Of `count` variants, by as many threads as the costs have.
  std::vector<absl::uint128> OfAll(size_t count,
                                   const std::function<Variant(size_t)>& variant) const;

 private:
  std::string sweep_;  // what all variants have in common
  const VariantCosts& costs_;
};

// --part=K/N and --only=NUMBERS.
std::vector<Flag> PartFlags();

// Of --part or --only; all without them. InvalidArgument that names the flag.
absl::StatusOr<std::vector<size_t>> VariantsOfRun(const Arguments& arguments, const SweepGrid& grid,
                                                  const SweepKeys& keys);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_PART_H_
