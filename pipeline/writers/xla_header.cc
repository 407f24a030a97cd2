#include "tessera/pipeline/writers/xla_header.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "tessera/layout/leaves.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/writers/pass_attributes.h"

namespace tessera::pipeline::writers {
namespace {

using layout::Shape;

std::vector<Shape> Leaves(const Shape& shape) {
  std::vector<Shape> leaves;
  layout::ForEachLeaf(shape, [&](const Shape& leaf) { leaves.push_back(leaf); });
  return leaves;
}

class Flattener {
 public:
  Flattener(const hlo::Module& before, const HeaderOptions& options, hlo::Module& after)
      : before_(before), options_(options), after_(after) {
    for (hlo::InstructionId id : before.entry().parameters) {
      first_leaf_.push_back(total_);
      total_ += static_cast<int64_t>(layout::NumLeaves(before.shape(id)));
    }
  }

  std::pair<int64_t, std::vector<int64_t>> Parameter(int64_t number,
                                                     absl::Span<const int64_t> path) {
    const size_t p = static_cast<size_t>(number);
    if (p >= first_leaf_.size()) return {number, {path.begin(), path.end()}};
    const int64_t leaf = first_leaf_[p] + static_cast<int64_t>(leaf_numbers_.Of(
                                              before_.shape(before_.entry().parameters[p]), path));
    if (options_.tuple_args) return {0, {leaf}};
    return {leaf, {}};
  }

  std::vector<int64_t> Output(absl::Span<const int64_t> path) {
    const Shape& root = before_.shape(before_.entry().root);
    if (layout::NumLeaves(root) == 1) return {};
    return {static_cast<int64_t>(leaf_numbers_.Of(root, path))};
  }

  hlo::EntryLayout Layout(const hlo::EntryLayout& layout) {
    hlo::EntryLayout flat;
    std::vector<Shape> parameters;
    for (hlo::ShapeId id : layout.parameters) {
      for (Shape& leaf : Leaves(before_.interned_shape(id))) parameters.push_back(std::move(leaf));
    }
    if (options_.tuple_args) parameters = {Shape::Tuple(std::move(parameters))};
    for (const Shape& shape : parameters) flat.parameters.push_back(after_.InternShape(shape));
    std::vector<Shape> results = Leaves(before_.interned_shape(layout.result));
    flat.result =
        after_.InternShape(results.size() == 1 ? results[0] : Shape::Tuple(std::move(results)));
    return flat;
  }

 private:
  const hlo::Module& before_;
  const HeaderOptions options_;
  hlo::Module& after_;
  std::vector<int64_t> first_leaf_;
  layout::LeafNumbers leaf_numbers_;
  int64_t total_ = 0;
};

}  // namespace

void WriteHeader(const hlo::Module& before, const HeaderOptions& options, hlo::Module& after) {
  Flattener flatten(before, options, after);
  hlo::ModuleHeader header = before.header();
  header.name = after.Keep(header.name);
  header.origin_recovery_table = {};
  header.debug_attributes = after.Keep(header.debug_attributes);
  header.stack_frames = after.Keep(header.stack_frames);
  header.is_scheduled = false;
  if (options.num_partitions > 0) header.num_partitions = options.num_partitions;
  if (header.entry_layout.has_value()) header.entry_layout = flatten.Layout(*header.entry_layout);
  for (hlo::AliasEntry& alias : header.input_output_alias) {
    alias.output_index = flatten.Output(alias.output_index);
    std::tie(alias.parameter_number, alias.parameter_index) =
        flatten.Parameter(alias.parameter_number, alias.parameter_index);
  }
  for (hlo::BufferDonor& donor : header.buffer_donor) {
    std::tie(donor.parameter_number, donor.parameter_index) =
        flatten.Parameter(donor.parameter_number, donor.parameter_index);
  }
  auto& attributes = header.frontend_attributes;
  attributes.erase(std::remove_if(attributes.begin(), attributes.end(),
                                  [](const auto& entry) { return IsPassModuleKey(entry.first); }),
                   attributes.end());
  after.mutable_header() = std::move(header);
}

}  // namespace tessera::pipeline::writers
