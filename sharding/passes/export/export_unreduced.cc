// Unreduced axes must not get lost: who reads a partial value either returns one that is unreduced
// along the same axes, or reduces it.
//
//   add(p [{}] unreduced={"x"}, q [{}]) -> [{}]                       an error: nothing sums up p
//   add(p, q) -> [{}] unreduced={"x"}                                 fine: so is the sum
//   add(constraint(p) [{}], q) -> [{}]                                fine: constraints reduce
//
// For one op, I are the unreduced axes of all operands but those that a constraint has made, and O
// those of all results.
//
//   I - O   only an all-reduce or reduce-scatter may drop, if it combines as the value wants
//   O - I   anything may add, but a dot sums only, a reduce does what its body does, and the two
//           above add nothing
//   both    combined by the same op before and after
//
// Ops whose tensors lie on several meshes are not looked at, nor are barriers: their readers look
// through them. At the border of functions and manual computations I and O are equal, value by
// value. All this is as in the reference, which ends with an error as well.
//
// Linear in the number of ops; nothing to do in modules without unreduced axes. Tested by
// sharding/passes/testdata/sdy-verify-unreduced-axes.txt.

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/export/skip_barriers.h"
#include "tessera/sharding/passes/export/export.h"
#include "tessera/sharding/passes/program/sharding_access.h"
#include "tessera/sharding/passes/queries/constant_text.h"
#include "tessera/sharding/passes/queries/op_error.h"
#include "tessera/sharding/program/walk.h"
#include "tessera/sharding/trim.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using hlo::Opcode;

constexpr absl::string_view kNames[] = {"sum", "max", "min"};

absl::string_view NameOf(Reduction reduction) { return kNames[static_cast<size_t>(reduction)]; }

bool IsReshard(const Value* value) {
  const Op* def = SkipBarriers(value)->def();
  return def != nullptr && def->kind == OpKind::kReshard;
}

// The unreduced axes of several values; `reduction` comes from the first value that has any.
struct Partial {
  AxisList axes;
  std::optional<Reduction> reduction;
};

void AddTo(Partial* all, const TensorSharding* s, const Mesh& mesh) {
  if (s == nullptr || s->unreduced_axes().empty()) return;
  const AxisList more = SetDifference(s->unreduced_axes(), all->axes, mesh);
  all->axes.insert(all->axes.end(), more.begin(), more.end());
  all->axes = SortAndMerge(all->axes, mesh);
  if (!all->reduction.has_value()) all->reduction = s->reduction();
}

std::string Quoted(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  return absl::StrJoin(axes, ", ", [&](std::string* out, AxisRef axis) {
    absl::StrAppend(out, "'", mesh.axis(axis.axis()).name, "'");
  });
}

std::optional<Reduction> CombinedBy(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
      return Reduction::kSum;
    case Opcode::kMaximum:
      return Reduction::kMax;
    case Opcode::kMinimum:
      return Reduction::kMin;
    default:
      return std::nullopt;
  }
}

// How the computation that an op calls combines, if that is the same for all that it returns.
std::optional<Reduction> CombinedByBody(const hlo::Module& module, const Op* op) {
  const hlo::InstructionId root = module.computation(module.called(op->source)[0]).root;
  if (module.instruction(root).opcode != Opcode::kTuple) {
    return CombinedBy(module.instruction(root).opcode);
  }
  std::optional<Reduction> all;
  for (hlo::InstructionId element : module.operands(root)) {
    const auto one = CombinedBy(module.instruction(element).opcode);
    if (!one.has_value() || (all.has_value() && all != one)) return std::nullopt;
    all = one;
  }
  return all;
}

class Checker {
 public:
  explicit Checker(HloProgram& program) : program_(program) {}

  absl::Status Visit(const Op* op) {
    switch (op->kind) {
      case OpKind::kPropagationBarrier:
        return absl::OkStatus();
      case OpKind::kReshard:
        return CheckReshard(op);
      case OpKind::kCall:
        return CheckCall(op);
      case OpKind::kReturn:
        return CheckReturn(op);
      default:
        return CheckPlain(op);
    }
  }

 private:
  const TensorSharding* Of(const Value* value) {
    return program_.Find(EffectiveSharding(program_, SkipBarriers(value)));
  }
  const Mesh& MeshOf(const TensorSharding* s) const { return program_.meshes().mesh(s->mesh_id()); }

