#include "tessera/testing/propagation/table_maker.h"

#include <utility>

#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_text.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/propagation/step/op_step.h"
#include "tessera/testing/propagation/short_sharding.h"

namespace tessera::sharding::propagation {

TableMaker::TableMaker(std::vector<MeshAxis> axes, absl::string_view rule,
                       const std::vector<std::string>& shardings,
                       factors::MissingSharding missing) {
  meshes_.Add("mesh", Mesh::Create(std::move(axes)).value()).value();
  rule_ = rules_.Intern(factors::ParseRule(rule).value());
  for (const std::string& text : shardings) {
    ids_.push_back(text.empty() ? kNoSharding
                                : shardings_.Intern(ParseShort(text, 0, mesh()).value()));
  }
  std::vector<const TensorSharding*> tensors;
  for (const ShardingId id : ids_) tensors.push_back(id == kNoSharding ? nullptr : &shardings_[id]);
  table_.Project(rules_[rule_], tensors, mesh(), missing);
}

std::vector<std::string> TableMaker::Step(const StepMode& mode, Observer* observer) {
  std::vector<ShardingId> after = ids_;
  OpStep step(tables());
  for (const OpStep::Update& u : step.Run(mode, rule_, ids_, observer).updates) {
    after[u.tensor] = u.sharding;
  }
  std::vector<std::string> texts;
  for (const ShardingId id : after) {
    texts.push_back(id == kNoSharding ? "" : ToShort(shardings_[id], mesh()));
  }
  return texts;
}

AxisRef TableMaker::Axis(absl::string_view text) const {
  return ParseAxisText(text, mesh()).value();
}

std::string TableMaker::Text(absl::Span<const AxisRef> axes) const {
  return absl::StrJoin(axes, ",",
                       [&](std::string* out, AxisRef a) { *out += ShortAxisText(a, mesh()); });
}

}  // namespace tessera::sharding::propagation
