// File: program_links.h
//
// What follows from the edges and the groups of a program: which slot holds the sharding of a
// value, and which group gets what is written to it.
//
//   ProgramColumns columns = ..;      // edges, groups and all columns of values and ops but these
//   LinkEdges(columns);               // owner, edge_of_op
//   LinkGroups(columns);              // group; members of groups become their owners

#ifndef TESSERA_SHARDING_PROPAGATION_PROGRAM_LINKS_H_
#define TESSERA_SHARDING_PROPAGATION_PROGRAM_LINKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/propagation/program.h"

namespace tessera::sharding::propagation {

// InvalidArgument names an edge that its op does not define, or an edge op without an edge.
absl::Status LinkEdges(ProgramColumns& columns);
// InvalidArgument names a value that is in two groups. Edges must be linked.
absl::Status LinkGroups(ProgramColumns& columns);

// "value 7 is defined twice".
absl::Status Fault(absl::string_view what, int32_t number, absl::string_view fault);

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_SHARDING_PROPAGATION_PROGRAM_LINKS_H_