  // The mesh of everything that the op reads and makes, reshards aside; null if there is none or
  // more than one.
  const Mesh* OnlyMesh(const Op* op) {
    MeshId only = kNoMesh;
    bool several = false;
    const auto see = [&](const TensorSharding* s) {
      if (s == nullptr) return;
      several |= only != kNoMesh && only != s->mesh_id();
      only = s->mesh_id();
    };
    for (const Use& use : op->operands) {
      if (!IsReshard(use.value())) see(Of(use.value()));
    }
    for (const Value& result : op->results) see(program_.Find(&result));
    return several || only == kNoMesh ? nullptr : &program_.meshes().mesh(only);
  }

  // In a dump after the pass, the calls of XLA that change the shape; unreduced axes pass them.
  bool IsBorderOfManual(const Op* op) const {
    if (!HasOpcode(op, Opcode::kCustomCall) || op->source == hlo::kNoId) return false;
    const auto target =
        program_.module().FindAttribute(op->source, hlo::AttributeName::kCustomCallTarget);
    return target == "\"SPMDFullToShardShape\"" || target == "\"SPMDShardToFullShape\"";
  }

  absl::Status CheckPlain(const Op* op) {
    const Mesh* mesh = OnlyMesh(op);
    if (mesh == nullptr || IsBorderOfManual(op)) return absl::OkStatus();
    Partial in, out;
    for (const Use& use : op->operands) {
      if (!IsReshard(use.value())) AddTo(&in, Of(use.value()), *mesh);
    }
    for (const Value& result : op->results) AddTo(&out, program_.Find(&result), *mesh);
    if (in.axes.empty() && out.axes.empty()) return absl::OkStatus();
    TESSERA_RETURN_IF_ERROR(CheckResultsAgree(op, out));
    TESSERA_RETURN_IF_ERROR(CheckKept(op, out, *mesh));
    TESSERA_RETURN_IF_ERROR(CheckAdded(op, SetDifference(out.axes, in.axes, *mesh), out, *mesh));
    return CheckDropped(op, SetDifference(in.axes, out.axes, *mesh), *in.reduction, *mesh);
  }

