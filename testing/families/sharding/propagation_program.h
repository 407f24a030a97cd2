// Builds a propagation Program from a case of the `propagation` family.
//
//   ProgramCase c;
//   absl::Status status = ReadProgramCase(json, c);
//   Propagate(c.program, c.tables(), options);
//
// A case has its ops in program order with their regions inside; the builder wants them flat, in
// pre-order, and data-flow edges with their sources and targets worked out.

#ifndef TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_
#define TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_

#include <map>
#include <set>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "tessera/sharding/propagation/program.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::testing {

struct ProgramCase {
  sharding::MeshTable meshes;
  sharding::ShardingTable shardings;
  sharding::factors::RuleTable rules;
  sharding::propagation::Program program;
  std::map<int, sharding::propagation::ValueId> values;  // number in the case -> value

  const sharding::Mesh& mesh() const { return meshes.mesh(0); }
  sharding::propagation::Tables tables() { return {&meshes, &shardings, &rules}; }
};

// InvalidArgument if a text in the case does not parse or the program is not well formed.
absl::Status ReadProgramCase(const nlohmann::json& json, ProgramCase& out);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_FAMILIES_SHARDING_PROPAGATION_PROGRAM_H_
