#include "tessera/pipeline/verbs/module/shardings_columns.h"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"
#include "tessera/text/interner.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

class Columns {
 public:
  Columns() { texts_.Intern(""); }

  void Add(const Tensor& tensor, std::optional<int64_t> argument) {
    if (argument.has_value()) {
      answer_.add_argument_rows(answer_.names_size());
      answer_.add_arguments(*argument);
    }
    answer_.add_names(tensor.name);
    answer_.add_placement(PlacementOf(tensor));
    answer_.add_op_name(static_cast<int32_t>(texts_.Intern(tensor.op_name)));
    answer_.add_location(static_cast<int32_t>(texts_.Intern(tensor.location)));
  }

  // With its texts.
  answers::ShardingColumns& Answer() {
    for (uint32_t k = 0; k < texts_.size(); ++k) answer_.add_texts(texts_[k]);
    return answer_;
  }

 private:
  // The shape, the sharding if there is one, and manual axes.
  using Key =
      std::tuple<const layout::Shape*, bool, sharding::TensorSharding, absl::Span<const int>>;

  static Key KeyOf(const Tensor& tensor) {
    if (tensor.sharding == nullptr) return Key(tensor.shape, false, {}, tensor.manual_axes);
    return Key(tensor.shape, true, *tensor.sharding, tensor.manual_axes);
  }

  int32_t PlacementOf(const Tensor& tensor) {
    const auto [it, is_new] = placements_.try_emplace(KeyOf(tensor), 0);
    if (!is_new) return it->second;
    // Equal shapes may stand in several places of a module: the filled message is compared.
    answers::TensorSharding placement;
    FillPlacement(tensor, &placement);
    it->second = static_cast<int32_t>(distinct_.Intern(placement.SerializeAsString()));
    if (it->second == answer_.placements_size()) *answer_.add_placements() = std::move(placement);
    return it->second;
  }

  text::Interner<std::string> texts_, distinct_;
  absl::flat_hash_map<Key, int32_t> placements_;
  answers::ShardingColumns answer_;
};

}  // namespace

std::string ShardingsAsColumns(const PropagatedModule& sharded, absl::Span<const Tensor> tensors,
                               absl::Span<const Tensor> results, const std::string& reference) {
  Columns columns;
  for (const Tensor& tensor : tensors) columns.Add(tensor, ArgumentOf(sharded.module, tensor));
  for (const Tensor& tensor : results) columns.Add(tensor, std::nullopt);
  answers::ShardingColumns& answer = columns.Answer();
  answer.set_results(static_cast<int64_t>(results.size()));
  FillMeshes(sharded.program->meshes(), answer.mutable_meshes());
  answer.set_reference(reference);
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
