#include "tessera/projection/signatures/indexed/indexed.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "tessera/hlo/literal.h"

namespace tessera::projection {
namespace {

using hlo::IntList;

std::vector<int> ToInts(const IntList& list) { return std::vector<int>(list.begin(), list.end()); }

std::vector<int> DimsOutside(int rank, const IntList& list) {
  std::vector<int> out;
  for (int d = 0; d < rank; ++d) {
    if (!absl::c_linear_search(list, d)) out.push_back(d);
  }
  return out;
}

// The lists under either operation's names.
struct Lists {
  const IntList &window_dims, &dropped, &start_map, &data_batching, &index_batching;
  int64_t index_vector_dim;
};

Indexed Make(const Lists& lists, int outer_rank, ZPoint data, ZPoint indices) {
  Indexed x;
  x.batch_dims = DimsOutside(outer_rank, lists.window_dims);
  x.index_vector_dim = static_cast<int>(lists.index_vector_dim);
  x.index_batch_dims = DimsOutside(indices.rank(), IntList{lists.index_vector_dim});
  x.window_dims = ToInts(lists.window_dims);
  IntList without_window = lists.dropped;
  without_window.insert(without_window.end(), lists.data_batching.begin(),
                        lists.data_batching.end());
  x.window_data_dims = DimsOutside(data.rank(), without_window);
  x.start_dims = ToInts(lists.start_map);
  x.data_batch_dims = ToInts(lists.data_batching);
  for (int64_t index_dim : lists.index_batching) {
    const auto at = std::find(x.index_batch_dims.begin(), x.index_batch_dims.end(),
                              static_cast<int>(index_dim));
    x.data_batch_outer.push_back(x.batch_dims[at - x.index_batch_dims.begin()]);
  }
  x.data = std::move(data);
  x.indices = std::move(indices);
  return x;
}

}  // namespace

bool Indexed::IsIndexed(int data_dim) const {
  return std::find(start_dims.begin(), start_dims.end(), data_dim) != start_dims.end();
}

int Indexed::WindowDimOf(int data_dim) const {
  const auto at = std::find(window_data_dims.begin(), window_data_dims.end(), data_dim);
  return at == window_data_dims.end() ? -1 : window_dims[at - window_data_dims.begin()];
}

Indexed IndexedOfGather(const OpContext& op) {
  const hlo::GatherDimensions d = hlo::GetGatherDimensions(op.module, op.id);
  Indexed x = Make({d.offset_dims, d.collapsed_slice_dims, d.start_index_map,
                    d.operand_batching_dims, d.start_indices_batching_dims, d.index_vector_dim},
                   op.rank(), op.OperandDims(0), op.OperandDims(1));
  x.slice = ZPoint(absl::MakeConstSpan(d.slice_sizes));
  return x;
}

Indexed IndexedOfScatter(const OpContext& op) {
  const hlo::ScatterDimensions d = hlo::GetScatterDimensions(op.module, op.id);
  const int arrays = (op.num_operands() - 1) / 2;  // data..., indices, updates...
  const ZPoint updates = op.OperandDims(arrays + 1);
  Indexed x = Make({d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims,
                    d.input_batching_dims, d.scatter_indices_batching_dims, d.index_vector_dim},
                   updates.rank(), op.OperandDims(0), op.OperandDims(arrays));
  x.slice = ZPoint::Filled(x.data.rank(), 1);
  for (int dim = 0; dim < x.data.rank(); ++dim) {
    if (x.WindowDimOf(dim) >= 0) x.slice[dim] = updates[x.WindowDimOf(dim)];
  }
  return x;
}

std::optional<std::vector<ZPoint>> ConstantStarts(const OpContext& op, int k, const Indexed& x,
                                                  int64_t limit) {
  const hlo::InstructionId id = op.operand(k);
  const std::optional<int64_t> cells = op.module.shape(id).NumElements();
  if (op.module.instruction(id).opcode != hlo::Opcode::kConstant || !cells.has_value() ||
      *cells > limit)
    return {};
  const absl::StatusOr<hlo::Literal> literal =
      hlo::ParseLiteral(op.module.LiteralText(id), op.module.shape(id));
  if (!literal.ok() || literal->elided) return std::nullopt;
  ZPoint batch;
  for (int d : x.index_batch_dims) batch.push_back(x.indices[d]);
  std::vector<ZPoint> starts;
  ForEachCell(ZRange::FromShape(batch), [&](const ZPoint& position) {
    ZPoint start = ZPoint::Filled(x.data.rank(), 0);
    for (size_t c = 0; c < x.start_dims.size(); ++c) {
      int64_t at = 0;
      for (int d = 0, b = 0; d < x.indices.rank(); ++d) {
        const int64_t digit = d == x.index_vector_dim ? static_cast<int64_t>(c) : position[b++];
        at = at * x.indices[d] + digit;
      }
      start[x.start_dims[c]] = literal->IntAt(at);
    }
    for (size_t j = 0; j < x.data_batch_dims.size(); ++j) {
      const auto b = std::find(x.batch_dims.begin(), x.batch_dims.end(), x.data_batch_outer[j]) -
                     x.batch_dims.begin();
      start[x.data_batch_dims[j]] = position[static_cast<int>(b)];
    }
    starts.push_back(std::move(start));
    return true;
  });
  return starts;
}

}  // namespace tessera::projection
