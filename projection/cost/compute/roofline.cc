// Idea. One walk through the entry and what it runs, each instruction with the number of its runs:
// a body counts trip times, its condition once more, of a conditional the slowest branch. The work
// of one instruction is that of the largest tile of a device.
//
//   8x16 by 16x4 in f32: 1,024 flops and 896 bytes; at 100 flops and 1,000 bytes a second 10.24 s,
//   bound by computing
//
// Cost: linear in the instructions that are reached. Tested by roofline_test.cc.
#include "tessera/projection/cost/compute/roofline.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/projection/core/checked.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/cost/compute/traffic.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/projection/cost/compute/work.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signatures/signature_of.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

bool IsContraction(Opcode opcode) {
  return opcode == Opcode::kDot || opcode == Opcode::kConvolution || opcode == Opcode::kRaggedDot ||
         opcode == Opcode::kScaledDot;
}

struct Work {
  int64_t flops = 0, transcendentals = 0, bytes = 0;
  double useful = 1;
};

class Walk {
 public:
  Walk(const Module& module, const Device& device, const RooflineOptions& options)
      : module_(module), device_(device), options_(options) {}

  absl::Status Add(hlo::ComputationId computation, int64_t times, Roofline* out) {
    for (InstructionId id : module_.computation(computation).instructions) {
      const Opcode opcode = module_.instruction(id).opcode;
      if (opcode == Opcode::kWhile) {
        TESSERA_RETURN_IF_ERROR(AddLoop(id, times, out));
      } else if (opcode == Opcode::kConditional) {
        TESSERA_RETURN_IF_ERROR(AddSlowestBranch(id, times, out));
      } else if (opcode == Opcode::kCall || opcode == Opcode::kAsyncStart) {
        TESSERA_RETURN_IF_ERROR(Add(module_.called(id)[0], times, out));
      } else {
        TESSERA_RETURN_IF_ERROR(AddOne(id, times, out));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddLoop(InstructionId id, int64_t times, Roofline* out) {
    const std::optional<int64_t> trips = TripCount(module_, id);
    if (!trips.has_value())
      Unknown(absl::StrCat("trip count of ", module_.instruction(id).name), out);
    const Checked turns = Checked(times) * trips.value_or(1);
    const Checked tests = Checked(times) * (Checked(trips.value_or(0)) + 1);
    if (!turns.ok() || !tests.ok()) return OverflowError("the turns of nested loops");
    TESSERA_RETURN_IF_ERROR(Add(module_.called(id)[0], turns.value(), out));
    return Add(module_.called(id)[1], tests.value(), out);
  }

  absl::Status AddSlowestBranch(InstructionId id, int64_t times, Roofline* out) {
    Roofline slowest;
    double most = -1;
    for (hlo::ComputationId branch : module_.called(id)) {
      Roofline one;
      TESSERA_RETURN_IF_ERROR(Add(branch, times, &one));
      double seconds = 0;
      for (const InstructionTime& t : one.instructions)
        seconds += static_cast<double>(t.times) * t.total();
      if (seconds > most) slowest = std::move(one), most = seconds;
    }
    out->instructions.insert(out->instructions.end(), slowest.instructions.begin(),
                             slowest.instructions.end());
    for (std::string& what : slowest.unknown) Unknown(std::move(what), out);
    return absl::OkStatus();
  }

  // What one device computes and moves.
  absl::StatusOr<Work> WorkOf(InstructionId id) {
    Work w;
    const auto leaves = ArrayLeaves(module_.shape(id));
    const sharding::TensorSharding* placed =
        options_.grid == nullptr || leaves.empty() ? nullptr : options_.sharding_of(id, 0);
    if (placed == nullptr || placed->rank() != leaves[0]->rank()) {
      TESSERA_ASSIGN_OR_RETURN(const Operations ops, OperationsOf(module_, id, CostMode::kExact));
      TESSERA_ASSIGN_OR_RETURN(const Traffic traffic, TrafficOf(module_, id, CostMode::kExact));
      return Work{ops.flops, ops.transcendentals, traffic.total.value_or(0), 1};
    }
    const ZPoint shape(leaves[0]->dims());
    TESSERA_ASSIGN_OR_RETURN(const ZPoint tile, options_.grid->TileShape(shape, *placed));
    const ZRange block = ZRange::FromShape(tile);
    TESSERA_ASSIGN_OR_RETURN(const Operations ops, OperationsOfBlock(module_, id, block));
    TESSERA_ASSIGN_OR_RETURN(const Signature s, SignatureOf(module_, id));
    TESSERA_ASSIGN_OR_RETURN(const BlockBytes bytes, BytesOfBlock(s, ElementBytesOf(id), block));
    TESSERA_ASSIGN_OR_RETURN(const int64_t total, bytes.total());
    double padded = 1, real = 1;
    for (int d = 0; d < shape.rank(); ++d) {
      const int64_t parts = sharding::ShardedSize(placed->dim(d).axes, options_.grid->mesh());
      padded *= static_cast<double>(tile[d] * parts);
      real *= static_cast<double>(shape[d]);
    }
    return Work{ops.flops, ops.transcendentals, total, padded > 0 ? real / padded : 1};
  }

  ElementBytes ElementBytesOf(InstructionId id) const {
    ElementBytes bytes;
    for (InstructionId operand : module_.operands(id)) {
      for (const layout::Shape* leaf : ArrayLeaves(module_.shape(operand)))
        bytes.operands.push_back(layout::ElementBytes(*leaf, 1));
    }
    bytes.results = {layout::ElementBytes(*ArrayLeaves(module_.shape(id))[0], 1)};
    return bytes;
  }

  absl::Status AddOne(InstructionId id, int64_t times, Roofline* out) {
    TESSERA_ASSIGN_OR_RETURN(const Work work, WorkOf(id));
    InstructionTime t;
    t.id = id;
    t.times = times;
    t.useful_work = work.useful;
    if (work.bytes > 0)
      t.intensity = static_cast<double>(work.flops) / static_cast<double>(work.bytes);
    Set(Resource::kCompute, work.flops, PeakOf(id, work.flops, out), &t);
    Set(Resource::kMemory, work.bytes, device_.hbm_bytes_per_s(), &t);
    Set(Resource::kTranscendentals, work.transcendentals, device_.transcendental_per_s(), &t);
    if (options_.network_seconds) {
      TESSERA_ASSIGN_OR_RETURN(t.seconds[static_cast<int>(Resource::kNetwork)],
                               options_.network_seconds(id));
    }
    t.bound = static_cast<Resource>(std::max_element(std::begin(t.seconds), std::end(t.seconds)) -
                                    std::begin(t.seconds));
    out->instructions.push_back(t);
    return absl::OkStatus();
  }

  static void Set(Resource r, int64_t amount, double rate, InstructionTime* t) {
    if (rate > 0) t->seconds[static_cast<int>(r)] = static_cast<double>(amount) / rate;
  }

  // Of the type of the operands for a contraction, else of the result.
  double PeakOf(InstructionId id, int64_t flops, Roofline* out) {
    const bool contraction = IsContraction(module_.instruction(id).opcode);
    const auto leaves = ArrayLeaves(module_.shape(contraction ? module_.operands(id)[0] : id));
    if (leaves.empty() || flops == 0) return 0;
    const std::string type(layout::ElementTypeName(leaves[0]->element_type()));
    for (const Peak& peak : device_.peak()) {
      if (peak.dtype() == type) return peak.flops_per_s();
    }
    Unknown(absl::StrCat("peak of ", type), out);
    return 0;
  }

  static void Unknown(std::string what, Roofline* out) {
    if (std::find(out->unknown.begin(), out->unknown.end(), what) == out->unknown.end())
      out->unknown.push_back(std::move(what));
  }

  const Module& module_;
  const Device& device_;
  const RooflineOptions& options_;
};

}  // namespace

const char* ResourceName(Resource r) {
  constexpr const char* kNames[] = {"compute", "memory", "transcendentals", "network"};
  return kNames[static_cast<int>(r)];
}

absl::StatusOr<Roofline> RooflineOf(const Module& module, const Device& device,
                                    const RooflineOptions& options) {
  Roofline out;
  TESSERA_RETURN_IF_ERROR(Walk(module, device, options).Add(module.entry_id(), 1, &out));
  double sums[kNumResources] = {};
  for (const InstructionTime& t : out.instructions) {
    out.no_overlap_s += static_cast<double>(t.times) * t.total();
    for (int r = 0; r < kNumResources; ++r) sums[r] += static_cast<double>(t.times) * t.seconds[r];
  }
  out.overlap_s = *std::max_element(std::begin(sums), std::end(sums));
  return out;
}

}  // namespace tessera::projection
