#include "tessera/sharding/passes/import/manual_cleanup.h"

#include <algorithm>
#include <vector>

namespace tessera::sharding::passes {
namespace {

bool DropUnusedArguments(HloProgram* program, Op* manual) {
  Block* body = manual->blocks()[0];
  std::vector<bool> unused;
  for (const Value* arg : body->args) unused.push_back(!arg->has_uses());
  if (std::find(unused.begin(), unused.end(), true) == unused.end()) return false;
  for (Value* arg : body->args) {
    if (!arg->has_uses()) arg->MarkGone();
  }
  program->EraseArgs(body, unused);
  program->EraseOperands(manual, unused);
  return true;
}

bool IsEmpty(const Op& manual) {
  return manual.operands.empty() && manual.results.empty() &&
         manual.blocks()[0]->first == manual.blocks()[0]->terminator();
}

bool IsOnOneDevice(const HloProgram& program, const ManualInfo& info) {
  return std::all_of(info.manual_axes.begin(), info.manual_axes.end(), [&](int axis) {
    return program.meshes().mesh(info.mesh).axis_size(axis) == 1;
  });
}

}  // namespace

void InlineBlock(HloProgram* program, Op* op) {
  Block* body = op->blocks()[0];
  for (Value* arg : body->args) {
    Value* outer = op->operand(arg->index());
    arg->ReplaceAllUsesWith(outer);
    arg->ForwardTo(outer);
  }
  std::vector<Value*> yielded;
  for (const Use& use : body->terminator()->operands) yielded.push_back(use.value());
  while (body->first != body->terminator()) program->Move(body->first, InsertPoint::Before(op));
  program->EraseArgs(body, std::vector<bool>(body->args.size(), true));
  program->Replace(op, yielded);
}

bool SimplifyManual(HloProgram* program, Op* manual) {
  if (DropUnusedArguments(program, manual)) return true;
  if (IsEmpty(*manual)) {
    program->Erase(manual);
    return true;
  }
  const ManualInfo& info = *manual->As<ManualInfo>();
  if (info.mesh == kNoMesh || !IsOnOneDevice(*program, info)) return false;
  InlineBlock(program, manual);
  return true;
}

}  // namespace tessera::sharding::passes
