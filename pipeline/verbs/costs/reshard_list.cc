#include "tessera/pipeline/verbs/costs/reshard_list.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/pipeline/verbs/costs/input/added_results.h"
#include "tessera/pipeline/verbs/costs/input/moved_sharding.h"
#include "tessera/pipeline/verbs/costs/input/spec_reader.h"
#include "tessera/projection/signatures/opcode_sets.h"
#include "tessera/sharding/axis_lists.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using sharding::TensorSharding;

// One value on its way: where it is made and wanted, by instructions of the module, and in which
// body. `own`: what the consumer itself has made.
struct Way {
  int32_t body = 0;
  InstructionId producer = hlo::kNoId, consumer = hlo::kNoId;
  bool own = false;

  friend bool operator<(const Way& a, const Way& b) {
    return std::tie(a.body, a.consumer, a.producer, a.own) <
           std::tie(b.body, b.consumer, b.producer, b.own);
  }
};

// The key by which reshards are one entry.
auto LooksOf(const Reshard& r) {
  const CollectiveLine& first = r.collectives.front();
  return std::make_tuple(r.kind, r.shape, r.from, r.to, r.sent, r.unknown_runs, r.op_name,
                         r.location, first.op, first.runs);
}
using Looks = decltype(LooksOf(std::declval<Reshard>()));

class ReshardLister {
 public:
  explicit ReshardLister(const PartitionerInput& input)
      : input_(input), module_(input.module), locations_(input.module), specs_(input) {}

