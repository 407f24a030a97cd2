// The driver of case files and of pairs: the work of the program `conformance`.
//
//   Drive({"--show=3", "spec/cases/op_rules.jsonl", "conformance/jax"}, std::cout, std::cerr);
//
// A case file is run by the family of its name, with the release of the reference that the nearest
// file REFERENCE names; a folder is searched for pairs (X.before.hlo, X.after.hlo, X.map), which
// run in both structures of the result; a folder within a folder `spmd` has lists of collectives
// (spmd/spmd_check.h). Prints `FILE: N passed, N failed` for each argument, cases that were not run
// apart, the first K differences of each, and `N passed, N failed` last. A file or a folder of
// which nothing ran counts as failed.
//
// The result is an exit status: 0, 1 if anything failed, 2 on bad usage.

#ifndef TESSERA_TESTING_DRIVER_H_
#define TESSERA_TESTING_DRIVER_H_

#include <ostream>
#include <string>
#include <vector>

namespace tessera::testing {

int Drive(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_DRIVER_H_
