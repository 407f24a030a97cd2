#include "tessera/pipeline/explain/surprises.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/lost_axes.h"
#include "tessera/pipeline/explain/neighbour_offers.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/passes/program/hlo_program.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::Event;
using sharding::explain::EventCause;
using sharding::explain::SlotId;

// Cheap to make anew, or a collective of the program itself.
bool IsNoSurprise(hlo::Opcode opcode) {
  static constexpr hlo::Opcode kOpcodes[] = {hlo::Opcode::kConstant, hlo::Opcode::kIota,
                                             hlo::Opcode::kBroadcast, hlo::Opcode::kAllGather};
  return absl::c_linear_search(kOpcodes, opcode);
}

class SurpriseFinder {
 public:
  SurpriseFinder(const Explained& e, const SurpriseChoice& choice)
      : e_(e), choice_(choice), log_(*e.log), labels_(e), twins_(e) {}

  std::vector<Surprise> Find() {
    for (SlotId slot = 0; slot < log_.num_slots(); ++slot) {
      if (!log_.OwnsSharding(slot) || Bytes(slot) == 0) continue;
      const bool is_cut = LookAtBorder(slot);
      if (!is_cut && !log_.IsOutput(slot) && !IsLeftOut(slot)) LookAt(slot);
    }
    LookAtIgnored();
    return Best();
  }

 private:
  const sharding::passes::Value& ValueOf(SlotId slot) const {
    const auto& outputs = log_.numbered().outputs();
    const auto value =
        log_.IsOutput(slot) ? outputs[static_cast<size_t>(log_.OutputOf(slot))].value : slot;
    return log_.numbered().value(value);
  }
  int64_t Bytes(SlotId slot) const {
    const auto& shape = ValueOf(slot).shape();
    if (!shape.is_array() || shape.has_dynamic_dim() || shape.rank() == 0) return 0;
    const auto sizes = layout::SizesOf(shape.WithoutLayout());
    return sizes.ok() ? sizes->data_bytes : 0;
  }
  bool IsLeftOut(SlotId slot) const {
    const hlo::InstructionId id = e_.names->Of(slot).instruction;
    return id == hlo::kNoId || IsNoSurprise(e_.sharded->module.instruction(id).opcode);
  }
  static int64_t Ways(const TensorSharding& sharding, const Mesh& mesh) {
    int64_t ways = 1;
    for (const auto& dim : sharding.dims()) ways *= ShardedSize(dim.axes, mesh);
    return ways;
  }

  void LookAt(SlotId slot) {
    const TensorSharding* own = e_.Final(slot);
    const bool is_whole = own == nullptr || own->IsFullyReplicated();
    const int64_t now =
        is_whole ? Bytes(slot) : Bytes(slot) / Ways(*own, log_.MeshOf(e_.FinalId(slot)));
    sized_.emplace_back(slot, now);
    std::optional<Offer> offer = BestOffer(e_, slot);
    const bool is_twin = !offer.has_value() && is_whole;
    if (is_twin) offer = twins_.Of(slot);
    if (!offer.has_value() || (!is_whole && !offer->is_shared)) return;
    Surprise surprise;
    surprise.kind = is_whole ? SurpriseKind::kReplicated : SurpriseKind::kConflict;
    surprise.slot = slot;
    surprise.bytes = now - now / offer->ways;
    surprise.axis = log_.MeshOf(e_.FinalId(offer->neighbour.slot)).axis(offer->axis.axis()).name;
    surprise.dim = offer->is_shared ? offer->dim : DimLike(offer->neighbour, slot);
    surprise.neighbour = offer->neighbour;
    surprise.is_twin = is_twin;
    Add(std::move(surprise));
  }

  // The neighbour's dimension, in an array of its shape, else the largest.
  int DimLike(const sharding::explain::Endpoint& neighbour, SlotId slot) const {
    const auto dims = ValueOf(slot).shape().dims();
    if (ValueOf(neighbour.slot).shape().dims() == dims) return neighbour.dim;
    return static_cast<int>(absl::c_max_element(dims) - dims.begin());
  }

  // True if a border took an axis away.
  bool LookAtBorder(SlotId slot) {
    const std::vector<int32_t>& events = log_.EventsOf(slot);
    if (events.empty()) return false;
    const Event& event = log_.event(events.back());
    const bool is_cut = event.cause == EventCause::kBoundaryCut;
    if (!is_cut || event.before == sharding::kNoSharding) return false;
    const TensorSharding& before = *log_.program().Find(event.before);
    const Mesh& mesh = log_.MeshOf(event.before);
    for (int d = 0; d < before.rank(); ++d) {
      for (const AxisRef axis : before.dim(d).axes) {
        if (Uses(*log_.program().Find(event.after), axis)) continue;
        Surprise surprise;
        surprise.kind = SurpriseKind::kBorder;
        surprise.slot = slot;
        surprise.bytes = Bytes(slot) - Bytes(slot) / axis.size(mesh);
        surprise.axis = mesh.axis(axis.axis()).name;
        surprise.dim = d;
        Add(std::move(surprise));
        return true;
      }
    }
    return false;
  }

