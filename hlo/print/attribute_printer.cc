// The rule for most attributes is a table: how the value is written, and when it is left out. The
// value is read from its text and written again, which brings spellings together.

#include "tessera/hlo/print/attribute_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/hlo/schema/print_rules.h"
#include "tessera/hlo/values/value_form.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/hlo/values/values.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

using A = AttributeName;
using S = AttributeSyntax;
using layout::Shape;

namespace {

using Text = std::optional<std::string>;

struct Value {
  const Module& module;
  InstructionId id;
  A name;
  const PrintOptions& options;

  Opcode opcode() const { return module.instruction(id).opcode; }
  std::optional<absl::string_view> text() const { return module.FindAttribute(id, name); }
  Text Named(absl::string_view value) const {
    return absl::StrCat(AttributeText(name), "=", value);
  }
};

// --- Left out when equal to a default ------------------------------------------------------------

struct WordDefault {
  A name;
  absl::string_view word;
};
constexpr WordDefault kWordDefaults[] = {{A::kAlgorithm, "unset"},
                                         {A::kConvolutionKind, "unset"},
                                         {A::kSchedule, "SCHEDULE_NONE"},
                                         {A::kApiVersion, "API_VERSION_ORIGINAL"},
                                         {A::kPaddingType, "PADDING_INVALID"},
                                         {A::kTransposeA, "TRANSPOSE_INVALID"}};

Text FormatInt(const Value& v) {
  const auto value = GetInt(v.module, v.id, v.name);
  if (!value.has_value()) return std::nullopt;
  if (HiddenInt(v.name) == value) return std::nullopt;
  return v.Named(absl::StrCat(*value));
}

Text FormatFloat(const Value& v) {
  const auto value = GetFloat(v.module, v.id, v.name);
  if (!value.has_value()) return std::nullopt;
  return v.Named(absl::StrFormat("%g", static_cast<float>(*value)));
}

// Older readers refuse is_stable of topk and has_dynamic_root: they print as they were written
// where the options do not ask for more.
Text FormatBool(const Value& v) {
  const bool topk_stable = v.opcode() == Opcode::kTopk && v.name == A::kIsStable;
  const bool as_written =
      (topk_stable && !v.options.topk_stability) || v.name == A::kHasDynamicRoot;
  const auto written = GetBool(v.module, v.id, v.name);
  if (as_written && !written.has_value()) return std::nullopt;
  const bool value = written.value_or(v.name == A::kLargest || topk_stable);
  const bool always =
      as_written || topk_stable || v.name == A::kLargest || v.name == A::kIsAssociative;
  if (!value && !always) return std::nullopt;
  return v.Named(value ? "true" : "false");
}

Text FormatString(const Value& v) {
  const auto value = GetString(v.module, v.id, v.name);
  const bool config = v.name == A::kInfeedConfig || v.name == A::kOutfeedConfig;
  if (!value.has_value() || (config && (value->empty() || !v.options.infeed_outfeed_config))) {
    return std::nullopt;
  }
  if (v.name == A::kAsyncExecutionThread && *value == "main") return std::nullopt;
  return v.Named(absl::StrCat("\"", CEscape(*value), "\""));
}

// Lists that print also when they are empty or not written.
bool AlwaysPrintsInts(A name, Opcode opcode) {
  if (name == A::kDimensions) return opcode == Opcode::kBroadcast;
  return name == A::kLhsContractingDims || name == A::kRhsContractingDims;
}

Text FormatInts(const Value& v) {
  auto values = GetInts(v.module, v.id, v.name);
  if (v.opcode() == Opcode::kMap) {
    values.emplace();
    for (int64_t i = 0; i < v.module.shape(v.id).rank(); ++i) values->push_back(i);
  }
  if (v.opcode() == Opcode::kRaggedAllToAll) return std::nullopt;
  if (!values.has_value() && !AlwaysPrintsInts(v.name, v.opcode())) return std::nullopt;
  if (!values.has_value()) values.emplace();
  if (v.opcode() == Opcode::kAllGather || v.opcode() == Opcode::kAllGatherStart) values->resize(1);
  if (values->empty() && HidesEmptyInts(v.name)) return std::nullopt;
  return v.Named(PrintInts(*values));
}

Text FormatIntLists(const Value& v) {
  if (v.text().has_value() && IsCanonicalIntLists(*v.text())) return v.Named(*v.text());
  const auto lists = GetIntLists(v.module, v.id, v.name);
  if (!lists.has_value() || (lists->empty() && v.name == A::kSliceSizes)) return std::nullopt;
  return v.Named(absl::StrCat(
      "{",
      absl::StrJoin(*lists, ",",
                    [](std::string* out, const IntList& list) { out->append(PrintInts(list)); }),
      "}"));
}

Text FormatBools(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  Reader in(*text, 0, text->size());
  std::vector<bool> values;
  ReadBools(in, &values);
  return v.Named(PrintBools(values));
}

// `order` or `type` of compare, of which the text has one at most.
Text FormatComparison(const Value& v) {
  const auto words = GetWords(v.module, v.id, v.name);
  if (words.empty() || v.module.operands(v.id).empty()) return std::nullopt;
  const layout::ElementType type = v.module.shape(v.module.operands(v.id)[0]).element_type();
  const bool partial_by_default = layout::IsFloat(type) || layout::IsComplex(type);
  const bool partial = words[0] == "PARTIAL" || words[0] == "FLOAT";
  if (v.options.comparison_order) {
    if (partial == partial_by_default) return std::nullopt;
    return absl::StrCat("order=", partial ? "PARTIAL" : "TOTAL");
  }
  const absl::string_view by_default = partial_by_default       ? "FLOAT"
                                       : layout::IsSigned(type) ? "SIGNED"
                                                                : "UNSIGNED";
  absl::string_view written = words[0];
  if (v.name == A::kOrder) {
    written = partial ? "FLOAT" : partial_by_default ? "TOTALORDER" : by_default;
  }
  if (written == by_default) return std::nullopt;
  return absl::StrCat("type=", written);
}

Text FormatWord(const Value& v) {
  if (v.opcode() == Opcode::kCompare && v.name != A::kDirection) return FormatComparison(v);
  const auto words = GetWords(v.module, v.id, v.name);
  if (words.empty() || v.name == A::kMode) return std::nullopt;
  for (const WordDefault& d : kWordDefaults) {
    if (d.name == v.name && d.word == words[0]) return std::nullopt;
  }
  return v.Named(words[0]);
}

Text FormatWords(const Value& v) {
  const auto words = GetWords(v.module, v.id, v.name);
  const bool all_default =
      std::all_of(words.begin(), words.end(), [](absl::string_view w) { return w == "default"; });
  if (all_default) return std::nullopt;
  return v.Named(absl::StrCat("{", absl::StrJoin(words, ","), "}"));
}

std::string ShapeList(const std::vector<Shape>& shapes) {
  return absl::StrJoin(shapes, ", ", [](std::string* out, const Shape& shape) {
    layout::AppendShape(shape, {}, out);
  });
}

Text FormatShape(const Value& v) {
  const auto shapes = GetShapes(v.module, v.id, v.name);
  if (shapes.has_value()) return v.Named(ShapeList(*shapes));
  return v.Named(layout::ShapeToString(v.module.shape(v.module.operands(v.id)[0])));
}

Text FormatShapes(const Value& v) {
  const auto shapes = GetShapes(v.module, v.id, v.name);
  if (!shapes.has_value()) return std::nullopt;
  return v.Named(absl::StrCat("{", ShapeList(*shapes), "}"));
}

Text FormatLiteral(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  const auto literal = ParseTypedLiteral(*text);
  if (!literal.ok()) return std::nullopt;
  return v.Named(PrintTypedLiteral(*literal));
}

Text FormatReplicaGroups(const Value& v) {
  const auto groups = GetReplicaGroups(v.module, v.id);
  if (!groups.has_value()) return v.Named("{}");
  return v.Named(PrintReplicaGroups(*groups, v.options.single_device_shardings));
}

Text FormatWindow(const Value& v) {
  if (!v.text().has_value()) return std::nullopt;
  const Window window = GetWindow(v.module, v.id);
  if (window.empty() && v.opcode() != Opcode::kCustomCall) return std::nullopt;
  return v.Named(PrintWindow(window));
}

// Values that print whenever they are written: read as T, printed by `print`.
template <typename T, bool (*Read)(Reader&, T*), std::string (*Print)(const T&)>
Text Format(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  Reader in(*text, 0, text->size());
  T value;
  if (!Read(in, &value)) return std::nullopt;
  const std::string printed = Print(value);
  if (printed.empty()) return std::nullopt;
  return v.Named(printed);
}

Text FormatDomain(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  Reader in(*text, 0, text->size());
  Domain domain;
  if (!ReadDomain(in, &domain)) return std::nullopt;
  const Shape& shape = v.module.shape(v.id);
  sharding::HloShardingForm form;
  form.single_device = v.options.single_device_shardings;
  return v.Named(
      absl::StrCat("{kind=\"sharding\", entry=", FormatSharding(domain.entry, shape, form),
                   ", exit=", FormatSharding(domain.exit, shape, form), "}"));
}

Text FormatShardingValue(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  const PrintOptions& o = v.options;
  return v.Named(FormatSharding(*text, v.module.shape(v.id),
                                {o.metadata, o.sharding_reductions, o.single_device_shardings}));
}

Text FormatFrontend(const Value& v) {
  std::vector<std::pair<std::string, std::string>> decoded;
  for (const FrontendEntry& e : GetFrontendEntries(v.module, v.id)) {
    decoded.emplace_back(e.key, DecodeFrontendValue(e.value));
  }
  const std::string printed = FormatSortedFrontendAttributes(std::move(decoded));
  if (printed.empty()) return std::nullopt;
  return v.Named(printed);
}

Text FormatBackendConfig(const Value& v) {
  const auto value = GetString(v.module, v.id, v.name);
  if (!value.has_value() || value->empty() || !v.options.backend_config) return std::nullopt;
  return v.Named(BackendConfigText(*value));
}

Text FormatOrigin(const Value& v) {
  const auto text = v.text();
  if (!text.has_value()) return std::nullopt;
  Reader in(*text, 0, text->size());
  OriginTree tree;
  if (!ReadOrigin(in, &tree)) return std::nullopt;
  const bool hierarchy =
      tree.kind == OriginTree::Kind::kSyntheticCall && v.options.origin_call_hierarchy;
  return v.Named(hierarchy ? "{(),[\"\"]}" : PrintOrigin(tree));
}

struct SyntaxRow {
  S syntax;
  Text (*format)(const Value&);
};

constexpr SyntaxRow kRows[] = {
    {S::kInt, FormatInt},
    {S::kInt32, FormatInt},
    {S::kFloat, FormatFloat},
    {S::kBool, FormatBool},
    {S::kString, FormatString},
    {S::kInts, FormatInts},
    {S::kIntLists, FormatIntLists},
    {S::kBools, FormatBools},
    {S::kEnum, FormatWord},
    {S::kWords, FormatWords},
    {S::kShape, FormatShape},
    {S::kShapes, FormatShapes},
    {S::kLiteral, FormatLiteral},
    {S::kSharding, FormatShardingValue},
    {S::kFrontendAttributes, FormatFrontend},
    {S::kBackendConfig, FormatBackendConfig},
    {S::kStatistics, Format<Statistics, ReadStatistics, PrintStatistics>},
    {S::kOrigin, FormatOrigin},
    {S::kWindow, FormatWindow},
    {S::kDimLabels,
     Format<ConvolutionDimensions, ReadConvolutionDimensions, PrintConvolutionDimensions>},
    {S::kPadding, Format<std::vector<PaddingDimension>, ReadPadding, PrintPadding>},
    {S::kSlice, Format<std::vector<SliceDimension>, ReadSlice, PrintSlice>},
    {S::kReplicaGroups, FormatReplicaGroups},
    {S::kAliasing, Format<std::vector<OperandAlias>, ReadAliasing, PrintAliasing>},
    {S::kDomain, FormatDomain},
    {S::kResultAccuracy, Format<ResultAccuracy, ReadResultAccuracy, PrintResultAccuracy>},
    {S::kSparsity, Format<SparsityConfig, ReadSparsity, PrintSparsity>},
};

}  // namespace

std::optional<std::string> FormatAttribute(const Module& module, InstructionId id,
                                           AttributeName name, const PrintOptions& options) {
  const S syntax = SyntaxOf(name, module.instruction(id).opcode);
  for (const SyntaxRow& row : kRows) {
    if (row.syntax == syntax) return row.format(Value{module, id, name, options});
  }
  return std::nullopt;
}

}  // namespace tessera::hlo
