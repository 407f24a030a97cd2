#include "tessera/target/buffers/array_names.h"

#include <algorithm>
#include <utility>

#include "tessera/target/union_find.h"

namespace tessera::target {

ValueId ArrayNames::Add(ValueId origin, hlo::InstructionId maker) {
  const auto value = static_cast<ValueId>(home_.size());
  home_.push_back(value);
  same_.push_back(value);
  origin_.push_back(origin);
  makers_.push_back(maker);
  return value;
}

std::vector<ValueId> ArrayNames::Continued(const std::vector<ValueId>& values,
                                           hlo::InstructionId at) {
  std::vector<ValueId> phis;
  for (const ValueId v : values) {
    phis.push_back(Add(origin_[v], at));
    Join(v, phis.back());
  }
  return phis;
}

ValueId ArrayNames::Home(ValueId v) { return RootOf(v, &home_); }
ValueId ArrayNames::Same(ValueId v) { return RootOf(v, &same_); }

void ArrayNames::Join(ValueId a, ValueId b) {
  a = Home(a);
  b = Home(b);
  home_[std::max(a, b)] = std::min(a, b);
}

void ArrayNames::GiveTo(LiveValues* live) && {
  for (ValueId v = 0; v < home_.size(); ++v) home_[v] = Home(v);
  live->home = std::move(home_);
  live->origin = std::move(origin_);
  live->makers = std::move(makers_);
}

}  // namespace tessera::target
