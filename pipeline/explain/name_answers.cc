#include "tessera/pipeline/explain/name_answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/sizes.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/text/near_names.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using sharding::propagation::kNone;

constexpr size_t kMaxListed = 10;
constexpr size_t kNearestLines = 3;

// 0 for what is no array.
int64_t BytesOf(const hlo::Module& module, InstructionId id) {
  const layout::Shape& shape = module.shape(id);
  if (!shape.is_array() || shape.has_dynamic_dim()) return 0;
  const auto sizes = layout::SizesOf(shape.WithoutLayout());
  return sizes.ok() ? sizes->data_bytes : 0;
}

// "" for an instruction with several arrays.
std::string SpecOf(const Explained& e, const Labels& labels, InstructionId id) {
  if (e.names->num_leaves(id) != 1) return "";
  const auto value = e.names->ValueOf(id, 0);
  return value == kNone ? "" : labels.Spec(e.FinalId(e.log->SlotOf(value)));
}

// The three nearest names and op_names, after a semicolon; "" where none is near.
std::string NearestNames(const Explained& e, const std::string& name) {
  const hlo::Module& module = e.sharded->module;
  std::vector<std::string> known;
  for (InstructionId id = 0; id < module.num_instructions(); ++id) {
    if (!IsSeen(e, id)) continue;
    known.emplace_back(module.instruction(id).name);
    const std::string op_name = hlo::GetOpName(module, id);
    if (!op_name.empty()) known.push_back(op_name);
  }
  return text::NearestNames(name, std::vector<absl::string_view>(known.begin(), known.end()));
}

// "the module has tensors of model.py, train.py": files of the user's program, those of most tensors
// first, ten at most.
std::string FilesText(const Explained& e, const SourceLocations& locations) {
  std::map<std::string, int> tensors_of;
  for (InstructionId id = 0; id < e.sharded->module.num_instructions(); ++id) {
    const std::string place = IsSeen(e, id) ? locations.UsersOwn(id) : "";
    if (!place.empty()) ++tensors_of[place.substr(0, place.rfind(':'))];
  }
  if (tensors_of.empty()) return "the module names no lines of the program";
  std::vector<std::pair<int, std::string>> files;
  for (const auto& [file, tensors] : tensors_of) files.emplace_back(-tensors, file);
  absl::c_sort(files);
  const size_t shown = std::min(files.size(), kMaxListed);
  const std::string more =
      files.size() > shown ? absl::StrCat(" and ", files.size() - shown, " more") : "";
  return absl::StrCat(
      "the module has tensors of ",
      absl::StrJoin(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(shown), ", ",
                    [](std::string* out, const auto& file) { *out += file.second; }),
      more);
}

}  // namespace

bool IsSeen(const Explained& e, InstructionId id) {
  for (int leaf = 0; leaf < e.names->num_leaves(id); ++leaf) {
    if (e.names->ValueOf(id, leaf) != kNone) return true;
  }
  return false;
}

std::string PathOf(const Explained& e, InstructionId id) {
  const hlo::Module& module = e.sharded->module;
  const auto value = e.names->num_leaves(id) == 1 ? e.names->ValueOf(id, 0) : kNone;
  sharding::explain::ValueName name = {id};
  if (value != kNone && e.names->Of(value).instruction != hlo::kNoId) name = e.names->Of(value);
  const hlo::Instruction& instruction = module.instruction(name.instruction);
  return absl::StrCat(module.computation(instruction.computation).name, "/", instruction.name,
                      name.num_leaves == 1 ? "" : absl::StrCat("{", name.leaf, "}"));
}

std::string TensorList(const Explained& e, const SourceLocations& locations,
                       std::vector<InstructionId> found) {
  const hlo::Module& module = e.sharded->module;
  absl::c_stable_sort(found, [&](InstructionId a, InstructionId b) {
    return BytesOf(module, a) > BytesOf(module, b);
  });
  const Labels labels(e);
  std::string list;
  for (size_t i = 0; i < std::min(found.size(), kMaxListed); ++i) {
    const std::string op_name = hlo::GetOpName(module, found[i]);
    std::vector<std::string> words = {
        PathOf(e, found[i]), layout::ShapeToString(module.shape(found[i]).WithoutLayout()),
        SpecOf(e, labels, found[i]), op_name, locations.UsersOwn(found[i])};
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
    absl::StrAppend(&list, "  ", absl::StrJoin(words, "  "), "\n");
  }
  if (found.size() > kMaxListed) {
    absl::StrAppend(&list, "  and ", found.size() - kMaxListed,
                    " more; `tessera shardings FILE --match=NAME` lists all\n");
  }
  return list;
}

absl::Status NoTensorError(const Explained& e, const SourceLocations& locations,
                           const std::string& name) {
  static const RE2& place = *new RE2(R"((.*\.py)(?::\d+)?)");  // lives as long as the program
  std::string file;
  if (RE2::FullMatch(name, place, &file)) {
    return absl::InvalidArgumentError(
        absl::StrCat("no tensor is of the file ", file, "; ", FilesText(e, locations)));
  }
  const std::string near = NearestNames(e, name);
  return absl::NotFoundError(absl::StrCat(
      "no tensor is named '", name, "'",
      near.empty() ? "; `tessera shardings` lists all names; those of collectives and buffers "
                     "on a target need its --target"
                   : near));
}

std::string NearestLines(const SourceLocations& locations, const std::vector<InstructionId>& found,
                         const std::string& file, int line) {
  std::set<std::pair<int, int>> by_distance;  // and line
  for (const InstructionId id : found) {
    const std::string place = locations.UsersOwn(id);
    const size_t colon = place.rfind(':');
    int other = 0;
    if (colon == std::string::npos || !absl::EndsWith(place.substr(0, colon), file)) continue;
    if (absl::SimpleAtoi(place.substr(colon + 1), &other)) {
      by_distance.emplace(std::abs(other - line), other);
    }
  }
  std::set<int> nearest;
  for (const auto& [distance, other] : by_distance) {
    if (nearest.size() < kNearestLines) nearest.insert(other);
  }
  return absl::StrJoin(nearest, ", ",
                       [&](std::string* out, int l) { absl::StrAppend(out, file, ":", l); });
}

}  // namespace tessera::pipeline
