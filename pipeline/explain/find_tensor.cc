#include "tessera/pipeline/explain/find_tensor.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_equal.h"
#include "tessera/pipeline/explain/name_answers.h"
#include "tessera/pipeline/explain/neighbour_offers.h"
#include "tessera/pipeline/input/named_instruction.h"
#include "tessera/pipeline/input/source_locations.h"
#include "tessera/sharding/explain/gains.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using sharding::propagation::kNone;
using sharding::propagation::ValueId;

struct Wanted {
  std::string name;
  std::optional<int> leaf;
  std::optional<int> dim;
};

// Read as NAME{K}:DIM, and, for model.py:41, as a whole.
std::vector<Wanted> Readings(const std::string& text) {
  static const RE2& form =
      *new RE2(R"((.*?)(?:\{(\d+)\})?(?::(\d+))?)");  // lives as long as the program
  std::string name, leaf, dim;
  RE2::FullMatch(text, form, &name, &leaf, &dim);
  Wanted wanted;
  wanted.name = std::string(absl::StripPrefix(name, "%"));
  int number = 0;
  if (absl::SimpleAtoi(leaf, &number)) wanted.leaf = number;
  if (absl::SimpleAtoi(dim, &number)) wanted.dim = number;
  std::vector<Wanted> readings = {wanted};
  if (!dim.empty() && leaf.empty()) readings.push_back({text, std::nullopt, std::nullopt});
  return readings;
}

class TensorFinder {
 public:
  TensorFinder(const Explained& explained, const std::string& axis)
      : explained_(explained),
        axis_(axis),
        module_(explained.sharded->module),
        finder_(module_, [&](InstructionId id) { return IsSeen(explained_, id); }) {}

  absl::StatusOr<FoundTensor> Find(const std::string& text) {
    for (const Wanted& wanted : Readings(text)) {
      if (const std::optional<int> k = ResultNumber(wanted)) return Result(*k, wanted);
      const std::vector<InstructionId> found = ExactMatches(wanted.name);
      if (!found.empty()) return OneOf(found, wanted);
    }
    for (const Wanted& wanted : Readings(text)) {
      const std::vector<InstructionId> found = finder_.ByPattern(wanted.name);
      if (!found.empty()) return OneOf(found, wanted);
    }
    return NoTensorError(explained_, finder_.locations(), text);
  }

 private:
  std::string NameOf(InstructionId id) const { return std::string(module_.instruction(id).name); }

  // By name, in the entry before elsewhere; else by op_name or place, else by the name that it had
  // before calls were inlined.
  std::vector<InstructionId> ExactMatches(const std::string& name) {
    std::vector<InstructionId> found = PreferEntry(module_, finder_.ByName(name));
    if (found.empty()) found = finder_.ByOpNameOrLine(name);
    return found.empty() ? NamedBefore(name) : found;
  }

  std::vector<InstructionId> NamedBefore(const std::string& name) {
    if (!explained_.sharded->original.has_value()) return {};
    const hlo::Module read = explained_.sharded->original->Read();
    const InstructionId before = read.FindInstruction(name);
    if (before == hlo::kNoId) return {};
    const std::string op_name = hlo::GetOpName(read, before);
    if (op_name.empty()) return {};
    const std::string place = SourceLocations(read).Of(before);
    // Inlined instructions have the place of their call.
    return finder_.All([&](InstructionId id) {
      return module_.instruction(id).opcode == read.instruction(before).opcode &&
             layout::Compatible(module_.shape(id), read.shape(before)) &&
             hlo::GetOpName(module_, id) == op_name &&
             (place.empty() || finder_.locations().Of(id) == place);
    });
  }

  // --- answers -----------------------------------------------------------------------------------

  std::optional<int> ResultNumber(const Wanted& wanted) const {
    if (wanted.name == "result") return wanted.leaf.value_or(0);
    const std::vector<std::string>& names = explained_.sharded->result_names;
    const auto found = absl::c_find_if(
        names, [&](const std::string& name) { return Unquoted(name) == Unquoted(wanted.name); });
    if (found == names.end()) return std::nullopt;
    return static_cast<int>(found - names.begin());
  }

  absl::StatusOr<FoundTensor> Result(int k, const Wanted& wanted) const {
    const size_t results = explained_.log->numbered().outputs().size();
    if (wanted.name == "result" && !wanted.leaf.has_value() && results > 1) {
      return absl::InvalidArgumentError(absl::StrCat("the module returns ", results,
                                                     " arrays: expected result{K}, K from 0 to ",
                                                     results - 1));
    }
    if (static_cast<size_t>(k) >= results) {
      return absl::InvalidArgumentError(
          absl::StrCat("result{", k, "}: the module returns ", results, " arrays"));
    }
    return Checked({explained_.log->SlotOfOutput(k), wanted.dim},
                   explained_.log->numbered().outputs()[static_cast<size_t>(k)].value);
  }

