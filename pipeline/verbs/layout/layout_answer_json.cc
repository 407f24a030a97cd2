#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/layout/advise.h"
#include "tessera/layout/decompose.h"
#include "tessera/layout/draw.h"
#include "tessera/layout/index_map.h"
#include "tessera/layout/relayout/plan.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/verbs/layout/layout_answer.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using layout::Shape;
using text::JsonWriter;

constexpr size_t kMaxEqualsOfJson = 24;

void WriteMember(const char* key, int64_t value, JsonWriter* json) { json->Key(key).Int(value); }

absl::Status WriteSizes(const Shape& shape, JsonWriter* json) {
  TESSERA_ASSIGN_OR_RETURN(const layout::MemorySizes sizes, layout::SizesOf(shape));
  json->Key("text").String(layout::ShapeToString(shape));
  if (shape.array().is_array()) {
    WriteMember("elements", sizes.elements, json);
    WriteMember("expanded_elements", sizes.expanded_elements, json);
    WriteMember("total_elements", sizes.total_elements, json);
    WriteMember("bits_per_element", sizes.bits_per_element, json);
    json->Key("level_padding").Ints(sizes.level_padding);
    WriteMember("tail_padding", sizes.tail_padding, json);
  }
  WriteMember("data_bytes", sizes.data_bytes, json);
  WriteMember("padded_bytes", sizes.padded_bytes, json);
  WriteMember("alloc_bytes", sizes.alloc_bytes, json);
  json->Key("xla_array_size");
  if (sizes.xla_array_size) {
    json->Int(*sizes.xla_array_size);
  } else {
    json->Null();
  }
  return absl::OkStatus();
}

absl::Status WriteLeaves(const Shape& shape, JsonWriter* json) {
  absl::Status status;
  json->Key("leaves").BeginArray();
  layout::ForEachLeaf(shape, [&](const Shape& leaf) {
    if (!status.ok()) return;
    json->BeginObject();
    status = WriteSizes(leaf, json);
    json->EndObject();
  });
  json->EndArray();
  return status;
}

absl::Status WriteQuery(const LayoutRequest& request, JsonWriter* json) {
  TESSERA_ASSIGN_OR_RETURN(const auto map, layout::IndexMap::Create(request.shape));
  json->Key("expanded").Ints(map.tiling().final_sizes());
  WriteMember("total", map.total(), json);
  json->Key("query").BeginObject();
  if (request.index) {
    TESSERA_ASSIGN_OR_RETURN(const int64_t offset, map.Offset(*request.index));
    json->Key("index").Ints(*request.index).Key("offset").Int(offset);
  } else {
    TESSERA_ASSIGN_OR_RETURN(const auto index, map.IndexAt(*request.offset));
    json->Key("index");
    if (index) {
      json->Ints(*index);
    } else {
      json->Null();
    }
    json->Key("offset").Int(*request.offset);
  }
  json->EndObject();
  return absl::OkStatus();
}

void WriteOps(const char* key, const std::vector<layout::ArrayOp>& ops, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const layout::ArrayOp& op : ops) {
    json->BeginObject().Key("op").String(layout::ArrayOpName(op.kind));
    const absl::string_view argument = layout::ArrayOpArgumentName(op.kind);
    if (!argument.empty()) json->Key(argument).Ints(op.argument);
    json->Key("dims").Ints(op.dims).EndObject();
  }
  json->EndArray();
}

absl::Status WriteDecomposition(const LayoutRequest& request, JsonWriter* json) {
  TESSERA_ASSIGN_OR_RETURN(const auto ops, layout::Decompose(request.shape));
  WriteOps("ops", ops, json);
  WriteOps("inverse", layout::Invert(ops, request.shape.array().dims()), json);
  if (!request.hlo) return absl::OkStatus();
  TESSERA_ASSIGN_OR_RETURN(const std::string module, layout::DecomposeToHlo(request.shape));
  json->Key("hlo").String(module);
  return absl::OkStatus();
}

