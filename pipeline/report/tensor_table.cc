#include "tessera/pipeline/report/tensor_table.h"

#include <iterator>

namespace tessera::pipeline {

TensorTable::TensorTable(const PropagatedModule& sharded) : tensors_(ListTensors(sharded)) {
  first_result_ = size();
  std::vector<Tensor> results = ListResults(sharded);
  tensors_.insert(tensors_.end(), std::make_move_iterator(results.begin()),
                  std::make_move_iterator(results.end()));
  for (int r = 0; r < size(); ++r) {
    const Tensor& tensor = tensors_[static_cast<size_t>(r)];
    (is_result(r) ? results_ : rows_).try_emplace({tensor.instruction, tensor.leaf}, r);
    by_name_.try_emplace(tensor.name, r);
  }
}

int TensorTable::row(hlo::InstructionId instruction, int leaf) const {
  const auto found = rows_.find({instruction, leaf});
  return found == rows_.end() ? kNoRow : found->second;
}

int TensorTable::result_row(int leaf) const {
  if (first_result_ == size()) return kNoRow;
  const auto found = results_.find({tensors_.back().instruction, leaf});
  return found == results_.end() ? kNoRow : found->second;
}

int TensorTable::row(absl::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? kNoRow : found->second;
}

sharding::explain::SlotId TensorTable::SlotOf(const Explained& explained, int row) const {
  const Tensor& tensor = tensors_[static_cast<size_t>(row)];
  if (is_result(row)) return explained.log->SlotOfOutput(tensor.leaf);
  const auto value = explained.names->ValueOf(tensor.instruction, tensor.leaf);
  if (value == sharding::propagation::kNone) return sharding::explain::kNoIndex;
  return explained.log->SlotOf(value);
}

}  // namespace tessera::pipeline