  absl::StatusOr<FoundTensor> OneOf(std::vector<InstructionId> found, const Wanted& wanted) {
    TESSERA_RETURN_IF_ERROR(CheckLine(found, wanted));
    KeepEachArrayOnce(&found);
    const size_t matches = found.size();
    std::string without;
    if (matches > 1 && !axis_.empty()) {
      const size_t lacking = Keep([&](auto id) { return Lacks(id, wanted.dim); }, &found);
      if (lacking > 1) Keep([&](auto id) { return IsOffered(id); }, &found);
      without = absl::StrCat(", ", lacking, " of them without '", axis_, "'");
      if (found.size() < lacking) {
        absl::StrAppend(&without, ", ", found.size(), " beside a tensor that has it");
      }
    }
    if (found.size() > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(matches, " tensors match '", wanted.name, "'", without,
                       "; name one of them, the largest first:\n",
                       TensorList(explained_, finder_.locations(), found)));
    }
    const InstructionId id = found[0];
    if (!IsSeen(explained_, id)) return UnseenError(id);
    const int leaves = explained_.names->num_leaves(id);
    if (leaves > 1 && !wanted.leaf.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(NameOf(id), " has ", leaves,
                                                     " arrays: expected ", NameOf(id),
                                                     "{K}, K from 0 to ", leaves - 1));
    }
    return Leaf(id, wanted);
  }

  // An element of a tuple is the array of the instruction that makes it.
  void KeepEachArrayOnce(std::vector<InstructionId>* found) const {
    std::set<ValueId> known;
    const auto is_known = [&](InstructionId id) {
      if (explained_.names->num_leaves(id) != 1) return false;
      const ValueId value = explained_.names->ValueOf(id, 0);
      return value != kNone && !known.insert(value).second;
    };
    found->erase(std::remove_if(found->begin(), found->end(), is_known), found->end());
    const auto is_listed_in_parts = [&](InstructionId id) {
      const int leaves = explained_.names->num_leaves(id);
      int listed = 0;
      for (int k = 0; k < leaves; ++k) {
        const ValueId value = explained_.names->ValueOf(id, k);
        if (value == kNone || known.count(value) > 0) ++listed;
      }
      return leaves > 1 && listed == leaves;
    };
    found->erase(std::remove_if(found->begin(), found->end(), is_listed_in_parts), found->end());
  }

  // Those of `found` that `is_kept`, if there are any. Their number.
  template <typename Predicate>
  static size_t Keep(const Predicate& is_kept, std::vector<InstructionId>* found) {
    std::vector<InstructionId> kept;
    absl::c_copy_if(*found, std::back_inserter(kept), is_kept);
    const size_t number = kept.size();
    if (number > 0) *found = std::move(kept);
    return number;
  }

  // A neighbour has the axis along a dimension that the two share.
  bool IsOffered(InstructionId id) const {
    const ValueId value = explained_.names->ValueOf(id, 0);
    const auto offer = BestOffer(explained_, explained_.log->SlotOf(value), axis_);
    return offer.has_value() && offer->is_shared;
  }

  // True for an array with dimensions, none of which, or not that one, has the axis.
  bool Lacks(InstructionId id, std::optional<int> dim) const {
    if (explained_.names->num_leaves(id) != 1) return false;
    const ValueId value = explained_.names->ValueOf(id, 0);
    if (value == kNone || !explained_.log->numbered().has_shape(value)) return false;
    const int rank = explained_.log->numbered().rank(value);
    for (int d = 0; d < rank; ++d) {
      if ((!dim.has_value() || *dim == d) && HasAxis(explained_.log->SlotOf(value), d))
        return false;
    }
    return rank > 0;
  }

  bool HasAxis(sharding::explain::SlotId slot, int dim) const {
    if (explained_.Final(slot) == nullptr) return false;
    const sharding::Mesh& mesh = explained_.log->MeshOf(explained_.FinalId(slot));
    return absl::c_any_of(
        sharding::explain::AxesAt(explained_.Final(slot), dim),
        [&](sharding::AxisRef axis) { return mesh.axis(axis.axis()).name == axis_; });
  }

  // `model.py:88` of a line without tensors was read as dimension 88 of what `model.py` matches.
  absl::Status CheckLine(const std::vector<InstructionId>& found, const Wanted& wanted) {
    if (!wanted.dim.has_value() || !absl::EndsWith(wanted.name, ".py")) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        "no tensor is of ", wanted.name, ":", *wanted.dim, "; the nearest lines with tensors are ",
        NearestLines(finder_.locations(), found, wanted.name, *wanted.dim)));
  }

  absl::Status UnseenError(InstructionId id) const {
    const auto kind = explained_.why_not->KindWithoutTensor(id);
    const bool is_dead = kind == sharding::explain::RefusalKind::kDeadCode;
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(id), " has no sharding (", KindWord(kind), "): ",
        is_dead ? "nothing that the module returns needs it, so XLA removes it before propagation"
                : "it works on the scalars of a reduction, comparison or scatter"));
  }

  absl::StatusOr<FoundTensor> Leaf(InstructionId id, const Wanted& wanted) const {
    const int leaf = wanted.leaf.value_or(0);
    if (leaf >= explained_.names->num_leaves(id)) {
      return absl::InvalidArgumentError(absl::StrCat(NameOf(id), " has no array {", leaf, "}"));
    }
    const ValueId value = explained_.names->ValueOf(id, leaf);
    if (value == kNone || !explained_.log->numbered().has_shape(value)) {
      return absl::FailedPreconditionError(
          absl::StrCat(NameOf(id), "{", leaf,
                       "} takes no part in propagation: it is not an array, or "
                       "nothing that the module returns needs it"));
    }
    return Checked({explained_.log->SlotOf(value), wanted.dim}, value);
  }

  absl::StatusOr<FoundTensor> Checked(const FoundTensor& found, ValueId value) const {
    const int rank = explained_.log->numbered().rank(value);
    if (!found.dim.has_value() || *found.dim < rank) return found;
    return absl::InvalidArgumentError(
        absl::StrCat("no dimension ", *found.dim, ": the array has rank ", rank));
  }

  const Explained& explained_;
  const std::string axis_;  // empty: any
  const hlo::Module& module_;
  NameFinder finder_;
};

}  // namespace

absl::StatusOr<FoundTensor> FindTensor(const Explained& explained, const std::string& name,
                                       const std::string& axis) {
  return TensorFinder(explained, axis).Find(name);
}

}  // namespace tessera::pipeline
