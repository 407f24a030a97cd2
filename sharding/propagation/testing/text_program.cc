#include "tessera/sharding/propagation/testing/text_program.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/sharding/propagation/program_builder.h"
#include "tessera/sharding/propagation/testing/short_sharding.h"

namespace tessera::sharding::propagation {
namespace {

using Words = std::vector<std::string>;

Words SplitWords(absl::string_view text) {
  return absl::StrSplit(text, ' ', absl::SkipWhitespace());
}

std::vector<int64_t> ParseDims(const std::string& text) {
  std::vector<int64_t> dims;
  if (text == "s") return dims;
  for (const std::string& size : Words(absl::StrSplit(text, 'x')))
    dims.push_back(std::atoll(size.c_str()));
  return dims;
}

Direction ParseDirection(absl::string_view text) {
  if (text == "FORWARD") return Direction::kForward;
  if (text == "BACKWARD") return Direction::kBackward;
  return text == "BOTH" ? Direction::kBoth : Direction::kNone;
}

OpPriorityClass FlowOf(const std::string& op) {
  static const auto* const flows =
      new std::map<std::string, OpPriorityClass>{{"ew", OpPriorityClass::kPassThrough},
                                                 {"constraint", OpPriorityClass::kPassThrough},
                                                 {"pass", OpPriorityClass::kPassThrough},
                                                 {"bcast", OpPriorityClass::kBroadcast},
                                                 {"dslice", OpPriorityClass::kPassThroughForward}};
  const auto found = flows->find(op);
  return found == flows->end() ? OpPriorityClass::kOther : found->second;
}

bool IsSharding(const std::string& word) { return word[0] == '['; }

}  // namespace

class TextProgram::Parser {
 public:
  explicit Parser(TextProgram& out) : out_(out) {
    OpSpec spec;
    spec.kind = OpKind::kFunction;
    main_ = builder_.AddOp(spec);
  }

  Program Parse(absl::string_view text) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const absl::string_view stripped = absl::StripAsciiWhitespace(line);
      if (!stripped.empty()) ParseLine(stripped);
    }
    return std::move(builder_).Build().value();
  }

 private:
  void ParseLine(absl::string_view line) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(" = ", 1));
    const Words left = SplitWords(parts[0]);
    if (left[0] == "return") return ParseReturn(left);
    if (left[0] == "group") {
      builder_.AddGroup(Values(Words(left.begin() + 1, left.end())));
      return;
    }
    const ShapeId shape = builder_.AddShape(ParseDims(left.at(1)));
    dims_ = ParseDims(left[1]);
    const ShardingId sharding = left.size() > 2 ? Sharding(left[2]) : kNoSharding;
    ParseOp(left[0], shape, sharding, parts.at(1));
  }

  void ParseOp(const std::string& name, ShapeId shape, ShardingId sharding,
               absl::string_view right) {
    const std::vector<std::string> parts = absl::StrSplit(right, absl::MaxSplits(" : ", 1));
    Words words = SplitWords(parts[0]);
    const std::string op = words[0];
    words.erase(words.begin());
    const std::vector<ValueId> operands = Values(words);
    if (op == "opt") return AddOptBarrier(name, shape, sharding, operands);
    const ValueId value = builder_.AddValue(shape, sharding);
    out_.values_[name] = value;
    if (op == "arg") return builder_.AddBlockArgument(main_, value);
    builder_.AddOp(Spec(op, operands.size(), parts.size() > 1 ? parts[1] : ""), operands, {value});
  }

  OpSpec Spec(const std::string& op, size_t operands, absl::string_view rule) {
    OpSpec spec;
    spec.parent = main_;
    spec.flow = FlowOf(op);
    spec.element_wise = op == "ew" || op == "constraint";
    spec.removable = op == "ew";
    spec.rule = out_.rules_.Intern(rule.empty()
                                       ? factors::IdentityRule(dims_, static_cast<int>(operands), 1)
                                       : factors::ParseRule(rule).value());
    if (absl::StartsWith(op, "barrier:")) {
      spec.kind = OpKind::kPropagationBarrier;
      spec.barrier = ParseDirection(absl::StripPrefix(op, "barrier:"));
    }
    return spec;
  }

  void AddOptBarrier(const std::string& name, ShapeId shape, ShardingId sharding,
                     const std::vector<ValueId>& operands) {
    OpSpec spec;
    spec.parent = main_;
    spec.kind = OpKind::kOptBarrier;
    EdgeSpec edge;
    edge.owner = builder_.AddValue(shape);
    edge.result = builder_.AddValue(shape, sharding);
    edge.sources = operands;
    builder_.AddOp(spec, operands, {edge.owner});
    spec.kind = OpKind::kDataFlowEdge;
    builder_.AddOp(spec, {edge.owner}, {edge.result});
    out_.values_[name] = edge.result;
    builder_.AddEdge(std::move(edge));
  }

  void ParseReturn(const Words& words) {
    std::vector<ValueId> returned;
    for (size_t k = 1; k < words.size(); ++k) {
      if (IsSharding(words[k])) continue;
      returned.push_back(out_.values_.at(words[k]));
      const bool has = k + 1 < words.size() && IsSharding(words[k + 1]);
      builder_.AddOutput({returned.back(), has ? Sharding(words[k + 1]) : kNoSharding});
    }
    OpSpec spec;
    spec.kind = OpKind::kReturn;
    spec.parent = main_;
    builder_.AddOp(spec, returned);
  }

  ShardingId Sharding(const std::string& text) {
    return out_.shardings_.Intern(ParseShort(text, 0, out_.meshes_.mesh(0)).value());
  }

  std::vector<ValueId> Values(const Words& names) const {
    std::vector<ValueId> values;
    for (const std::string& name : names) values.push_back(out_.values_.at(name));
    return values;
  }

  TextProgram& out_;
  ProgramBuilder builder_;
  OpId main_ = kNone;
  std::vector<int64_t> dims_;  // of the line at hand
};

TextProgram::TextProgram(std::vector<MeshAxis> axes, absl::string_view text) {
  meshes_.Add("mesh", Mesh::Create(std::move(axes)).value()).value();
  program_ = Parser(*this).Parse(text);
}

std::map<std::string, std::string> TextProgram::Run(const Options& options, Observer* observer) {
  const Result result = Propagate(program_, tables(), options, nullptr, observer).value();
  std::map<std::string, std::string> texts;
  for (const auto& [name, v] : values_) texts[name] = Text(result.ShardingOf(program_, v));
  for (size_t k = 0; k < result.outputs.size(); ++k) {
    texts[absl::StrCat("return", k)] = Text(result.outputs[k]);
  }
  return texts;
}

std::string TextProgram::Text(ShardingId id) const {
  return id == kNoSharding ? "" : ToShort(shardings_[id], meshes_.mesh(0));
}

}  // namespace tessera::sharding::propagation