  absl::Status CheckResultsAgree(const Op* op, const Partial& out) {
    for (const Value& result : op->results) {
      const TensorSharding* s = program_.Find(&result);
      if (s == nullptr || s->unreduced_axes().empty() || s->reduction() == out.reduction) continue;
      return Error(
          op, absl::StrCat("results are unreduced by ", NameOf(*out.reduction), " and by ",
                           NameOf(s->reduction()), "; all results of one op take one of them"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckKept(const Op* op, const Partial& out, const Mesh& mesh) {
    for (const Use& use : op->operands) {
      const TensorSharding* s = IsReshard(use.value()) ? nullptr : Of(use.value());
      if (s != nullptr) TESSERA_RETURN_IF_ERROR(CheckSameReduction(op, *s, out, mesh));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSameReduction(const Op* op, const TensorSharding& in, const Partial& out,
                                  const Mesh& mesh) {
    if (!out.reduction.has_value() || *out.reduction == in.reduction()) return absl::OkStatus();
    const AxisList dropped = SetDifference(in.unreduced_axes(), out.axes, mesh);
    if (dropped == AxisList(in.unreduced_axes())) return absl::OkStatus();
    return Error(
        op, absl::StrCat("an operand is unreduced by ", NameOf(in.reduction()),
                         ", the result along the same axes by ", NameOf(*out.reduction),
                         "; constrain the operand to a sharding without unreduced axes first"));
  }

  absl::Status CheckAdded(const Op* op, const AxisList& added, const Partial& out,
                          const Mesh& mesh) {
    if (added.empty()) return absl::OkStatus();
    std::optional<Reduction> allowed = out.reduction;
    if (HasOpcode(op, Opcode::kDot)) allowed = Reduction::kSum;
    if (HasOpcode(op, Opcode::kReduce)) allowed = CombinedByBody(program_.module(), op);
    if (Reduces(op)) allowed = std::nullopt;
    if (allowed == out.reduction) return absl::OkStatus();
    const std::string what = allowed.has_value()
                                 ? absl::StrCat("it can only be unreduced by ", NameOf(*allowed))
                                 : "it has no partial result";
    return Error(op, absl::StrCat("the result cannot become unreduced along ", Quoted(added, mesh),
                                  " by ", NameOf(*out.reduction), "; ", what));
  }

  absl::Status CheckDropped(const Op* op, const AxisList& dropped, Reduction wanted,
                            const Mesh& mesh) {
    if (dropped.empty()) return absl::OkStatus();
    if (Reduces(op) && CombinedByBody(program_.module(), op) == wanted) return absl::OkStatus();
    return Error(
        op, absl::StrCat("an operand is unreduced along ", Quoted(dropped, mesh), " by ",
                         NameOf(wanted),
                         ", which the op does not reduce and the result does not "
                         "keep; constrain the operand to a sharding without unreduced axes first"));
  }

  absl::Status CheckReshard(const Op* op) {
    const TensorSharding* in = Of(op->operand(0));
    const TensorSharding* result = program_.Find(op->result());
    if (in == nullptr || result == nullptr || in->mesh_id() != result->mesh_id()) {
      return absl::OkStatus();
    }
    Partial out;
    AddTo(&out, result, MeshOf(result));
    return CheckSameReduction(op, *in, out, MeshOf(result));
  }

  absl::Status CheckCall(const Op* op) {
    const Function& callee = *op->As<CallInfo>()->callee;
    for (const Value* arg : callee.body->args) {
      const Value* operand = op->operand(arg->index());
      if (IsReshard(operand)) continue;
      TESSERA_RETURN_IF_ERROR(
          CheckSame(op, Of(operand), program_.Find(arg), "operand", arg->index()));
    }
    for (const Value& result : op->results) {
      const ShardingId given = callee.result_shardings[static_cast<size_t>(result.index())];
      TESSERA_RETURN_IF_ERROR(
          CheckSame(op, program_.Find(given), program_.Find(&result), "result", result.index()));
    }
    return absl::OkStatus();
  }

  // A function or a manual computation must return the unreduced axes of its result; other regions
  // need not.
  absl::Status CheckReturn(const Op* op) {
    const Op* parent = op->block->parent;
    if (parent != nullptr && parent->kind != OpKind::kManualComputation) return absl::OkStatus();
    for (int i = 0; i < op->num_operands(); ++i) {
      const ShardingId id = parent != nullptr
                                ? parent->result(i)->sharding()
                                : op->block->function->result_shardings[static_cast<size_t>(i)];
      if (id == kNoSharding || IsReshard(op->operand(i))) continue;
      TensorSharding wanted = *program_.Find(id);
      if (parent != nullptr)
        wanted = EraseManualAxes(wanted, parent->As<ManualInfo>()->manual_axes);
      TESSERA_RETURN_IF_ERROR(CheckSame(op, Of(op->operand(i)), &wanted, "returned value", i));
    }
    return absl::OkStatus();
  }

  absl::Status CheckSame(const Op* op, const TensorSharding* from, const TensorSharding* to,
                         absl::string_view what, int number) {
    static const TensorSharding kNothing;
    const TensorSharding& a = from == nullptr ? kNothing : *from;
    const TensorSharding& b = to == nullptr ? kNothing : *to;
    if (a.unreduced_axes() == b.unreduced_axes() &&
        (a.unreduced_axes().empty() || a.mesh_id() == b.mesh_id())) {
      return absl::OkStatus();
    }
    const auto axes = [&](const TensorSharding& s) {
      return s.unreduced_axes().empty()
                 ? std::string("no axes")
                 : Quoted(s.unreduced_axes(), program_.meshes().mesh(s.mesh_id()));
    };
    return Error(
        op, absl::StrCat(what, " ", number, " is unreduced along ", axes(a), " but wanted along ",
                         axes(b), "; constrain the value to the sharding that is wanted"));
  }

  static bool Reduces(const Op* op) {
    return HasOpcode(op, Opcode::kAllReduce) || HasOpcode(op, Opcode::kReduceScatter);
  }
  absl::Status Error(const Op* op, absl::string_view message) const {
    return ErrorAtOp(program_, op, message);
  }

  HloProgram& program_;
};

}  // namespace

absl::Status CheckUnreduced(HloProgram& program) {
  if (!AnyUnreduced(program)) return absl::OkStatus();
  Checker checker(program);
  absl::Status status;
  ForEachOp(program, [&](Op* op) {
    if (status.ok()) status = checker.Visit(op);
  });
  return status;
}

}  // namespace tessera::sharding::passes
