#include "tessera/pipeline/verbs/search/suggest/parameter_groups.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "re2/re2.h"
#include "tessera/hlo/attributes.h"
#include "tessera/layout/element_bytes.h"
#include "tessera/layout/element_type.h"
#include "tessera/pipeline/input/argument_path.h"
#include "tessera/text/checked.h"

namespace tessera::pipeline {
namespace {

struct Argument {
  std::string name, path;  // the path is the name where the module knows none
  std::vector<int64_t> dims;
  int64_t bytes = 0;
  bool is_integer = false;
};

std::vector<Argument> ArgumentsOf(const hlo::Module& module) {
  std::vector<Argument> arguments;
  for (const hlo::InstructionId id : module.entry().parameters) {
    const layout::Shape& shape = module.shape(id);
    if (!shape.is_array()) continue;
    Argument one;
    one.name = std::string(module.instruction(id).name);
    one.path = hlo::GetOpName(module, id);
    if (one.path.empty()) one.path = one.name;
    one.dims.assign(shape.dims().begin(), shape.dims().end());
    one.bytes = layout::DataBytes(shape);
    one.is_integer = layout::IsInteger(shape.element_type());
    arguments.push_back(std::move(one));
  }
  return arguments;
}

enum class Numbers : uint8_t { kOpen, kAsTheyAre };

// A pattern for the text; what a shell would take for itself is any byte.
std::string PatternOf(absl::string_view text, Numbers numbers = Numbers::kOpen) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (absl::ascii_isdigit(c) && numbers == Numbers::kOpen) {
      while (k + 1 < text.size() && absl::ascii_isdigit(text[k + 1])) ++k;
      out += "\\d+";
    } else if (absl::StrContains("\"`$!\\", c)) {
      out += '.';
    } else if (absl::StrContains("[](){}.*+?|^", c)) {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else {
      out += c;
    }
  }
  return out;
}

// The keys at the end of a path, ['decoder']['wi']; empty for a path without keys.
absl::string_view KeysOf(absl::string_view path) {
  const size_t first = path.find("['");
  return first == absl::string_view::npos ? "" : path.substr(first);
}

// The same with the numbers of the last key as they are: \['layers_\d+'\]\['w1'\]
std::string PatternWithLastKey(absl::string_view keys) {
  const size_t last = keys.rfind("['");
  return absl::StrCat(PatternOf(keys.substr(0, last)),
                      PatternOf(keys.substr(last), Numbers::kAsTheyAre));
}

// state.params['a']['w'] as `state`, `.params`, `['a']`, `['w']`.
std::vector<absl::string_view> KeysFrom(absl::string_view path) {
  std::vector<absl::string_view> keys;
  bool is_quoted = false;
  size_t begin = 0;
  for (size_t k = 0; k < path.size(); ++k) {
    if (path[k] == '\'') is_quoted = !is_quoted;
    if (is_quoted || k == begin || (path[k] != '[' && path[k] != '.')) continue;
    keys.push_back(path.substr(begin, k - begin));
    begin = k;
  }
  keys.push_back(path.substr(begin));
  return keys;
}

// The path with one key after the other left open: `*['w']` and `net[\d+]*` of net[0]['w']. A number is open anyway.
std::vector<std::string> PathsButOneKey(absl::string_view path) {
  const std::vector<absl::string_view> keys = KeysFrom(path);
  std::vector<std::string> paths;
  for (size_t open = 0; open < keys.size(); ++open) {
    std::string out;
    for (size_t k = 0; k < keys.size(); ++k) out += k == open ? "*" : PatternOf(keys[k]);
    paths.push_back(std::move(out));
  }
  return paths;
}

std::string BatchPattern(const Argument& argument) {
  return absl::StrCat("^", PatternOf(ArgumentOfPath(argument.path)), "\\b");
}

std::string WholePattern(const Argument& argument) {
  return absl::StrCat("^", PatternOf(argument.path), "$");
}

std::string PatternOfPath(const Argument& argument) {
  return PatternOf(argument.path, Numbers::kAsTheyAre);
}

bool Matches(const Argument& argument, const RE2& regex) {
  return RE2::PartialMatch(argument.name, regex) || RE2::PartialMatch(argument.path, regex);
}

bool FitsAll(const std::string& pattern, const Argument& like, const std::vector<Argument>& all) {
  const RE2 regex(pattern, RE2::Quiet);
  if (!regex.ok()) return false;
  return std::all_of(all.begin(), all.end(), [&](const Argument& one) {
    return (one.dims == like.dims && one.is_integer == like.is_integer) || !Matches(one, regex);
  });
}

// `['m']` of ['m']['layers']['w'].
absl::string_view FirstKeyOf(absl::string_view keys) { return keys.substr(0, keys.find("']") + 2); }

// First keys below which the same keys lead to the same shapes, such as 'params', 'm' and 'v' of a
// training state. Only those with an eighth of all elements each count: the products of an attention
// may have equal trees, too, but want other shardings.
absl::flat_hash_set<absl::string_view> TwinKeys(const std::vector<Argument>& all) {
  using Tree = std::map<std::string, std::vector<int64_t>>;  // shapes by the keys after the first
  std::map<absl::string_view, std::pair<Tree, int64_t>> trees;
  int64_t elements = 0;
  for (const Argument& one : all) {
    const int64_t size = Product(one.dims);
    elements = SaturatingSum(elements, size);
    const absl::string_view keys = KeysOf(one.path);
    if (keys.empty()) continue;
    auto& [tree, sum] = trees[FirstKeyOf(keys)];
    tree.emplace(keys.substr(FirstKeyOf(keys).size()), one.dims);
    sum = SaturatingSum(sum, size);
  }
  std::map<Tree, std::map<std::string, absl::string_view>> alike;  // by key without numbers
  for (const auto& [key, tree] : trees) {
    if (tree.second >= elements / 8) alike[tree.first].emplace(PatternOf(key), key);
  }
  absl::flat_hash_set<absl::string_view> twins;
  for (const auto& [tree, keys] : alike) {
    if (keys.size() < 2) continue;
    for (const auto& [pattern, key] : keys) twins.insert(key);
  }
  return twins;
}

// Each pattern is looked for among all arguments once for each kind of argument.
class PatternFinder {
 public:
  explicit PatternFinder(const std::vector<Argument>& all) : all_(all), twins_(TwinKeys(all)) {
    for (const Argument& one : all) keys_[one.dims].insert(KeysOf(one.path));
  }

