#include "tessera/target/buffers/shared_leaves.h"

#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/opcode.h"

namespace tessera::target {
namespace {

using hlo::InstructionId;
using hlo::Opcode;

constexpr absl::string_view kLists = "\"aliasing_operands\":{\"lists\":[";
constexpr char kConcat[] = "ConcatBitcast";  // a custom call of a TPU
constexpr absl::string_view kIndices = "\"indices\":[";

// The number of the first leaf of each operand, and of all.
using FirstLeaves = std::vector<size_t>;

FirstLeaves FirstLeavesOf(const hlo::Module& module, InstructionId id,
                          layout::LeafNumbers* numbers) {
  FirstLeaves first = {0};
  for (const InstructionId operand : module.operands(id)) {
    first.push_back(first.back() + numbers->Count(module.shape(operand)));
  }
  return first;
}

// Numbers of `"0","2"`.
std::vector<size_t> NumbersOf(absl::string_view text) {
  std::vector<size_t> out;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    size_t number = 0;
    if (part.size() > 2 && absl::SimpleAtoi(part.substr(1, part.size() - 2), &number)) {
      out.push_back(number);
    }
  }
  return out;
}

// The lists of a TPU: each names arrays, first those of the operands, then those of the result, that
// are one. Nothing where the configuration has no such lists.
std::optional<std::vector<SharedLeaf>> ListedLeaves(const hlo::Module& module, InstructionId id,
                                                    size_t operands) {
  const auto config = module.FindAttribute(id, hlo::AttributeName::kBackendConfig);
  const size_t begin = config ? config->find(kLists) : absl::string_view::npos;
  if (begin == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = config->substr(begin + kLists.size());
  std::vector<SharedLeaf> shared;
  while (!rest.empty() && rest[0] != ']') {
    const size_t at = rest.find(kIndices);
    const size_t end = at == absl::string_view::npos ? at : rest.find(']', at + kIndices.size());
    if (end == absl::string_view::npos) break;
    const std::vector<size_t> list =
        NumbersOf(rest.substr(at + kIndices.size(), end - at - kIndices.size()));
    for (const size_t number : list) {
      if (number >= operands && list[0] < operands) shared.push_back({number - operands, list[0]});
    }
    rest.remove_prefix(end + 1);
    if (!rest.empty()) rest.remove_prefix(1);  // the brace of this list
    if (!rest.empty() && rest[0] == ',') rest.remove_prefix(1);
  }
  return shared;
}

InstructionId SkipBitcasts(const hlo::Module& module, InstructionId id) {
  while (module.instruction(id).opcode == Opcode::kBitcast) id = module.operands(id)[0];
  return id;
}

bool UpdatesInPlace(Opcode opcode) {
  return opcode == Opcode::kDynamicUpdateSlice || opcode == Opcode::kScatter;
}

// The parameter that an array at the root of a fusion updates.
std::optional<size_t> UpdatedParameter(const hlo::Module& module, InstructionId out) {
  const InstructionId update = SkipBitcasts(module, out);
  if (!UpdatesInPlace(module.instruction(update).opcode)) return std::nullopt;
  const InstructionId target = SkipBitcasts(module, module.operands(update)[0]);
  const hlo::Instruction& i = module.instruction(target);
  if (i.opcode != Opcode::kParameter || module.shape(target).is_tuple()) return std::nullopt;
  return i.parameter_number;
}

std::vector<SharedLeaf> LeavesOfFusion(const hlo::Module& module, InstructionId id,
                                       const FirstLeaves& first) {
  std::vector<SharedLeaf> shared;
  if (module.called(id).empty()) return shared;
  const InstructionId root = module.computation(module.called(id)[0]).root;
  std::vector<InstructionId> outs = {root};
  if (module.instruction(root).opcode == Opcode::kTuple) {
    outs.assign(module.operands(root).begin(), module.operands(root).end());
  }
  for (size_t k = 0; k < outs.size(); ++k) {
    const auto parameter = UpdatedParameter(module, outs[k]);
    if (parameter && *parameter < first.size()) shared.push_back({k, first[*parameter]});
  }
  return shared;
}

// As many results as there are, each in the operand of its number.
std::vector<SharedLeaf> LeafByLeaf(const hlo::Module& module, InstructionId id,
                                   layout::LeafNumbers* numbers) {
  std::vector<SharedLeaf> shared;
  for (size_t k = 0; k < numbers->Count(module.shape(id)); ++k) shared.push_back({k, k});
  return shared;
}

// The parts of an array that was brought in slices, which are its memory.
std::vector<SharedLeaf> AllInOne(size_t operands) {
  std::vector<SharedLeaf> shared;
  for (size_t k = 0; k < operands; ++k) shared.push_back({0, k});
  return shared;
}

}  // namespace

std::vector<SharedLeaf> AliasedLeaves(const hlo::Module& module, InstructionId id,
                                      layout::LeafNumbers* numbers) {
  std::vector<SharedLeaf> shared;
  const auto aliases = hlo::GetAliasing(module, id);
  if (aliases.empty()) return shared;
  const FirstLeaves first = FirstLeavesOf(module, id, numbers);
  for (const hlo::OperandAlias& alias : aliases) {
    const auto operand = static_cast<size_t>(alias.operand);
    if (operand >= module.operands(id).size()) continue;
    const layout::Shape& source = module.shape(module.operands(id)[operand]);
    shared.push_back({numbers->Of(module.shape(id), alias.output_index),
                      first[operand] + numbers->Of(source, alias.operand_index)});
  }
  return shared;
}

bool IsConcatenatedInPlace(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kCustomCall &&
         hlo::GetCustomCallTarget(module, id) == kConcat;
}

std::vector<SharedLeaf> SharedLeaves(const hlo::Module& module, InstructionId id,
                                     layout::LeafNumbers* numbers) {
  const Opcode opcode = module.instruction(id).opcode;
  if (UpdatesInPlace(opcode) || opcode == Opcode::kAllReduceStart) {
    return LeafByLeaf(module, id, numbers);
  }
  const FirstLeaves first = FirstLeavesOf(module, id, numbers);
  // It writes rows into its second operand.
  if (opcode == Opcode::kRaggedAllToAll && first.size() > 2) return {{0, first[1]}};
  if (IsConcatenatedInPlace(module, id)) return AllInOne(first.back());
  std::vector<SharedLeaf> shared = AliasedLeaves(module, id, numbers);
  if (const auto listed = ListedLeaves(module, id, first.back())) {
    shared.insert(shared.end(), listed->begin(), listed->end());
  } else if (opcode == Opcode::kFusion) {
    const auto more = LeavesOfFusion(module, id, first);
    shared.insert(shared.end(), more.begin(), more.end());
  }
  return shared;
}

}  // namespace tessera::target
