// Each array is looked at once: its neighbours are the other tensors of the ops that it takes part
// in. Of the axes of the neighbours that it lacks, the one counts that stands along a factor that
// both have; where there is none, the largest.

#include "tessera/pipeline/explain/surprises.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/explain/event_json.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/refusal_json.h"
#include "tessera/pipeline/explain/refusal_text.h"
#include "tessera/sharding/axis_lists.h"
#include "tessera/sharding/graph/op.h"
#include "tessera/text/json.h"

namespace tessera::pipeline {
namespace {

using sharding::AxisList;
using sharding::AxisRef;
using sharding::Mesh;
using sharding::TensorSharding;
using sharding::explain::Endpoint;
using sharding::explain::Event;
using sharding::explain::EventCause;
using sharding::explain::OpLink;
using sharding::explain::SlotId;
using sharding::explain::Verdict;

constexpr size_t kMostShown = 10;
// Of an op of more tensors, such as a long concatenate, so many from either end are looked at: each
// array of it looks at its neighbours, all at all would be quadratic.
constexpr int kMostNeighbours = 64;

// An axis that a neighbour has.
struct Offer {
  AxisRef axis;
  int dim = 0;  // of the array
  Endpoint neighbour;
  bool is_shared = false;  // along a factor that both have
  int64_t ways = 1;
};

bool IsMadeOfNothing(hlo::Opcode opcode) {
  return opcode == hlo::Opcode::kConstant || opcode == hlo::Opcode::kIota ||
         opcode == hlo::Opcode::kBroadcast;
}

class SurpriseFinder {
 public:
  explicit SurpriseFinder(const Explained& e) : e_(e), log_(*e.log), labels_(e) {}

  std::vector<Surprise> Find() {
    for (SlotId slot = 0; slot < log_.num_slots(); ++slot) {
      if (!log_.IsHome(slot) || Bytes(slot) == 0) continue;
      const bool is_cut = LookAtBorder(slot);
      if (!is_cut && !log_.IsOutput(slot) && !IsFromNothing(slot)) LookAt(slot);
    }
    LookAtIgnored();
    return Best();
  }

 private:
  const sharding::graph::Value& ValueOf(SlotId slot) const {
    const auto& outputs = log_.program().outputs();
    const auto value =
        log_.IsOutput(slot) ? outputs[static_cast<size_t>(log_.OutputOf(slot))].value : slot;
    return *log_.run().frozen().values[static_cast<size_t>(value)];
  }
  int64_t Bytes(SlotId slot) const {
    const auto& shape = ValueOf(slot).shape();
    if (!shape.is_array() || shape.has_dynamic_dim() || shape.rank() == 0) return 0;
    const auto sizes = layout::SizesOf(shape.WithoutLayout());
    return sizes.ok() ? sizes->data_bytes : 0;
  }
  bool IsFromNothing(SlotId slot) const {
    const hlo::InstructionId id = e_.names->Of(slot).instruction;
    return id == hlo::kNoId || IsMadeOfNothing(e_.sharded->module.instruction(id).opcode);
  }
  static int64_t Ways(const TensorSharding& sharding, const Mesh& mesh) {
    int64_t ways = 1;
    for (const auto& dim : sharding.dims()) ways *= ShardedSize(dim.axes, mesh);
    return ways;
  }

  void LookAt(SlotId slot) {
    const TensorSharding* own = e_.Final(slot);
    const bool is_whole = own == nullptr || own->IsFullyReplicated();
    const std::optional<Offer> offer = BestOffer(slot, own);
    if (!offer.has_value() || (!is_whole && !offer->is_shared)) return;
    const int64_t now =
        is_whole ? Bytes(slot) : Bytes(slot) / Ways(*own, log_.MeshOf(e_.FinalId(slot)));
    Surprise surprise;
    surprise.kind = is_whole ? SurpriseKind::kReplicated : SurpriseKind::kConflict;
    surprise.slot = slot;
    surprise.bytes = now - now / offer->ways;
    surprise.axis = log_.MeshOf(e_.FinalId(offer->neighbour.slot)).axis(offer->axis.axis()).name;
    surprise.dim = offer->is_shared ? offer->dim : LargestDim(slot);
    surprise.neighbour = offer->neighbour;
    Add(std::move(surprise));
  }

  int LargestDim(SlotId slot) const {
    const auto dims = ValueOf(slot).shape().dims();
    return static_cast<int>(absl::c_max_element(dims) - dims.begin());
  }

