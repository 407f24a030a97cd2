// Factor tables and single steps from text, for tables of tests.
//
//   TableMaker t({{"a", 2}, {"b", 4}}, "([i, j])->([j, i]) {i=8, j=8}", {"[{a},{?}]", ""});
//   t.table();                     // the projection; "" is a tensor without a sharding
//   t.Step(mode);                  // {"[{a},{?}]", "[{?},{a,?}]"}: all tensors after one step

#ifndef TESSERA_TESTING_PROPAGATION_TABLE_MAKER_H_
#define TESSERA_TESTING_PROPAGATION_TABLE_MAKER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/sharding/axes.h"
#include "tessera/sharding/factors/projection.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/propagation/observer.h"
#include "tessera/sharding/propagation/step/step_mode.h"
#include "tessera/sharding/propagation/step/tables.h"

namespace tessera::sharding::propagation {

class TableMaker {
 public:
  // The texts must parse: a test that is written wrongly fails with an exception.
  TableMaker(std::vector<MeshAxis> axes, absl::string_view rule,
             const std::vector<std::string>& shardings,
             factors::MissingSharding missing = factors::MissingSharding::kOpen);

  factors::FactorTable& table() { return table_; }
  const Mesh& mesh() const { return meshes_.mesh(0); }
  Tables tables() { return {&meshes_, &shardings_, &rules_}; }

  // The tensors after one step; "" where there is no sharding.
  std::vector<std::string> Step(const StepMode& mode, Observer* observer = nullptr);

  AxisRef Axis(absl::string_view text) const;
  // "a,b:(1)2"
  std::string Text(absl::Span<const AxisRef> axes) const;

 private:
  MeshTable meshes_;
  ShardingTable shardings_;
  factors::RuleTable rules_;
  factors::RuleId rule_ = factors::kNoRule;
  std::vector<ShardingId> ids_;
  factors::FactorTable table_;
};

}  // namespace tessera::sharding::propagation

#endif  // TESSERA_TESTING_PROPAGATION_TABLE_MAKER_H_
