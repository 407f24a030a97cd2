#include "tessera/hlo/attributes.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/values/values.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/source.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;

// Reads the whole of `text` with `read`. Text that was not read from a file may end anywhere, so it
// is copied to a buffer with an end.
template <typename T, typename Read>
std::optional<T> ReadText(absl::string_view text, Read read) {
  std::string padded(text);
  padded.append(text::Source::kPadding, '\0');
  Reader in(padded, 0, text.size());
  T value{};
  if (!read(in, &value) || !in.AtEnd()) return std::nullopt;
  return value;
}

// Views into the value must point at the module's text: the reader works there. After a value of
// the source follows the terminator with which it was read; values in the arena end with a zero.
// After both stand bytes enough.
template <typename T, typename Read>
std::optional<T> ReadInPlace(absl::string_view text, Read read) {
  Reader in(text, 0, text.size());
  std::optional<T> value(std::in_place);
  if (!read(in, &*value) || !in.AtEnd()) value.reset();
  return value;
}

template <typename T, typename Read>
std::optional<T> ReadAttribute(const Module& module, InstructionId id, A name, Read read) {
  const auto text = module.FindAttribute(id, name);
  if (!text.has_value()) return std::nullopt;
  return ReadInPlace<T>(*text, read);
}

// Of digits alone, as most numbers are.
std::optional<int64_t> PlainInt(absl::string_view text) {
  constexpr size_t kMostDigits = 18;
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

IntList Ints(const Module& module, InstructionId id, A name) {
  return GetInts(module, id, name).value_or(IntList());
}

// The parser has seen that each one ends.
void SkipComments(text::Cursor& in) {
  while (true) {
    const char* const end = in.Consume("/*") ? "*/" : in.Consume("//") ? "\n" : nullptr;
    if (end == nullptr) return;
    const size_t at = in.rest().find(end);
    if (at == absl::string_view::npos) return;
    in.set_offset(in.offset() + at + absl::string_view(end).size());
  }
}

}  // namespace

std::optional<IntList> GetInts(const Module& module, InstructionId id, AttributeName name) {
  return ReadAttribute<IntList>(module, id, name, ReadInts);
}

std::optional<std::vector<IntList>> GetIntLists(const Module& module, InstructionId id,
                                                AttributeName name) {
  return ReadAttribute<std::vector<IntList>>(module, id, name, ReadIntLists);
}

std::optional<int64_t> GetInt(const Module& module, InstructionId id, AttributeName name) {
  const auto text = module.FindAttribute(id, name);
  if (!text.has_value()) return std::nullopt;
  if (const auto value = PlainInt(*text)) return value;
  return ReadInPlace<int64_t>(*text, [](Reader& in, int64_t* v) { return in.ReadInt(v); });
}

std::optional<double> GetFloat(const Module& module, InstructionId id, AttributeName name) {
  return ReadAttribute<double>(module, id, name, ReadFloat);
}

std::optional<bool> GetBool(const Module& module, InstructionId id, AttributeName name) {
  return ReadAttribute<bool>(module, id, name, ReadBool);
}

std::optional<std::string> GetString(const Module& module, InstructionId id, AttributeName name) {
  const auto text = module.FindAttribute(id, name);
  if (!text.has_value()) return std::nullopt;
  if (const auto value = UnquoteString(*text); value.has_value()) return value;
  return std::string(*text);
}

std::vector<absl::string_view> GetWords(const Module& module, InstructionId id,
                                        AttributeName name) {
  const auto text = module.FindAttribute(id, name);
  std::vector<absl::string_view> words;
  if (!text.has_value()) return words;
  const Enumeration e = EnumValuesOf(name, module.instruction(id).opcode);
  Reader in(*text, 0, text->size());
  const bool list = in.Eat('{');
  absl::string_view word;
  while (!in.AtEnd() && in.Peek() != '}' &&
         ReadEnumeration(in, e.words, e.ignore_case, AttributeText(name), &word)) {
    words.push_back(word);
    if (!list || !in.Eat(',')) break;
  }
  return words;
}