  std::optional<Offer> BestOffer(SlotId slot, const TensorSharding* own) const {
    std::optional<Offer> best;
    for (const OpLink& link : e_.why_not->links().Of(slot)) {
      const int tensors = e_.why_not->links().NumTensors(link.actor);
      for (int t = 0; t < tensors; ++t) {
        if (t == kMostNeighbours) t = std::max(t, tensors - kMostNeighbours);
        if (t != link.tensor) OfferOf(link, t, own, &best);
      }
    }
    return best;
  }

  void OfferOf(const OpLink& link, int t, const TensorSharding* own,
               std::optional<Offer>* best) const {
    const Endpoint at = e_.why_not->links().Tensor(link.actor, t, 0);
    const TensorSharding* other = e_.Final(at.slot);
    if (other == nullptr) return;
    const Mesh& mesh = log_.MeshOf(e_.FinalId(at.slot));
    const auto* rule = e_.why_not->links().RuleOf(link.actor);
    for (int d = 0; d < other->rank(); ++d) {
      for (const AxisRef axis : other->dim(d).axes) {
        if (own != nullptr && Uses(*own, axis)) continue;
        Offer offer = {axis, 0, at, false, axis.size(mesh)};
        offer.neighbour.dim = d;
        offer.is_shared = rule != nullptr && FindDim(*rule, link.tensor, t, d, &offer.dim);
        const bool is_better =
            !best->has_value() ||
            std::tie(offer.is_shared, offer.ways) > std::tie((*best)->is_shared, (*best)->ways);
        if (is_better) *best = offer;
      }
    }
  }

  static bool Uses(const TensorSharding& sharding, AxisRef axis) {
    return absl::c_any_of(sharding.dims(),
                          [&](const auto& dim) { return OverlapsAny(axis, dim.axes); });
  }

  // The dimension of tensor `to` that has a factor of dimension `d` of tensor `from`.
  static bool FindDim(const sharding::factors::OpShardingRule& rule, int to, int from, int d,
                      int* dim) {
    for (const int32_t f : rule.factors(from, d)) {
      const int cell = rule.cell(to, f);
      if (cell == sharding::factors::kNoCell) continue;
      *dim = sharding::explain::DimOfCell(rule, to, cell);
      return true;
    }
    return false;
  }

