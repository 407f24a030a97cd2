// The values that a data-flow edge (OpKind::kDataFlowEdge) joins: its owner is its operand, its
// result carries the sharding of the owner and of all other targets.
//
//   op                     owner           sources                            other targets
//   while                  result k        operand k, k of the body's return  k-th argument of both
//   case                   result k        k of each branch's return          -
//   optimization barrier   result k        operand k                          -
//   named, manual          k-th argument   operand k                          -
//   named, manual          result k        k of the body's return             -

#ifndef TESSERA_SHARDING_PROGRAM_EDGES_H_
#define TESSERA_SHARDING_PROGRAM_EDGES_H_

#include <vector>

#include "tessera/sharding/program/op.h"
#include "tessera/sharding/program/value.h"

namespace tessera::sharding::program {

// The op that makes the value, or in whose block it is an argument; null for one of a function.
inline Op* OpOf(const Value& value) {
  return value.def() != nullptr ? value.def() : value.owner()->parent;
}

// In the order of the table.
std::vector<Value*> SourcesOf(const Op& edge);
std::vector<Value*> OtherTargetsOf(const Op& edge);

}  // namespace tessera::sharding::program

#endif  // TESSERA_SHARDING_PROGRAM_EDGES_H_