  // The first pattern that means arguments of one shape only; empty if none does.
  std::string For(const Argument& argument) {
    for (std::string& pattern : PatternsFor(argument)) {
      if (Fits(pattern, argument)) return std::move(pattern);
    }
    return "";
  }

 private:
  // The patterns for an argument, the widest first.
  std::vector<std::string> PatternsFor(const Argument& argument) const {
    std::vector<std::string> patterns;
    if (argument.is_integer) patterns.push_back(BatchPattern(argument));
    const absl::string_view keys = SharedKeys(argument);
    if (!keys.empty()) patterns.push_back(absl::StrCat(PatternOf(keys), "$"));
    patterns.push_back(WholePattern(argument));
    if (!keys.empty()) {
      patterns.push_back(absl::StrCat(PatternWithLastKey(keys), "$"));
      patterns.push_back(absl::StrCat(PatternOf(keys, Numbers::kAsTheyAre), "$"));
    }
    return patterns;
  }

  // The shortest keys of an argument of the same shape that this one's end with.
  absl::string_view SharedKeys(const Argument& argument) const {
    absl::string_view keys = KeysOf(argument.path);
    const absl::string_view first = keys.empty() ? keys : FirstKeyOf(keys);
    if (twins_.contains(first) && first.size() < keys.size()) keys.remove_prefix(first.size());
    const auto& of_shape = keys_.at(argument.dims);
    for (size_t at = keys.rfind("['"); at != absl::string_view::npos && at > 0;
         at = keys.rfind("['", at - 1)) {
      if (of_shape.contains(keys.substr(at))) return keys.substr(at);
    }
    return keys;
  }

  bool Fits(const std::string& pattern, const Argument& argument) {
    const auto [known, is_new] =
        fits_.try_emplace({pattern, argument.dims, argument.is_integer}, false);
    if (is_new) known->second = FitsAll(pattern, argument, all_);
    return known->second;
  }

  const std::vector<Argument>& all_;
  const absl::flat_hash_set<absl::string_view> twins_;
  std::map<std::vector<int64_t>, absl::flat_hash_set<absl::string_view>> keys_;  // by shape
  std::map<std::tuple<std::string, std::vector<int64_t>, bool>, bool> fits_;
};

void Add(const Argument& argument, SearchGroup* group) {
  if (group->count == 0) group->relatives = PathsButOneKey(argument.path);
  group->dims = argument.dims;
  group->is_batch = argument.is_integer;
  group->bytes += argument.bytes;
  ++group->count;
}

}  // namespace

std::vector<SearchGroup> ParameterGroups(const hlo::Module& module) {
  const std::vector<Argument> arguments = ArgumentsOf(module);
  PatternFinder patterns(arguments);
  std::map<std::string, SearchGroup> groups;
  // Of arguments that only their names tell apart, by shape; patterns list the names.
  std::map<std::pair<std::vector<int64_t>, bool>, SearchGroup> listed;
  for (const Argument& argument : arguments) {
    if (argument.dims.empty()) continue;
    const std::string pattern = patterns.For(argument);
    SearchGroup& group =
        pattern.empty() ? listed[{argument.dims, argument.is_integer}] : groups[pattern];
    Add(argument, &group);
    if (!pattern.empty()) {
      group.pattern = pattern;
    } else {
      absl::StrAppend(&group.pattern, group.pattern.empty() ? "" : "|", PatternOfPath(argument));
    }
  }
  std::vector<SearchGroup> sorted;
  for (auto& [pattern, group] : groups) sorted.push_back(std::move(group));
  for (auto& [shape, group] : listed) {
    group.pattern = absl::StrCat("^(", group.pattern, ")$");
    sorted.push_back(std::move(group));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return std::make_pair(!a.is_batch, -a.bytes) < std::make_pair(!b.is_batch, -b.bytes);
  });
  return sorted;
}

}  // namespace tessera::pipeline
