#include "tessera/sharding/graph/import/shard_map_border.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/sharding/frontend.h"
#include "tessera/sharding/manual_check.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::graph {
namespace {

using Shardings = std::vector<ShardingId>;
using Names = std::vector<std::string>;

// One side of a shard_map, as the checks want it.
struct Side {
  std::vector<TensorSharding> shardings;
  std::vector<ValueType> global_types, local_types;

  void Add(const Graph& graph, ShardingId sharding, const Value& global, const Value& local) {
    shardings.push_back(*graph.Find(sharding));
    global_types.push_back(TypeOf(global));
    local_types.push_back(TypeOf(local));
  }
  ManualBoundary boundary() const { return {shardings, global_types, local_types}; }
};

// The mesh is the first one of the shardings that has axes.
MeshId CommonMesh(const Graph& graph, const Op& manual) {
  MeshId mesh = kNoMesh;
  const auto look = [&](const Value& value) {
    const TensorSharding* s = graph.Find(&value);
    if (s == nullptr || (mesh != kNoMesh && !graph.meshes().mesh(mesh).is_empty())) return;
    mesh = s->mesh_id();
  };
  for (const Value* arg : manual.blocks[0]->args) look(*arg);
  for (const Value& result : manual.results) look(result);
  return mesh;
}

class BorderImporter {
 public:
  BorderImporter(Graph* graph, Frontend* frontend, Op* manual, const Op* enter, const Op* leave)
      : graph_(*graph), frontend_(*frontend), manual_(*manual), enter_(enter), leave_(leave) {}

  absl::Status Run() {
    TESSERA_RETURN_IF_ERROR(SetShardings());
    ManualInfo* info = graph_.NewPayload<ManualInfo>(&manual_);
    if (enter_ != nullptr) info->global_to_local = enter_->source;
    if (leave_ != nullptr) info->local_to_global = leave_->source;
    TESSERA_ASSIGN_OR_RETURN(const Names names, AxisNames());
    TESSERA_RETURN_IF_ERROR(Verify(names));
    info->mesh = CommonMesh(graph_, manual_);
    TESSERA_ASSIGN_OR_RETURN(info->manual_axes, FindAxes(info->mesh, names));
    return absl::OkStatus();
  }

 private:
  absl::Status Error(absl::string_view text) const {
    return frontend_.ErrorAt(manual_.source, text);
  }

  absl::Status SetShardings() {
    Shardings in, out;
    if (enter_ != nullptr) {
      TESSERA_ASSIGN_OR_RETURN(in, frontend_.ShardingList(enter_->source, kInShardingsAttribute));
    }
    if (leave_ != nullptr) {
      TESSERA_ASSIGN_OR_RETURN(out, frontend_.ShardingList(leave_->source, kOutShardingsAttribute));
    }
    const Block* body = manual_.blocks[0];
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

  // Both calls name the axes; one is enough.
  absl::StatusOr<Names> AxisNames() {
    Names names;
    if (enter_ != nullptr) {
      TESSERA_ASSIGN_OR_RETURN(names, frontend_.ManualAxes(enter_->source));
    }
    if (leave_ == nullptr || !names.empty()) return names;
    return frontend_.ManualAxes(leave_->source);
  }

  absl::Status Verify(const Names& manual_axes) const {
    const Block& body = *manual_.blocks[0];
    Side in, out;
    for (const Value* arg : body.args) {
      in.Add(graph_, arg->sharding(), *manual_.operand(arg->index()), *arg);
    }
    for (const Value& result : manual_.results) {
      out.Add(graph_, result.sharding(), result, *body.terminator()->operand(result.index()));
    }
    const absl::Status status =
        VerifyManualComputation(in.boundary(), out.boundary(), manual_axes, {}, graph_.meshes());
    return status.ok() ? status : Error(status.message());
  }

  absl::StatusOr<std::vector<int>> FindAxes(MeshId mesh, const Names& names) const {
    std::vector<int> axes;
    for (const std::string& name : names) {
      const std::optional<int> axis =
          mesh == kNoMesh ? std::nullopt : graph_.meshes().mesh(mesh).FindAxis(name);
      if (!axis.has_value()) return Error(absl::StrCat("unknown manual axis \"", name, "\""));
      axes.push_back(*axis);
    }
    return axes;
  }

  Graph& graph_;
  Frontend& frontend_;
  Op& manual_;
  const Op* enter_;
  const Op* leave_;
};

}  // namespace

absl::Status SetShardMapBorder(Graph* graph, Frontend* frontend, Op* manual, const Op* enter,
                               const Op* leave) {
  return BorderImporter(graph, frontend, manual, enter, leave).Run();
}

}  // namespace tessera::sharding::graph