  // True if a border took an axis away.
  bool LookAtBorder(SlotId slot) {
    const std::vector<int32_t>& events = log_.EventsOf(slot);
    if (events.empty()) return false;
    const Event& event = log_.event(events.back());
    const bool is_cut = event.cause == EventCause::kBoundaryCut;
    if (!is_cut || event.before == sharding::kNoSharding) return false;
    const TensorSharding& before = *log_.graph().Find(event.before);
    const Mesh& mesh = log_.MeshOf(event.before);
    for (int d = 0; d < before.rank(); ++d) {
      for (const AxisRef axis : before.dim(d).axes) {
        if (Uses(*log_.graph().Find(event.after), axis)) continue;
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

  // Whether propagation brought not all that an annotation asks for.
  bool LacksAny(absl::string_view text, const TensorSharding* sharding) const {
    if (sharding == nullptr) return true;
    const Mesh& mesh = e_.sharded->graph->meshes().mesh(sharding->mesh_id());
    for (int axis = 0; axis < mesh.num_axes(); ++axis) {
      const std::string quoted = absl::StrCat("\"", mesh.axis(axis).name, "\"");
      const bool splits = mesh.axis(axis).size > 1;
      if (splits && absl::StrContains(text, quoted) && !sharding->UsesAxis(axis)) return true;
    }
    return false;
  }

  void LookAtIgnored() {
    for (const auto& [id, text] : e_.why_not->requests().unread()) {
      const auto value = e_.names->ValueOf(id, 0);
      if (value == sharding::propagation::kNone || !log_.program().has_shape(value)) continue;
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
    const hlo::InstructionId id = labels_.InstructionOf(surprise.slot);
    const auto opcode = id == hlo::kNoId ? hlo::Opcode::kTuple
                                         : e_.sharded->module.instruction(id).opcode;
    const Key key = {surprise.kind, opcode, labels_.Shape(surprise.slot), labels_.Place(id),
                     surprise.axis};
    const auto [it, is_new] = by_look_.try_emplace(key, surprise);
    if (is_new) return;
    it->second.bytes += surprise.bytes;
    ++it->second.alike;
  }

  std::vector<Surprise> Best() {
    std::vector<Surprise> all;
    for (auto& [key, surprise] : by_look_) all.push_back(std::move(surprise));
    absl::c_stable_sort(all, [](const Surprise& a, const Surprise& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.slot < b.slot;
    });
    if (all.size() > kMostShown) all.resize(kMostShown);
    for (Surprise& surprise : all) {
      if (surprise.axis.empty()) continue;
      auto verdicts = e_.why_not->Ask(surprise.slot, surprise.dim, {{surprise.axis}});
      if (!verdicts.empty()) surprise.verdict = std::move(verdicts[0]);
    }
    return all;
  }

  using Key = std::tuple<SurpriseKind, hlo::Opcode, std::string, std::string, std::string>;

  const Explained& e_;
  const sharding::explain::EventLog& log_;
  const Labels labels_;
  std::map<Key, Surprise> by_look_;
};

std::string What(const Labels& labels, const Surprise& s) {
  const std::string at = s.neighbour.slot < 0
                             ? ""
                             : absl::StrCat(labels.At(s.neighbour), " has '", s.axis, "' on dim ",
                                            s.neighbour.dim);
  switch (s.kind) {
    case SurpriseKind::kReplicated:
      return absl::StrCat("is whole on every device; ", at);
    case SurpriseKind::kConflict:
      return absl::StrCat("is not split by '", s.axis, "'; ", at);
    case SurpriseKind::kBorder:
      return absl::StrCat("lost '", s.axis, "' on dim ", s.dim, " at the border of the function");
    default:
      return "carries an annotation that XLA does not read";
  }
}

// By SurpriseKind.
constexpr const char* kKindWords[] = {"replicated", "conflict", "border", "ignored"};

// Words that a shell keeps as they are need no quotes.
std::string Quoted(const std::string& name) {
  return absl::c_all_of(name, [](char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' ||
                                                  c == '-'; })
             ? name
             : absl::StrCat("\"", name, "\"");
}

std::string NameForCommand(const Labels& labels, const Explained& e, SlotId slot) {
  if (!e.log->IsOutput(slot)) return labels.Slot(slot);
  return absl::StrCat("result{", e.log->OutputOf(slot), "}");
}

}  // namespace

std::vector<Surprise> FindSurprises(const Explained& explained) {
  return SurpriseFinder(explained).Find();
}

std::string SurprisesText(const Explained& e, const std::vector<Surprise>& surprises,
                          const std::string& file) {
  const Labels labels(e);
  if (surprises.empty()) {
    return "no surprises: nothing big is whole while its neighbours are split\n";
  }
  std::string text = "the costliest, by bytes of one device that a split would save:\n";
  int number = 0;
  for (const Surprise& s : surprises) {
    const std::string place = labels.Place(labels.InstructionOf(s.slot));
    absl::StrAppend(&text, ++number, ". ", layout::FormatBytes(s.bytes), "  ",
                    labels.Slot(s.slot), " ", labels.Shape(s.slot), " ", What(labels, s),
                    s.alike > 1 ? absl::StrCat(" (and ", s.alike - 1, " like it)") : "",
                    place.empty() ? "" : "  ", place, "\n   ");
    if (s.verdict.has_value()) {
      absl::StrAppend(&text, KindWord(s.verdict->headline.kind), ": ",
                      RefusalMessage(e, labels, s.verdict->headline), "; ");
    }
    const std::string dim = s.axis.empty() ? "" : absl::StrCat(":", s.dim);
    absl::StrAppend(&text, "tessera explain ", file, " ",
                    Quoted(NameForCommand(labels, e, s.slot) + dim),
                    s.axis.empty() ? "" : absl::StrCat(" --axis=", s.axis), "\n");
  }
  return text;
}

std::string SurprisesJson(const Explained& e, const std::vector<Surprise>& surprises) {
  const EventJson events(e);
  text::JsonWriter json;
  json.BeginObject().Key("surprises").BeginArray();
  for (const Surprise& s : surprises) {
    json.BeginObject().Key("kind").String(kKindWords[static_cast<size_t>(s.kind)]).Key("value");
    events.AddValue(s.slot, &json);
    json.Key("bytes").Int(s.bytes).Key("alike").Int(s.alike);
    if (s.verdict.has_value()) {
      json.Key("verdict");
      BeginVerdict(e, events, *s.verdict, &json);
      json.EndObject();
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
