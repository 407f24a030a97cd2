#include "tessera/sharding/passes/import/shard_map_border.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/manual_check.h"
#include "tessera/sharding/passes/import/annotations/named_annotations.h"
#include "tessera/sharding/passes/import/custom_calls.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using Shardings = std::vector<ShardingId>;
using Names = std::vector<std::string>;

// The boundary of a shard_map, from its calls.
struct Border {
  Shardings in, out;
  Names manual_axes;
};

// One side of a shard_map, as the checks want it.
struct Side {
  std::vector<TensorSharding> shardings;
  std::vector<ValueType> global_types, local_types;

  void Add(const HloProgram& program, ShardingId sharding, const Value& global,
           const Value& local) {
    shardings.push_back(*program.Find(sharding));
    global_types.push_back(TypeOf(global));
    local_types.push_back(TypeOf(local));
  }
  ManualBoundary boundary() const { return {shardings, global_types, local_types}; }
};

// The mesh is the first one of the shardings that has axes.
MeshId CommonMesh(const HloProgram& program, const Op& manual) {
  MeshId mesh = kNoMesh;
  const auto look = [&](const Value& value) {
    const TensorSharding* s = program.Find(&value);
    if (s == nullptr || (mesh != kNoMesh && !program.meshes().mesh(mesh).is_empty())) return;
    mesh = s->mesh_id();
  };
  for (const Value* arg : manual.blocks()[0]->args) look(*arg);
  for (const Value& result : manual.results) look(result);
  return mesh;
}

class BorderImporter {
 public:
  BorderImporter(HloProgram* program, SdyAttributeReader* frontend, Op* manual, const Op* enter,
                 const Op* leave)
      : program_(*program), frontend_(*frontend), manual_(*manual), enter_(enter), leave_(leave) {}

  absl::Status Run() {
    TESSERA_ASSIGN_OR_RETURN(const Border border,
                             IsNamedBorder(program_, enter_, leave_) ? ReadNamed() : ReadSdy());
    TESSERA_RETURN_IF_ERROR(SetShardings(border.in, border.out));
    ManualInfo* info = program_.NewPayload<ManualInfo>(&manual_);
    if (enter_ != nullptr) info->global_to_local = enter_->source;
    if (leave_ != nullptr) info->local_to_global = leave_->source;
    TESSERA_RETURN_IF_ERROR(Verify(border.manual_axes));
    info->mesh = CommonMesh(program_, manual_);
    TESSERA_ASSIGN_OR_RETURN(info->manual_axes, FindAxes(info->mesh, border.manual_axes));
    return absl::OkStatus();
  }

 private:
  absl::Status Error(absl::string_view text) const {
    return frontend_.ErrorAt(manual_.source, text);
  }

  // From the frontend attributes. Both calls name the axes; one is enough.
  absl::StatusOr<Border> ReadSdy() {
    Border border;
    if (enter_ != nullptr) {
      TESSERA_ASSIGN_OR_RETURN(border.in,
                               frontend_.ShardingList(enter_->source, kInShardingsAttribute));
      TESSERA_ASSIGN_OR_RETURN(border.manual_axes, frontend_.ManualAxes(enter_->source));
    }
    if (leave_ == nullptr) return border;
    TESSERA_ASSIGN_OR_RETURN(border.out,
                             frontend_.ShardingList(leave_->source, kOutShardingsAttribute));
    if (!border.manual_axes.empty()) return border;
    TESSERA_ASSIGN_OR_RETURN(border.manual_axes, frontend_.ManualAxes(leave_->source));
    return border;
  }

  // From `sharding=` of the Sharding calls before the entering and after the leaving values and,
  // for the axes, of the call.
  absl::StatusOr<Border> ReadNamed() {
    Border border;
    const size_t num_operands = enter_ == nullptr ? 0 : enter_->operands.size();
    for (size_t i = 0; i < num_operands; ++i) {
      const Value* operand = enter_->operand(static_cast<int>(i));
      if (!IsBoundaryConstraint(program_, *operand)) {
        return Error(absl::StrCat("operand ", i,
                                  " of xla.sdy.GlobalToLocalShape must come from a "
                                  "custom call Sharding with its in-sharding"));
      }
      border.in.push_back(operand->sharding());
    }
    if (leave_ != nullptr) {
      TESSERA_ASSIGN_OR_RETURN(const auto out, Annotation(*leave_));
      for (const NamedAnnotation& leaf : out) border.out.push_back(leaf.sharding);
    }
    for (const Op* inside : {static_cast<const Op*>(&manual_), enter_}) {
      if (inside == nullptr || !border.manual_axes.empty()) continue;
      TESSERA_ASSIGN_OR_RETURN(const auto list, Annotation(*inside));
      for (const NamedAnnotation& leaf : list) {
        if (border.manual_axes.empty()) border.manual_axes = leaf.manual_axes;
      }
    }
    return border;
  }