void WriteEquals(const layout::Advice& advice, JsonWriter* json) {
  WriteMember("min_count", static_cast<int64_t>(advice.equals.size()), json);
  if (advice.equals.size() > kMaxEqualsOfJson) {
    json->Key("min_set").Null();
    return;
  }
  std::vector<std::string> texts;
  for (const Shape& shape : advice.equals) texts.push_back(layout::ShapeToString(shape));
  std::sort(texts.begin(), texts.end());
  json->Key("min_set").Strings(texts);
}

absl::Status WriteAdvice(const LayoutRequest& request, JsonWriter* json) {
  TESSERA_ASSIGN_OR_RETURN(const auto advice, layout::Advise(request.shape, *request.rules));
  json->Key("advice").BeginObject();
  json->Key("rule").String(request.rules->name);
  WriteMember("data_bytes", advice.data_bytes, json);
  WriteMember("current_bytes", advice.current_bytes, json);
  WriteMember("padded_bytes", advice.best_bytes, json);
  json->Key("best").String(layout::ShapeToString(advice.best));
  WriteEquals(advice, json);
  json->Key("same_order_best").String(layout::ShapeToString(advice.same_order_best));
  WriteMember("same_order_bytes", advice.same_order_bytes, json);
  json->Key("already_optimal").Bool(advice.already_optimal);
  json->Key("remarks").Strings(advice.remarks);
  json->EndObject();
  return absl::OkStatus();
}

absl::Status WriteRelayout(const LayoutRequest& request, JsonWriter* json) {
  TESSERA_ASSIGN_OR_RETURN(const auto plan,
                           layout::relayout::Plan::Create(request.shape, *request.to));
  json->Key("relayout").BeginObject();
  json->Key("to").String(layout::ShapeToString(*request.to));
  WriteMember("data_bytes", plan.data_bytes(), json);
  WriteMember("src_bytes", plan.src_bytes(), json);
  WriteMember("dst_bytes", plan.dst_bytes(), json);
  json->Key("pieces").BeginArray();
  for (const layout::relayout::PlanPiece& piece : plan.Pieces()) {
    json->BeginObject();
    WriteMember("bytes", piece.bytes, json);
    json->Key("work").String(piece.work).EndObject();
  }
  json->EndArray();
  json->EndObject();
  return absl::OkStatus();
}

absl::Status WritePictures(const LayoutRequest& request, JsonWriter* json) {
  if (request.draw) {
    TESSERA_ASSIGN_OR_RETURN(const std::string picture, layout::Draw(request.shape));
    const std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(picture, "\n"), '\n');
    json->Key("lines").Strings(lines);
  }
  if (request.memory) {
    TESSERA_ASSIGN_OR_RETURN(const std::string memory, layout::DrawMemory(request.shape));
    json->Key("memory").String(memory);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> LayoutAnswerJson(const LayoutRequest& request) {
  JsonWriter json;
  json.BeginObject();
  TESSERA_RETURN_IF_ERROR(WriteSizes(request.shape, &json));
  if (request.whole) {
    json.Key("whole").String(layout::ShapeToString(*request.whole));
    json.Key("sharding").String(request.sharding);
  }
  if (request.shape.is_tuple()) TESSERA_RETURN_IF_ERROR(WriteLeaves(request.shape, &json));
  if (request.index || request.offset) TESSERA_RETURN_IF_ERROR(WriteQuery(request, &json));
  if (request.ops || request.hlo) TESSERA_RETURN_IF_ERROR(WriteDecomposition(request, &json));
  if (request.rules) TESSERA_RETURN_IF_ERROR(WriteAdvice(request, &json));
  if (request.to) TESSERA_RETURN_IF_ERROR(WriteRelayout(request, &json));
  TESSERA_RETURN_IF_ERROR(WritePictures(request, &json));
  json.EndObject();
  return absl::StrCat(json.text(), "\n");
}

}  // namespace tessera::pipeline
