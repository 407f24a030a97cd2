#include "tessera/testing/propagation/text_program.h"

#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/sharding/factors/rule_text.h"
#include "tessera/testing/propagation/short_sharding.h"

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
  explicit Parser(TextProgram& out) : out_(out), program_(out.program_) {}

  void Parse(absl::string_view text) {
    for (const absl::string_view line : absl::StrSplit(text, '\n')) {
      const absl::string_view stripped = absl::StripAsciiWhitespace(line);
      if (!stripped.empty()) ParseLine(stripped);
    }
  }

 private:
  void ParseLine(absl::string_view line) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(" = ", 1));
    const Words left = SplitWords(parts[0]);
    if (left[0] == "return") return ParseReturn(left);
    if (left[0] == "group") {
      for (size_t k = 1; k < left.size(); ++k) {
        program_.AddToGroup(groups_, out_.values_.at(left[k]));
      }
      ++groups_;
      return;
    }
    const ShardingId sharding = left.size() > 2 ? Sharding(left[2]) : kNoSharding;
    out_.values_[left[0]] = ParseOp({ParseDims(left.at(1)), sharding}, parts.at(1));
  }

  program::Value* ParseOp(const Tensor& result, absl::string_view right) {
    const std::vector<std::string> parts = absl::StrSplit(right, absl::MaxSplits(" : ", 1));
    Words words = SplitWords(parts[0]);
    const std::string op = words[0];
    words.erase(words.begin());
    const std::vector<program::Value*> operands = Values(words);
    if (op == "opt") return AddOptBarrier(result, operands);
    if (op == "arg") return program_.AddArgument(result);
    const OpSpec spec = Spec(op, result, operands.size(), parts.size() > 1 ? parts[1] : "");
    return program_.AddOp(spec, operands, {result})->result();
  }

  OpSpec Spec(const std::string& op, const Tensor& result, size_t operands,
              absl::string_view rule) {
    OpSpec spec;
    spec.flow = FlowOf(op);
    spec.element_wise = op == "ew" || op == "constraint";
    spec.removable = op == "ew";
    spec.rule = program_.rules().Intern(
        rule.empty() ? factors::IdentityRule(result.dims, static_cast<int>(operands), 1)
                     : factors::ParseRule(rule).value());
    if (absl::StartsWith(op, "barrier:")) {
      spec.kind = OpKind::kPropagationBarrier;
      spec.barrier = ParseDirection(absl::StripPrefix(op, "barrier:"));
    }
    return spec;
  }

  program::Value* AddOptBarrier(const Tensor& result,
                                const std::vector<program::Value*>& operands) {
    OpSpec spec;
    spec.kind = OpKind::kOptBarrier;
    program::Value* const owner = program_.AddOp(spec, operands, {{result.dims}})->result();
    return program_.AddEdge(owner, result.sharding);
  }

  void ParseReturn(const Words& words) {
    std::vector<program::Value*> returned;
    std::vector<ShardingId> shardings;
    for (size_t k = 1; k < words.size(); ++k) {
      if (IsSharding(words[k])) continue;
      returned.push_back(out_.values_.at(words[k]));
      const bool has = k + 1 < words.size() && IsSharding(words[k + 1]);
      shardings.push_back(has ? Sharding(words[k + 1]) : kNoSharding);
    }
    const absl::Status status = program_.Return(returned, shardings);
    if (!status.ok()) throw std::invalid_argument(status.ToString());
  }

  ShardingId Sharding(const std::string& text) {
    return program_.shardings().Intern(ParseShort(text, 0, program_.meshes().mesh(0)).value());
  }

  std::vector<program::Value*> Values(const Words& names) const {
    std::vector<program::Value*> values;
    for (const std::string& name : names) values.push_back(out_.values_.at(name));
    return values;
  }

  TextProgram& out_;
  TestProgram& program_;
  int64_t groups_ = 0;
};

TextProgram::TextProgram(std::vector<MeshAxis> axes, absl::string_view text) {
  program_.meshes().Add("mesh", Mesh::Create(std::move(axes)).value()).value();
  Parser(*this).Parse(text);
}

std::map<std::string, std::string> TextProgram::Run(const Options& options, Observer* observer) {
  const Result result = Propagate(program(), tables(), options, rule_source(), observer).value();
  std::map<std::string, std::string> texts;
  for (const auto& [name, v] : values_)
    texts[name] = Text(result.ShardingOf(program(), v->number()));
  for (size_t k = 0; k < result.outputs.size(); ++k) {
    texts[absl::StrCat("return", k)] = Text(result.outputs[k]);
  }
  return texts;
}

std::string TextProgram::Text(ShardingId id) {
  return id == kNoSharding ? "" : ToShort(program_.shardings()[id], program_.meshes().mesh(0));
}

}  // namespace tessera::sharding::propagation