std::optional<std::vector<layout::Shape>> GetShapes(const Module& module, InstructionId id,
                                                    AttributeName name) {
  const auto text = module.FindAttribute(id, name);
  if (!text.has_value()) return std::nullopt;
  text::Cursor in(*text);
  std::vector<layout::Shape> shapes;
  const bool list = in.Consume('{');
  SkipComments(in);
  if (list && in.Consume('}')) return shapes;
  do {
    SkipComments(in);
    auto shape = layout::ParseShape(in);
    if (!shape.ok()) return std::nullopt;
    shapes.push_back(*std::move(shape));
    SkipComments(in);
  } while (list && in.Consume(','));
  return shapes;
}

std::optional<int64_t> GetDimension(const Module& module, InstructionId id) {
  const auto dims = GetInts(module, id, A::kDimensions);
  if (!dims.has_value() || dims->empty()) return std::nullopt;
  return (*dims)[0];
}

std::vector<std::pair<int64_t, int64_t>> GetSourceTargetPairs(const Module& module,
                                                              InstructionId id) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  const auto lists = GetIntLists(module, id, A::kSourceTargetPairs);
  if (!lists.has_value()) return pairs;
  for (const IntList& pair : *lists) {
    if (pair.size() == 2) pairs.emplace_back(pair[0], pair[1]);
  }
  return pairs;
}

std::string GetCustomCallTarget(const Module& module, InstructionId id) {
  return GetString(module, id, A::kCustomCallTarget).value_or("");
}

int64_t GetTupleIndex(const Module& module, InstructionId id) {
  return GetInt(module, id, A::kIndex).value_or(-1);
}

absl::string_view GetComparisonDirection(const Module& module, InstructionId id) {
  const auto words = GetWords(module, id, A::kDirection);
  return words.empty() ? "" : words[0];
}

DotDimensions GetDotDimensions(const Module& module, InstructionId id) {
  return {Ints(module, id, A::kLhsBatchDims),  Ints(module, id, A::kLhsContractingDims),
          Ints(module, id, A::kRhsBatchDims),  Ints(module, id, A::kRhsContractingDims),
          Ints(module, id, A::kLhsRaggedDims), Ints(module, id, A::kRhsGroupDims)};
}

GatherDimensions GetGatherDimensions(const Module& module, InstructionId id) {
  GatherDimensions d;
  d.offset_dims = Ints(module, id, A::kOffsetDims);
  d.collapsed_slice_dims = Ints(module, id, A::kCollapsedSliceDims);
  d.start_index_map = Ints(module, id, A::kStartIndexMap);
  d.operand_batching_dims = Ints(module, id, A::kOperandBatchingDims);
  d.start_indices_batching_dims = Ints(module, id, A::kStartIndicesBatchingDims);
  d.slice_sizes = Ints(module, id, A::kSliceSizes);
  d.index_vector_dim = GetInt(module, id, A::kIndexVectorDim).value_or(0);
  d.indices_are_sorted = GetBool(module, id, A::kIndicesAreSorted).value_or(false);
  return d;
}

ScatterDimensions GetScatterDimensions(const Module& module, InstructionId id) {
  ScatterDimensions d;
  d.update_window_dims = Ints(module, id, A::kUpdateWindowDims);
  d.inserted_window_dims = Ints(module, id, A::kInsertedWindowDims);
  d.scatter_dims_to_operand_dims = Ints(module, id, A::kScatterDimsToOperandDims);
  d.input_batching_dims = Ints(module, id, A::kInputBatchingDims);
  d.scatter_indices_batching_dims = Ints(module, id, A::kScatterIndicesBatchingDims);
  d.index_vector_dim = GetInt(module, id, A::kIndexVectorDim).value_or(0);
  d.indices_are_sorted = GetBool(module, id, A::kIndicesAreSorted).value_or(false);
  d.unique_indices = GetBool(module, id, A::kUniqueIndices).value_or(false);
  return d;
}

bool WindowDimension::is_trivial() const {
  return stride == 1 && padding_low == 0 && padding_high == 0 && base_dilation == 1 &&
         window_dilation == 1 && !reversal;
}

Window GetWindow(const Module& module, InstructionId id) {
  return ReadAttribute<Window>(module, id, A::kWindow, ReadWindow).value_or(Window());
}

std::optional<ConvolutionDimensions> GetConvolutionDimensions(const Module& module,
                                                              InstructionId id) {
  return ReadAttribute<ConvolutionDimensions>(module, id, A::kDimLabels, ReadConvolutionDimensions);
}

