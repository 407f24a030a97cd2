#include "tessera/hlo/schema/print_rules.h"

#include "tessera/hlo/schema/opcode_table.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

struct Rule {
  bool when_absent = false;
  bool hides_empty_ints = false;
};

constexpr AttributeTable<Rule> kRules({{A::kDimensions, {true, false}},
                                       {A::kLhsContractingDims, {true, false}},
                                       {A::kRhsContractingDims, {true, false}},
                                       {A::kReplicaGroups, {true, false}},
                                       {A::kLargest, {true, false}},
                                       {A::kIsStable, {true, false}},
                                       {A::kIsAssociative, {true, false}},
                                       {A::kOutfeedShape, {true, false}},
                                       {A::kLhsBatchDims, {false, true}},
                                       {A::kRhsBatchDims, {false, true}},
                                       {A::kOperandBatchingDims, {false, true}},
                                       {A::kStartIndicesBatchingDims, {false, true}},
                                       {A::kInputBatchingDims, {false, true}},
                                       {A::kScatterIndicesBatchingDims, {false, true}},
                                       {A::kLhsRaggedDims, {false, true}},
                                       {A::kRhsGroupDims, {false, true}}});

}  // namespace

bool PrintsWhenAbsent(AttributeName name) { return kRules[name].when_absent; }

bool HidesEmptyInts(AttributeName name) { return kRules[name].hides_empty_ints; }

std::optional<int64_t> HiddenInt(AttributeName name) {
  switch (name) {
    case A::kFeatureGroupCount:
    case A::kBatchGroupCount:
      return 1;
    case A::kInferredDimension:
      return -1;
    default:
      return std::nullopt;
  }
}

}  // namespace tessera::hlo
