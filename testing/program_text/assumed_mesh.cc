#include "tessera/testing/program_text/assumed_mesh.h"

#include <numeric>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"

namespace tessera::sharding::passes {
namespace {

// Calls `f` for the shardings of the block and of what is in it.
template <typename F>
void ForEachSharding(const NamedBlock& block, F f) {
  const auto visit = [&](const NamedValue& value) {
    if (value.sharding.has_value()) f(*value.sharding);
  };
  for (const NamedValue& arg : block.args) visit(arg);
  for (const NamedOp& op : block.ops) {
    for (const NamedValue& result : op.results) visit(result);
    for (const auto& sharding : op.function_results) {
      if (sharding.has_value()) f(*sharding);
    }
    for (const NamedBlock& inner : op.blocks) ForEachSharding(inner, f);
  }
}

template <typename F>
void ForEachSharding(const NamedProgram& named, F f) {
  for (const NamedFunction& function : named.functions) ForEachSharding(function.body, f);
}

class AxisCollector {
 public:
  void AddList(const std::vector<AxisText>& list) {
    Place after = axes_.end();
    for (auto axis = list.rbegin(); axis != list.rend(); ++axis) after = Add(*axis, after);
  }
  void AddPart(const AxisText& axis) {
    MeshAxis& known = *Add(axis, axes_.end());
    const bool is_part = axis.is_sub && axis.pre_size > 0 && axis.size > 0;
    if (is_part) known.size = std::lcm(known.size, 2 * axis.pre_size * axis.size);
  }
  std::vector<MeshAxis> Take() && { return std::move(axes_); }

 private:
  using Place = std::vector<MeshAxis>::iterator;

  Place Add(const AxisText& axis, Place in_front_of) {
    const Place known =
        absl::c_find_if(axes_, [&](const MeshAxis& a) { return a.name == axis.name; });
    return known != axes_.end() ? known : axes_.insert(in_front_of, {axis.name, 2});
  }

  std::vector<MeshAxis> axes_;
};

}  // namespace

absl::StatusOr<Mesh> AssumedMesh(const NamedProgram& named) {
  AxisCollector axes;
  ForEachSharding(named, [&](const ShardingText& sharding) {
    axes.AddList(sharding.replicated);
    axes.AddList(sharding.unreduced);
  });
  ForEachSharding(named, [&](const ShardingText& sharding) {
    ForEachAxis(sharding, [&](const AxisText& axis) { axes.AddPart(axis); });
  });
  return Mesh::Create(std::move(axes).Take());
}

}  // namespace tessera::sharding::passes
