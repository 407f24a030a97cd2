// Compares the collectives that tessera finds with those that the reference's partitioner inserted.
//
//   const std::string folder = shared + "/conformance/spmd/jax";
//   for (const std::string& truth : FindTruths(folder)) CheckTruth(truth);
//
// A truth file NAME.spmd.jsonl in the folder spmd/X belongs to the module NAME.after.hlo in the
// folder X beside spmd; index.tsv says which modules the reference refused. Collectives are
// compared as a multiset: opcode, shapes, groups (those of an all-reduce as sets), dimensions,
// reduction and loops around them; if these agree, the metadata of the instruction to blame.

#ifndef TESSERA_TESTING_SPMD_SPMD_CHECK_H_
#define TESSERA_TESTING_SPMD_SPMD_CHECK_H_

#include <string>
#include <vector>

#include "tessera/testing/families/family.h"

namespace tessera::testing {

// The modules of a folder with truths, sorted: paths without `.spmd.jsonl`, refused ones included.
std::vector<std::string> FindTruths(const std::string& folder);

// `name` is a path from FindTruths().
Outcome CheckTruth(const std::string& name);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SPMD_SPMD_CHECK_H_
