#include "tessera/testing/hostile/random_words.h"

#include <map>

#include "absl/strings/str_cat.h"

namespace tessera::testing::hostile {
namespace {

using Words = std::vector<std::string>;

// A flag with its dashes, and values of it; none for a switch.
struct Choice {
  std::string flag;
  Words values;
};

const std::vector<Choice>& ShardFlags() {
  static const auto& flags = *new std::vector<Choice>{
      {"--reference", {"0.12.0.1", "0.10.2", "0.11", "0.10.0", "0.12", "9"}},
      {"--mesh", {"a=2,b=4", "a=2,b=4", "a=8", "a=1", "x=2,y=2,z=2", "a=3,b=5", "a=4,b=4,c=2"}},
      {"--annotate",
       {"p0=P('a')", ".*=P(None,'b')", "^p=P('a','b')", "w1=P(('a','b'))", "v=P()", "t=P('b')",
        "p1=P(None,None,'a')", "[=P()"}},
      {"--import", {"auto", "sdy", "hlo"}},
      {"--stage", {"auto", "pass", "lowered"}},
      {"--rule",
       {"flip=([i, j])->([j, i])", "TopK=([i])->([i])",
        "flip=([ij, k])->([ij, k]) {i=2, j=4, k=16}",
        "Eigh=([i, j], [i])->([i, j]) reduction={j}"}},
      {"--strategy", {"aggressive", "basic", "basic-then-aggressive"}},
      {"--schedule", {"user", "op", "flat"}},
      {"--conservative", {}},
  };
  return flags;
}

const Words& Topologies() {
  static const auto& names = *new Words{"tpu-v5e:2x4", "tpu-v5e:4x4",   "tpu-v4:2x2x2", "h100:8",
                                        "a100:8",      "tpu-v5p:2x2x2", "no-such"};
  return names;
}

const std::vector<Choice>& OwnFlags(const std::string& verb) {
  static const auto& flags = *new std::map<std::string, std::vector<Choice>>{
      {"shard",
       {{"--format", {"auto", "v2", "v3"}},
        {"--structure", {"keep", "xla", "xla"}},
        {"--uneven-boundaries", {}},
        {"--no-propagation", {}}}},
      {"shardings",
       {{"--match", {"v1", ".*", "w[0-2]"}},
        {"--axis", {"a", "b", "c"}},
        {"--min-bytes", {"0", "100", "99999999999999999999"}},
        {"--propagated", {}}}},
      {"print",
       {{"--format", {"keep", "xla", "short", "canonical", "pb", "textproto"}},
        {"--reference", {"0.12.0.1", "0.10.2"}}}},
      {"rules",
       {{"--rule", ShardFlags()[5].values},
        {"--conservative", {}},
        {"--reference", {"0.12.0.1", "0.10.2"}}}},
      {"project",
       {{"--block",
         {"0:1", ":,0:4", "0:8,0:4", "1:3,2:3,0:1", "0:0", "", ":",
          ":,:", "9223372036854775807:0"}},
        {"--cut", {"0:2", "1:4", "0:2,k0:2", "k0:3", "0:0", "1:9223372036854775807"}},
        {"--device", {"0", "5", "8", "-1"}},
        {"--best", {"4", "8", "1", "1000000"}},
        {"--memory", {"4KiB", "16MiB", "1"}},
        {"--format", {"indexing-map"}},
        {"--draw", {}},
        {"--svg", {"SVG"}}}},
      {"layout",
       {{"--index", {"0", "1,2", "0,0,0", "9,9"}},
        {"--offset", {"0", "17", "-1", "9223372036854775807"}},
        {"--ops", {}},
        {"--hlo", {}},
        {"--advise", {"tpu", "tpu+min2", "tpu+large", "tile:32x32", "none"}},
        {"--to", {"{0,1:T(8,128)}", "{1,0}", "{0,1:T(2,2)(2,1)}", "f32[8,8]{0,1}"}},
        {"--sharding", {"{devices=[2,1]<=[2]}", "P('x')", "P('x','y')", "{replicated}"}},
        {"--mesh", {"x=2,y=4", "x=2"}},
        {"--draw", {}},
        {"--memory", {}},
        {"--svg", {"SVG"}}}},
      {"convert",
       {{"--mesh", {"data=4,model=2", "a=2,b=4", "a=8"}},
        {"--to", {"v1", "v2", "v3", "sdy", "pspec"}},
        {"--shape", {"16,32", "5,7", "8", "0,1"}}}},
      {"collectives", {{"--by", {"axis", "line", "op"}}, {"--as-is", {}}}},
      {"comm", {{"--topology", Topologies()}, {"--as-is", {}}}},
      {"memory",
       {{"--limit", {"16GiB", "1KiB", "0"}},
        {"--hardware", {"tpu-v5e", "h100", "x"}},
        {"--as-is", {}}}},
      {"sweep",
       {{"--mesh", {"a=8,b=1", "a=4,b=2"}},
        {"--try", {"^p0$=P('a')|P(None,'b')|none", "p1=P('b')|none"}},
        {"--topology", Topologies()},
        {"--by", {"memory", "bytes", "time"}},
        {"--top", {"1", "0", "20"}},
        {"--part", {"1/2", "2/2", "3/2"}}}},
      {"suggest",
       {{"--devices", {"4", "8", "6"}},
        {"--limit", {"16GiB", "1KiB"}},
        {"--hardware", {"tpu-v5e"}}}},
      {"diff",
       {{"--b-reference", {"0.10.2"}},
        {"--b-mesh", {"a=4,b=2", "x=8"}},
        {"--b-annotate", {"p0=P('b')", "p1=P('a')"}}}},
      {"explain", {{"--axis", {"a", "b", "z"}}, {"--forward", {}}, {"--all", {}}}},
      {"levels", {{"--step", {}}}},
  };
  static const auto& none = *new std::vector<Choice>;
  const auto found = flags.find(verb);
  return found == flags.end() ? none : found->second;
}

const Words& Layouts() {
  static const auto& texts = *new Words{"f32[3,5]{1,0:T(2,2)}",
                                        "bf16[8,128]{1,0:T(8,128)(2,1)}",
                                        "s4[7,9]{0,1:T(8,128)E(4)}",
                                        "f32[6,20]{1,0:T(4,4)}",
                                        "pred[2,3,5]{0,2,1:T(*,8)}",
                                        "f32[0,5]{1,0}",
                                        "s32[8388608,8,4]{2,1,0:T(8,128)}",
                                        "f32[4611686018427387904]",
                                        "f32[2,2]{0,0}",
                                        "c64[3]"};
  return texts;
}

const Words& Shardings() {
  static const auto& texts = *new Words{"P('data', None)",
                                        "{devices=[2,2]<=[4]}",
                                        "{devices=[4,2]<=[2,4]T(1,0)}",
                                        "{replicated}",
                                        "{maximal device=3}",
                                        "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}",
                                        "{mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2}]}",
                                        "#sdy.sharding<@mesh, [{\"a\"}, {}]>",
                                        "{devices=[9223372036854775807]<=[9223372036854775807]}",
                                        "{{replicated}, {manual}}",
                                        "[{\"a\", ?}, {}]",
                                        "P(('a','b'),"};
  return texts;
}

class Typist {
 public:
  Typist(const Files& files, std::mt19937* random) : files_(files), random_(*random) {}

