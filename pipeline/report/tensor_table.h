// The rows of the page: arrays of instructions in order of the text, then the module's results.
//
//   const TensorTable table(*explained.sharded);
//   table.row(instruction, /*leaf=*/1);     // of while.3{1}; kNoRow if the page does not have it
//   table.result_row(0);
//   table.SlotOf(explained, row);           // to ask why
//
// Tensors that propagation dropped have no row, nor have tuples and get-tuple-elements.

#ifndef TESSERA_PIPELINE_REPORT_TENSOR_TABLE_H_
#define TESSERA_PIPELINE_REPORT_TENSOR_TABLE_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/explain/explained.h"
#include "tessera/pipeline/tensors.h"

namespace tessera::pipeline {

inline constexpr int kNoRow = -1;

class TensorTable {
 public:
  // `sharded` is finished and must outlive the table.
  explicit TensorTable(const PropagatedModule& sharded);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  int size() const { return static_cast<int>(tensors_.size()); }
  bool is_result(int row) const { return row >= first_result_; }

  int row(hlo::InstructionId instruction, int leaf) const;
  // Of a result of the module, by the number of its leaf.
  int result_row(int leaf) const;
  // By name; of names that several computations have, the first.
  int row(absl::string_view name) const;
  // kNoIndex for what propagation never saw.
  sharding::explain::SlotId SlotOf(const Explained& explained, int row) const;

 private:
  std::vector<Tensor> tensors_;
  int first_result_ = 0;
  absl::flat_hash_map<std::pair<hlo::InstructionId, int>, int> rows_, results_;
  absl::flat_hash_map<std::string, int> by_name_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_REPORT_TENSOR_TABLE_H_
