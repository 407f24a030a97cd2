// Builds a program from a case of the `propagation` family.
//
//   ProgramCase c;
//   absl::Status status = ReadProgramCase(json, c);
//   Propagate(c.numbered(), c.tables(), options, c.program.rule_source());
//
// A case has its ops in program order with their regions inside.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_

#include <map>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tessera/sharding/program/value.h"
#include "tessera/sharding/propagation/numbered_program.h"
#include "tessera/testing/propagation/test_program.h"

namespace tessera::testing {

struct ProgramCase {
  sharding::propagation::TestProgram program;
  std::map<int, sharding::program::Value*> values;  // by number in the case

  const sharding::Mesh& mesh() { return program.meshes().mesh(0); }
  const sharding::propagation::NumberedProgram& numbered() const { return program.numbered(); }
};

// InvalidArgument if a text in the case does not parse or the program is not well formed.
absl::Status ReadProgramCase(const nlohmann::json& json, ProgramCase& out);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_