  // Whether propagation brought not all that an annotation asks for; one without axes asks for nothing.
  bool LacksAny(absl::string_view text, const TensorSharding* sharding) const {
    if (!absl::StrContains(text, "{\"")) return false;
    const auto& meshes = e_.sharded->program->meshes();
    if (sharding != nullptr) return LacksAny(text, meshes.mesh(sharding->mesh_id()), sharding);
    for (sharding::MeshId id = 0; id < meshes.size(); ++id) {
      if (LacksAny(text, meshes.mesh(id), nullptr)) return true;
    }
    return false;
  }
  static bool LacksAny(absl::string_view text, const Mesh& mesh, const TensorSharding* sharding) {
    for (int axis = 0; axis < mesh.num_axes(); ++axis) {
      const std::string quoted = absl::StrCat("\"", mesh.axis(axis).name, "\"");
      const bool has = sharding != nullptr && sharding->UsesAxis(axis);
      if (mesh.axis(axis).size > 1 && absl::StrContains(text, quoted) && !has) return true;
    }
    return false;
  }

  void LookAtIgnored() {
    for (const auto& [id, text] : e_.why_not->requests().unread()) {
      const auto value = e_.names->ValueOf(id, 0);
      if (value == sharding::propagation::kNone || !log_.numbered().has_shape(value)) continue;
      if (!LacksAny(text, log_.Propagated(log_.SlotOf(value)))) continue;
      Surprise surprise;
      surprise.kind = SurpriseKind::kIgnored;
      surprise.slot = log_.SlotOf(value);
      surprise.bytes = Bytes(value);
      Add(std::move(surprise));
    }
  }

  // Those that look alike are added up.
  void Add(Surprise surprise) {
    known_.emplace(surprise.slot, surprise.axis);
    const hlo::InstructionId id = labels_.InstructionOf(surprise.slot);
    const auto opcode =
        id == hlo::kNoId ? hlo::Opcode::kTuple : e_.sharded->module.instruction(id).opcode;
    const Key key = {surprise.kind, opcode, labels_.Shape(surprise.slot), labels_.Place(id),
                     surprise.axis};
    const auto [it, is_new] = by_look_.try_emplace(key, surprise);
    if (is_new) return;
    it->second.bytes += surprise.bytes;
    ++it->second.alike;
  }

  // Those of neighbours, and of conflicts further up where no neighbour says the same.
  std::vector<Surprise> All() {
    std::vector<Surprise> all;
    for (auto& [key, surprise] : by_look_) all.push_back(std::move(surprise));
    if (e_.is_read) return all;
    for (Surprise& lost : LostAxes(e_, std::move(sized_))) {
      if (known_.count({lost.slot, lost.axis}) == 0) all.push_back(std::move(lost));
    }
    return all;
  }

  std::vector<Surprise> Best() {
    std::vector<Surprise> all = All();
    const auto is_hidden = [&](const Surprise& surprise) {
      return choice_.shows != nullptr && !choice_.shows(labels_, surprise);
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_hidden), all.end());
    absl::c_stable_sort(all, [](const Surprise& a, const Surprise& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.slot < b.slot;
    });
    return OnePerAnnotation(std::move(all));
  }

  void AddVerdict(Surprise* surprise) const {
    if (surprise->axis.empty() || surprise->verdict.has_value()) return;
    auto verdicts = e_.Ask(surprise->slot, surprise->dim, {{surprise->axis}});
    if (!verdicts.empty()) surprise->verdict = std::move(verdicts[0]);
  }

  // That closes the dimension, or the one that an axis before was to lie on.
  static int32_t ClosedBy(const Surprise& surprise) {
    if (!surprise.verdict.has_value()) return sharding::explain::kNoIndex;
    const sharding::explain::Refusal& headline = surprise.verdict->headline;
    const auto& refusal = headline.inner == nullptr ? headline : *headline.inner;
    const bool is_closed = refusal.kind == sharding::explain::RefusalKind::kClosedDimension;
    return is_closed ? refusal.annotation : sharding::explain::kNoIndex;
  }

  // Inside of a shard_map an array is the block of one device along the manual axes: it saves nothing there.
  static bool IsBlock(const Surprise& surprise) {
    return surprise.verdict.has_value() && surprise.verdict->path.empty() &&
           surprise.verdict->headline.kind == sharding::explain::RefusalKind::kManualAxis;
  }

  // The first `most` that have causes of their own.
  std::vector<Surprise> OnePerAnnotation(std::vector<Surprise> sorted) const {
    constexpr size_t kAskedForEach = 4;
    std::vector<Surprise> found;
    std::map<int32_t, size_t> by_annotation;
    size_t asked = 0;
    for (Surprise& surprise : sorted) {
      if (found.size() >= choice_.most || asked++ / kAskedForEach >= choice_.most) break;
      AddVerdict(&surprise);
      if (IsBlock(surprise)) continue;
      const int32_t annotation = ClosedBy(surprise);
      const auto [known, is_new] = by_annotation.try_emplace(annotation, found.size());
      if (annotation >= 0 && !is_new) {
        ++found[known->second].same_annotation;
      } else {
        found.push_back(std::move(surprise));
      }
    }
    return found;
  }

  using Key = std::tuple<SurpriseKind, hlo::Opcode, std::string, std::string, std::string>;

  const Explained& e_;
  const SurpriseChoice& choice_;
  const sharding::explain::EventLog& log_;
  const Labels labels_;
  const TwinOffers twins_;
  std::map<Key, Surprise> by_look_;
  std::set<std::pair<SlotId, std::string>> known_;  // all that are in it, alike ones too
  std::vector<SizedSlot> sized_;
};

}  // namespace

std::vector<Surprise> FindSurprises(const Explained& explained, const SurpriseChoice& choice) {
  return SurpriseFinder(explained, choice).Find();
}

}  // namespace tessera::pipeline
