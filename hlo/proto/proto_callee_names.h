// The attributes under which the called computations of an instruction stand in the text.
//
//   CalledNames(Opcode::kWhile, 2, false);   // body, condition

#ifndef TESSERA_HLO_PROTO_PROTO_CALLEE_NAMES_H_
#define TESSERA_HLO_PROTO_PROTO_CALLEE_NAMES_H_

#include <vector>

#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"

namespace tessera::hlo {

// Names of the attributes of `count` callees; one name for all of a list. `branches_by_index`: of a
// conditional whose first operand is a number, not a predicate.
std::vector<AttributeName> CalledNames(Opcode opcode, int count, bool branches_by_index);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PROTO_PROTO_CALLEE_NAMES_H_
