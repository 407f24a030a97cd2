#include "tessera/sharding/graph/import/manual_cleanup.h"

#include <algorithm>
#include <vector>

namespace tessera::sharding::graph {
namespace {

bool DropUnusedArguments(Graph* graph, Op* manual) {
  Block* body = manual->blocks()[0];
  std::vector<bool> unused;
  for (const Value* arg : body->args) unused.push_back(!arg->has_uses());
  if (std::find(unused.begin(), unused.end(), true) == unused.end()) return false;
  for (Value* arg : body->args) {
    if (!arg->has_uses()) arg->MarkGone();
  }
  graph->EraseArgs(body, unused);
  graph->EraseOperands(manual, unused);
  return true;
}

bool IsEmpty(const Op& manual) {
  return manual.operands.empty() && manual.results.empty() &&
         manual.blocks()[0]->first == manual.blocks()[0]->terminator();
}

bool IsOnOneDevice(const Graph& graph, const ManualInfo& info) {
  return std::all_of(info.manual_axes.begin(), info.manual_axes.end(),
                     [&](int axis) { return graph.meshes().mesh(info.mesh).axis_size(axis) == 1; });
}

}  // namespace

void InlineBlock(Graph* graph, Op* op) {
  Block* body = op->blocks()[0];
  for (Value* arg : body->args) {
    Value* outer = op->operand(arg->index());
    arg->ReplaceAllUsesWith(outer);
    arg->ForwardTo(outer);
  }
  std::vector<Value*> yielded;
  for (const Use& use : body->terminator()->operands) yielded.push_back(use.value());
  while (body->first != body->terminator()) graph->Move(body->first, InsertPoint::Before(op));
  graph->EraseArgs(body, std::vector<bool>(body->args.size(), true));
  graph->Replace(op, yielded);
}

bool SimplifyManual(Graph* graph, Op* manual) {
  if (DropUnusedArguments(graph, manual)) return true;
  if (IsEmpty(*manual)) {
    graph->Erase(manual);
    return true;
  }
  const ManualInfo& info = *manual->As<ManualInfo>();
  if (info.mesh == kNoMesh || !IsOnOneDevice(*graph, info)) return false;
  InlineBlock(graph, manual);
  return true;
}

}  // namespace tessera::sharding::graph