  absl::StatusOr<std::vector<NamedAnnotation>> Annotation(const Op& op) {
    auto list = ReadNamedAnnotation(&program_, op.source);
    if (!list.ok()) return frontend_.ErrorAt(op.source, list.status().message());
    return list;
  }

  absl::Status SetShardings(const Shardings& in, const Shardings& out) {
    // {replicated} has no mesh, and counts as none.
    if (absl::c_linear_search(in, kNoSharding) || absl::c_linear_search(out, kNoSharding)) {
      return Error(
          "each in-sharding and out-sharding of a shard_map needs a mesh, as in "
          "{mesh['x'=2], [{}, {}]}");
    }
    const Block* body = manual_.blocks()[0];
    if (in.size() != manual_.operands.size() || in.size() != body->args.size() ||
        out.size() != manual_.results.size() || out.size() != body->terminator()->operands.size()) {
      return Error(
          "a shard_map needs one in-sharding for each operand and one out-sharding for each "
          "result");
    }
    for (size_t i = 0; i < in.size(); ++i) {
      const Value& operand = *manual_.operand(static_cast<int>(i));
      TESSERA_RETURN_IF_ERROR(frontend_.Check(in[i], operand, manual_.source));
      body->args[i]->set_sharding(in[i]);
    }
    for (size_t i = 0; i < out.size(); ++i) {
      TESSERA_RETURN_IF_ERROR(frontend_.Check(out[i], manual_.results[i], manual_.source));
      manual_.results[i].set_sharding(out[i]);
    }
    return absl::OkStatus();
  }

  absl::Status Verify(const Names& manual_axes) const {
    const Block& body = *manual_.blocks()[0];
    Side in, out;
    for (const Value* arg : body.args) {
      in.Add(program_, arg->sharding(), *manual_.operand(arg->index()), *arg);
    }
    for (const Value& result : manual_.results) {
      out.Add(program_, result.sharding(), result, *body.terminator()->operand(result.index()));
    }
    const absl::Status status =
        VerifyManualComputation(in.boundary(), out.boundary(), manual_axes, {}, program_.meshes());
    return status.ok() ? status : Error(status.message());
  }

  absl::StatusOr<std::vector<int>> FindAxes(MeshId mesh, const Names& names) const {
    std::vector<int> axes;
    for (const std::string& name : names) {
      const std::optional<int> axis =
          mesh == kNoMesh ? std::nullopt : program_.meshes().mesh(mesh).FindAxis(name);
      if (!axis.has_value()) return Error(absl::StrCat("unknown manual axis \"", name, "\""));
      axes.push_back(*axis);
    }
    return axes;
  }

  HloProgram& program_;
  SdyAttributeReader& frontend_;
  Op& manual_;
  const Op* enter_;
  const Op* leave_;
};

}  // namespace

bool IsNamedBorder(const HloProgram& program, const Op* enter, const Op* leave) {
  for (const Op* call : {enter, leave}) {
    if (call == nullptr) continue;
    if (hlo::GetFrontendAttribute(program.module(), call->source, kManualAxesAttribute))
      return false;
  }
  return true;
}

bool IsBoundaryConstraint(const HloProgram& program, const Value& operand) {
  const Op* def = operand.def();
  return def != nullptr && MarkOf(program.module(), *def) == Mark::kSharding &&
         def->num_operands() == 1 && operand.has_sharding();
}

absl::Status SetShardMapBorder(HloProgram* program, SdyAttributeReader* frontend, Op* manual,
                               const Op* enter, const Op* leave) {
  return BorderImporter(program, frontend, manual, enter, leave).Run();
}

}  // namespace tessera::sharding::passes
