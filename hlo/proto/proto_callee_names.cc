#include "tessera/hlo/proto/proto_callee_names.h"

#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

struct CalledRow {
  Opcode opcode;
  A first, second;
};
constexpr CalledRow kCalledPairs[] = {
    {Opcode::kWhile, A::kBody, A::kCondition},
    {Opcode::kSelectAndScatter, A::kSelect, A::kScatter},
};

}  // namespace

std::vector<A> CalledNames(Opcode opcode, int count, bool branches_by_index) {
  for (const CalledRow& row : kCalledPairs) {
    if (row.opcode == opcode) return {row.first, row.second};
  }
  if (opcode == Opcode::kCustomCall) return {A::kCalledComputations};
  if (opcode == Opcode::kConditional && (branches_by_index || count != 2)) {
    return {A::kBranchComputations};
  }
  if (opcode == Opcode::kConditional) return {A::kTrueComputation, A::kFalseComputation};
  for (const OpcodeAttribute& attribute : OpcodeAttributes(opcode)) {
    if (SyntaxOf(attribute.name, opcode) == AttributeSyntax::kComputation) return {attribute.name};
  }
  return {};
}

}  // namespace tessera::hlo
