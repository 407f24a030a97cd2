#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/layout/advise.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/schema/layout_answer.pb.h"
#include "tessera/pipeline/verbs/layout/layout_answer.h"
#include "tessera/text/message_json/message_json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using answers::LayoutAnswer;
using google::protobuf::RepeatedField;
using google::protobuf::RepeatedPtrField;
using layout::Shape;

constexpr size_t kMaxEqualsOfJson = 24;

void Put(absl::Span<const int64_t> values, RepeatedField<int64_t>* to) {
  to->Add(values.begin(), values.end());
}

absl::Status FillSizes(const Shape& shape, LayoutAnswer* to) {
  TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
  to->set_text(layout::ShapeToString(shape));
  if (shape.array().is_array()) {
    to->set_elements(sizes.elements);
    to->set_expanded_elements(sizes.expanded_elements);
    to->set_total_elements(sizes.total_elements);
    to->set_bits_per_element(sizes.bits_per_element);
    Put(sizes.level_padding, to->mutable_level_padding());
    to->set_tail_padding(sizes.tail_padding);
  }
  to->set_data_bytes(sizes.data_bytes);
  to->set_padded_bytes(sizes.padded_bytes);
  to->set_alloc_bytes(sizes.alloc_bytes);
  if (sizes.xla_array_size) to->set_xla_array_size(*sizes.xla_array_size);
  return absl::OkStatus();
}

absl::Status FillLeaves(const Shape& shape, LayoutAnswer* to) {
  absl::Status status;
  to->set_has_leaves(true);
  layout::ForEachLeaf(shape, [&](const Shape& leaf) {
    if (status.ok()) status = FillSizes(leaf, to->add_leaves());
  });
  return status;
}

absl::Status FillQuery(const LayoutRequest& request, LayoutAnswer* to) {
  TESSERA_ASSIGN_OR_RETURN(const auto map, layout::IndexMap::Create(request.shape));
  Put(map.tiling().final_sizes(), to->mutable_expanded());
  to->set_total(map.total());
  answers::LayoutQuery* query = to->mutable_query();
  if (request.index) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t offset, map.Offset(*request.index));
    query->set_offset(offset);
    query->set_has_index(true);
    Put(*request.index, query->mutable_index());
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const auto index, map.IndexAt(*request.offset));
  query->set_offset(*request.offset);
  if (!index) return absl::OkStatus();
  query->set_has_index(true);
  Put(*index, query->mutable_index());
  return absl::OkStatus();
}

void FillOps(const std::vector<layout::ArrayOp>& ops, RepeatedPtrField<answers::LayoutOp>* to) {
  for (const layout::ArrayOp& op : ops) {
    answers::LayoutOp* one = to->Add();
    one->set_op(std::string(layout::ArrayOpName(op.kind)));
    const absl::string_view argument = layout::ArrayOpArgumentName(op.kind);
    if (argument == "perm") Put(op.argument, one->mutable_perm());
    if (argument == "high") Put(op.argument, one->mutable_high());
    if (argument == "limit") Put(op.argument, one->mutable_limit());
    Put(op.dims, one->mutable_dims());
  }
}

absl::Status FillDecomposition(const LayoutRequest& request, LayoutAnswer* to) {
  TESSERA_ASSIGN_OR_RETURN(const auto ops, layout::Decompose(request.shape));
  to->set_has_ops(true);
  FillOps(ops, to->mutable_ops());
  FillOps(layout::Invert(ops, request.shape.array().dims()), to->mutable_inverse());
  if (!request.hlo) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(*to->mutable_hlo(), layout::DecomposeToHlo(request.shape));
  return absl::OkStatus();
}

void FillEquals(const layout::Advice& advice, answers::LayoutAdvice* to) {
  to->set_min_count(static_cast<int64_t>(advice.equals.size()));
  if (advice.equals.size() > kMaxEqualsOfJson) return;
  for (const Shape& shape : advice.equals) to->add_min_set(layout::ShapeToString(shape));
  std::sort(to->mutable_min_set()->begin(), to->mutable_min_set()->end());
}

absl::Status FillAdvice(const LayoutRequest& request, answers::LayoutAdvice* to) {
  TESSERA_ASSIGN_OR_RETURN(const auto advice, layout::Advise(request.shape, *request.rules));
  to->set_rule(request.rules->name);
  to->set_data_bytes(advice.data_bytes);
  to->set_current_bytes(advice.current_bytes);
  to->set_padded_bytes(advice.best_bytes);
  to->set_best(layout::ShapeToString(advice.best));
  FillEquals(advice, to);
  to->set_same_order_best(layout::ShapeToString(advice.same_order_best));
  to->set_same_order_bytes(advice.same_order_bytes);
  to->set_already_optimal(advice.already_optimal);
  *to->mutable_remarks() = {advice.remarks.begin(), advice.remarks.end()};
  return absl::OkStatus();
}

absl::Status FillRelayout(const LayoutRequest& request, answers::LayoutRelayout* to) {
  TESSERA_ASSIGN_OR_RETURN(const auto plan,
                           layout::relayout::Plan::Create(request.shape, *request.to));
  to->set_to(layout::ShapeToString(*request.to));
  to->set_data_bytes(plan.data_bytes());
  to->set_src_bytes(plan.src_bytes());
  to->set_dst_bytes(plan.dst_bytes());
  for (const layout::relayout::PlanPiece& piece : plan.Pieces()) {
    answers::LayoutPiece* one = to->add_pieces();
    one->set_bytes(piece.bytes);
    one->set_work(piece.work);
  }
  return absl::OkStatus();
}

absl::Status FillPictures(const LayoutRequest& request, LayoutAnswer* to) {
  if (request.draw) {
    TESSERA_ASSIGN_OR_RETURN(const std::string picture, layout::Draw(request.shape));
    const std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(picture, "\n"), '\n');
    *to->mutable_lines() = {lines.begin(), lines.end()};
  }
  if (request.memory) {
    TESSERA_ASSIGN_OR_RETURN(*to->mutable_memory(), layout::DrawMemory(request.shape));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LayoutAnswerJson(const LayoutRequest& request) {
  LayoutAnswer answer;
  TESSERA_RETURN_IF_ERROR(FillSizes(request.shape, &answer));
  if (request.whole) {
    answer.set_whole(layout::ShapeToString(*request.whole));
    answer.set_sharding(request.sharding);
  }
  if (request.shape.is_tuple()) TESSERA_RETURN_IF_ERROR(FillLeaves(request.shape, &answer));
  if (request.index || request.offset) TESSERA_RETURN_IF_ERROR(FillQuery(request, &answer));
  if (request.ops || request.hlo) TESSERA_RETURN_IF_ERROR(FillDecomposition(request, &answer));
  if (request.rules) TESSERA_RETURN_IF_ERROR(FillAdvice(request, answer.mutable_advice()));
  if (request.to) TESSERA_RETURN_IF_ERROR(FillRelayout(request, answer.mutable_relayout()));
  TESSERA_RETURN_IF_ERROR(FillPictures(request, &answer));
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