  Reshards List(std::vector<CollectiveLine> lines) {
    std::sort(lines.begin(), lines.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    std::map<Way, std::vector<CollectiveLine>> ways;
    Reshards reshards;
    for (CollectiveLine& line : lines) {
      if (ChangesSharding(line)) {
        ways[WayOf(line)].push_back(std::move(line));
      } else {
        ++reshards.others;
        reshards.others_sent += line.total();
      }
    }
    for (auto& [way, collectives] : ways) {
      Reshard reshard = Describe(way, std::move(collectives));
      reshards.sent += reshard.total;
      AddAlike(std::move(reshard), &reshards.list);
    }
    std::stable_sort(reshards.list.begin(), reshards.list.end(),
                     [](const Reshard& a, const Reshard& b) { return a.total > b.total; });
    return reshards;
  }

 private:
  Way WayOf(const CollectiveLine& line) const {
    const auto& c = line.made;
    const bool own = c.own && !IsAddedResult(input_, c.cause);
    return {c.body, own ? c.cause : SourceOfResult(input_, c.producer), c.cause, own};
  }

  void AddAlike(Reshard reshard, std::vector<Reshard>* list) {
    const auto [it, is_new] = alike_.try_emplace(LooksOf(reshard), list->size());
    if (is_new) return list->push_back(std::move(reshard));
    Reshard& first = (*list)[it->second];
    first.total += reshard.total;
    first.ends.push_back(reshard.ends.front());
    first.numbers.insert(first.numbers.end(), reshard.numbers.begin(), reshard.numbers.end());
  }

  // --- which collectives -------------------------------------------------------------------------

  bool ChangesSharding(const CollectiveLine& line) {
    if (line.given) return false;
    const Opcode op = line.made.opcode;
    if (op == Opcode::kAllGather || op == Opcode::kAllToAll) return true;
    return op == Opcode::kCollectivePermute && SendsWholeTile(line);
  }

  // A permute of less than a device has is an exchange of edges.
  bool SendsWholeTile(const CollectiveLine& line) {
    const InstructionId producer = WayOf(line).producer;
    const std::optional<TensorSharding> lies = specs_.ShardingOf(producer);
    if (!lies.has_value() || line.made.operands.empty()) return true;
    int64_t tile = module_.shape(producer).NumElements().value_or(0);
    for (const auto& dim : lies->dims()) tile /= ShardedSize(dim.axes, *input_.mesh);
    return line.made.operands[0].NumElements().value_or(0) >= tile;
  }

  // --- what is said of them ----------------------------------------------------------------------

  // Lies as its operand must.
  bool IsCellByCell(InstructionId consumer, InstructionId producer) const {
    return consumer != hlo::kNoId && producer != hlo::kNoId &&
           projection::IsElementwise(module_.instruction(consumer).opcode) &&
           module_.shape(consumer).is_array() && module_.shape(producer).is_array() &&
           module_.shape(consumer).dims() == module_.shape(producer).dims();
  }

  std::string TargetOf(const Way& way, const std::vector<CollectiveLine>& collectives) {
    if (way.own || IsCellByCell(way.consumer, way.producer)) return specs_.SpecOf(way.consumer);
    const std::optional<TensorSharding> from = specs_.ShardingOf(way.producer);
    if (!from.has_value()) return "";
    const auto to = MovedSharding(*from, *input_.mesh, collectives);
    return to.has_value() ? specs_.SpecOf(*to) : "";
  }

  // Of what a consumer makes itself only the end is in the module.
  std::string OriginOf(const Way& way, const std::vector<CollectiveLine>& collectives) {
    if (!way.own) return specs_.SpecOf(way.producer);
    const std::optional<TensorSharding> to = specs_.ShardingOf(way.consumer);
    if (!to.has_value()) return "";
    const auto from = BeforeMoves(*to, module_.shape(way.consumer), *input_.mesh, collectives);
    return from.has_value() ? specs_.SpecOf(*from) : "";
  }

  InstructionId SourceOf(InstructionId id) const {
    return id == hlo::kNoId || input_.sharded == nullptr ? id : input_.sources[id];
  }

  // An argument by its path, anything else by the name that it had before propagation.
  std::string NameOf(InstructionId id) const {
    if (id == hlo::kNoId) return "";
    const bool is_argument = module_.instruction(id).opcode == Opcode::kParameter &&
                             module_.instruction(id).computation == module_.entry_id();
    const std::string path = is_argument ? hlo::GetOpName(module_, id) : "";
    if (!path.empty()) return path;
    const InstructionId source = SourceOf(id);
    const bool is_known = input_.sharded != nullptr && source != hlo::kNoId;
    return std::string(is_known ? input_.sharded->module.instruction(source).name
                                : module_.instruction(id).name);
  }

  ReshardKind KindOf(const Way& way) const {
    if (way.own) return ReshardKind::kResult;
    if (way.consumer == hlo::kNoId || IsAddedResult(input_, way.consumer)) {
      return ReshardKind::kBorder;
    }
    switch (module_.instruction(way.consumer).opcode) {
      case Opcode::kCustomCall:
        if (hlo::GetCustomCallTarget(module_, way.consumer) != "Sharding") {
          return ReshardKind::kImplied;
        }
        [[fallthrough]];
      case Opcode::kCopy:
        return SourceOf(way.consumer) == hlo::kNoId ? ReshardKind::kBorder : ReshardKind::kExplicit;
      case Opcode::kWhile:
      case Opcode::kConditional:
      case Opcode::kCall:
      case Opcode::kTuple:
        return ReshardKind::kBorder;
      default:
        return ReshardKind::kImplied;
    }
  }

  void AddPlace(const Way& way, Reshard* reshard) const {
    const InstructionId at = way.consumer != hlo::kNoId ? way.consumer : way.producer;
    if (at == hlo::kNoId) return;
    reshard->op_name = hlo::GetOpName(module_, at);
    reshard->location = locations_.UsersOwn(at);
    const std::string innermost = locations_.Of(at);
    if (innermost != reshard->location) reshard->library_location = innermost;
  }

  Reshard Describe(const Way& way, std::vector<CollectiveLine> collectives) {
    Reshard reshard;
    reshard.kind = KindOf(way);
    reshard.value = NameOf(way.producer);
    reshard.consumer = IsAddedResult(input_, way.consumer)
                           ? NameOfResult(input_, way.consumer, way.producer)
                           : NameOf(way.consumer);
    if (way.producer != hlo::kNoId) {
      reshard.shape = layout::ShapeToString(module_.shape(way.producer).WithoutLayout());
    }
    reshard.from = OriginOf(way, collectives);
    reshard.to = TargetOf(way, collectives);
    AddPlace(way, &reshard);
    for (const CollectiveLine& line : collectives) {
      reshard.sent += line.sent;
      reshard.total += line.total();
      reshard.unknown_runs |= line.unknown_runs;
      if (line.made.rematerializes) {
        reshard.rematerialized =
            std::max(reshard.rematerialized, layout::DataBytes(line.made.shape));
      }
      reshard.numbers.push_back(line.number);
    }
    reshard.collectives = std::move(collectives);
    reshard.ends = {{SourceOf(way.producer), SourceOf(way.consumer)}};
    return reshard;
  }

  const PartitionerInput& input_;
  const hlo::Module& module_;
  const SourceLocations locations_;
  SpecReader specs_;
  std::map<Looks, size_t> alike_;  // places in the list
};

}  // namespace

const char* KindText(ReshardKind kind) {
  constexpr const char* kTexts[] = {"explicit", "implied", "result", "border"};
  return kTexts[static_cast<size_t>(kind)];
}

Reshards ListReshards(const PartitionerInput& input, std::vector<CollectiveLine> lines) {
  return ReshardLister(input).List(std::move(lines));
}

}  // namespace tessera::pipeline