std::vector<SliceDimension> GetSlice(const Module& module, InstructionId id) {
  using List = std::vector<SliceDimension>;
  return ReadAttribute<List>(module, id, A::kSlice, ReadSlice).value_or(List());
}

std::vector<PaddingDimension> GetPadding(const Module& module, InstructionId id) {
  using List = std::vector<PaddingDimension>;
  return ReadAttribute<List>(module, id, A::kPadding, ReadPadding).value_or(List());
}

std::optional<ReplicaGroups> GetReplicaGroups(const Module& module, InstructionId id) {
  return ReadAttribute<ReplicaGroups>(module, id, A::kReplicaGroups, ReadReplicaGroups);
}

std::optional<ReplicaGroups> ParseReplicaGroups(absl::string_view text) {
  return ReadText<ReplicaGroups>(text, ReadReplicaGroups);
}

std::vector<OperandAlias> GetAliasing(const Module& module, InstructionId id) {
  using List = std::vector<OperandAlias>;
  return ReadAttribute<List>(module, id, A::kOutputToOperandAliasing, ReadAliasing)
      .value_or(List());
}

// Reads a copy, after which the reader may look, and gives back views of `text`.
std::vector<FrontendEntry> ParseFrontendEntries(absl::string_view text) {
  using List = std::vector<FrontendEntry>;
  const std::string copy = absl::StrCat(text, std::string(text::Source::kPadding, '\0'));
  const absl::string_view copied(copy.data(), text.size());
  List entries = ReadInPlace<List>(copied, ReadFrontendAttributes).value_or(List());
  const auto in_text = [&](absl::string_view view) {
    return text.substr(static_cast<size_t>(view.data() - copy.data()), view.size());
  };
  for (FrontendEntry& entry : entries) entry = {in_text(entry.key), in_text(entry.value)};
  return entries;
}

std::vector<FrontendEntry> GetFrontendEntries(const Module& module, InstructionId id) {
  using List = std::vector<FrontendEntry>;
  return ReadAttribute<List>(module, id, A::kFrontendAttributes, ReadFrontendAttributes)
      .value_or(List());
}

std::string DecodeFrontendValue(absl::string_view value) {
  return UnquoteString(value).value_or(std::string(value));
}

std::optional<std::string> GetFrontendAttribute(const Module& module, InstructionId id,
                                                absl::string_view key) {
  const auto entries = GetFrontendEntries(module, id);
  const auto found = std::find_if(entries.rbegin(), entries.rend(),
                                  [&](const FrontendEntry& e) { return e.key == key; });
  if (found == entries.rend()) return std::nullopt;
  return DecodeFrontendValue(found->value);
}

std::string BackendConfigText(const std::string& value) {
  return LexesAsJson(value) ? value : absl::StrCat("\"", CEscape(value), "\"");
}

std::string FormatFrontendAttributes(
    const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::string out = "{";
  for (const auto& [key, value] : attributes) {
    absl::StrAppend(&out, out.size() == 1 ? "" : ",", key, "=");
    if (LexesAsJson(value)) {
      out += value;
    } else {
      absl::StrAppend(&out, "\"", CEscape(value), "\"");
    }
  }
  return out + "}";
}

Metadata ParseMetadata(absl::string_view text) {
  return ReadText<Metadata>(text, ReadMetadata).value_or(Metadata());
}

Metadata GetMetadata(const Module& module, InstructionId id) {
  return ReadAttribute<Metadata>(module, id, A::kMetadata, ReadMetadata).value_or(Metadata());
}

// Most metadata begins with it, and the parser has accepted the rest. Comments may stand anywhere else.
std::string GetOpName(const Module& module, InstructionId id) {
  constexpr absl::string_view kFront = "{op_name=";
  const absl::string_view text = module.FindAttribute(id, A::kMetadata).value_or("");
  const absl::string_view token = absl::ClippedSubstr(text, kFront.size());
  if (!absl::StartsWith(text, kFront) || !absl::StartsWith(token, "\"")) {
    return GetMetadata(module, id).op_name;
  }
  const char* const end = StringEnd(token.data(), token.data() + token.size());
  if (end == nullptr) return "";
  return UnquoteString(token.substr(0, static_cast<size_t>(end - token.data()))).value_or("");
}

}  // namespace tessera::hlo