  size_t Below(size_t n) { return random_() % n; }
  const std::string& OneOf(const Words& words) { return words[Below(words.size())]; }
  std::string Name() {
    return absl::StrCat(OneOf({"v", "v", "v", "p", "t", "k", "r"}), Below(40),
                        Below(4) == 0 ? absl::StrCat(":", Below(3)) : "");
  }

  void AddSome(const std::vector<Choice>& choices, size_t one_in, Words* words) {
    for (const Choice& choice : choices) {
      if (Below(one_in) != 0) continue;
      if (choice.values.empty()) {
        words->push_back(choice.flag);
      } else {
        const std::string& value = OneOf(choice.values);
        if (value.empty()) continue;
        words->push_back(absl::StrCat(choice.flag, "=", value == "SVG" ? files_.output : value));
      }
    }
  }

  Words Positionals(const std::string& verb) {
    if (verb == "layout") return {OneOf(Layouts())};
    if (verb == "convert") return {OneOf(Shardings())};
    if (verb == "project") return {files_.module, Name()};
    if (verb == "rules" && Below(2) == 0) return {files_.module, Name(), Name()};
    if (verb == "explain" && Below(4) != 0) {
      return {files_.module, OneOf({Name(), Name(), "params['w1']", "m.py:3", "p0:0"})};
    }
    if (verb == "diff" && Below(2) == 0) return {files_.module, files_.other};
    return {files_.module};
  }

 private:
  const Files& files_;
  std::mt19937& random_;
};

bool IsSharded(const std::string& verb) {
  return verb != "print" && verb != "stats" && verb != "rules" && verb != "layout" &&
         verb != "convert";
}

bool HasJson(const std::string& verb) {
  return verb != "shard" && verb != "print" && verb != "record";
}

}  // namespace

Words RandomWords(const std::string& verb, const Files& files, std::mt19937* random) {
  Typist typist(files, random);
  Words words{verb};
  for (std::string& word : typist.Positionals(verb)) words.push_back(std::move(word));
  if (IsSharded(verb)) typist.AddSome(ShardFlags(), 5, &words);
  std::vector<Choice> own;
  for (const Choice& choice : OwnFlags(verb)) {
    // A flag twice is a mistake, found without a look at the file.
    bool is_there = false;
    for (const std::string& word : words) is_there |= word.rfind(choice.flag, 0) == 0;
    if (!is_there) own.push_back(choice);
  }
  typist.AddSome(own, 4, &words);
  if (verb == "suggest") {
    words.push_back(absl::StrCat("--topology=", typist.OneOf(Topologies())));
    words.insert(words.end(), {"--tries=4", "--groups=2"});
  }
  if (verb == "check") words.push_back(absl::StrCat("--golden=", files.golden));
  if (HasJson(verb) && typist.Below(3) == 0) words.push_back("--json");
  return words;
}

}  // namespace tessera::testing::hostile
