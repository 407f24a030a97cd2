#include "tessera/testing/hostile/random_words.h"

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "tessera/testing/hostile/random_flags.h"

namespace tessera::testing::hostile {
namespace {

using Words = std::vector<std::string>;

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

  // One in `one_in` of the flags of `verb`, each with one of its values.
  void AddSome(absl::string_view verb, size_t one_in, Words* words) {
    for (const FlagChoice& choice : FlagChoices()) {
      if (choice.verb != verb || IsThere(choice.flag, *words) || Below(one_in) != 0) continue;
      const Words values = absl::StrSplit(choice.values, ';');
      if (values.size() == 1 && values[0].empty()) {
        words->push_back(choice.flag);
      } else if (const std::string& value = OneOf(values); !value.empty()) {
        words->push_back(absl::StrCat(choice.flag, "=", FileOr(value)));
      }
    }
  }

  Words Positionals(const std::string& verb) {
    if (verb == "layout" && Below(4) != 0) return {OneOf(Layouts())};
    if (verb == "convert") return {OneOf(Shardings())};
    if (verb == "project") return {files_.module, Name()};
    if (verb == "rules" && Below(2) == 0) return {files_.module, Name(), Name()};
    if (verb == "explain" && Below(4) != 0) {
      return {files_.module, OneOf({Name(), Name(), "params['w1']", "m.py:3", "p0:0"})};
    }
    if (verb == "report" && Below(2) != 0) return {files_.module, Name()};
    if (verb == "diff" && Below(2) == 0) return {files_.module, files_.other};
    if (verb == "calibrate") return {files_.module, files_.golden};
    return {files_.module};
  }

 private:
  // The value with the names of files in it; dumps of passes go into a folder.
  std::string FileOr(const std::string& value) const {
    return absl::StrReplaceAll(value, {{":OUTPUT", absl::StrCat(":", files_.output, ".passes")},
                                       {"OUTPUT", files_.output},
                                       {"OTHER", files_.other},
                                       {"GOLDEN", files_.golden}});
  }

  // A flag twice is a mistake, found without a look at the file.
  static bool IsThere(absl::string_view flag, const Words& words) {
    return absl::c_any_of(words,
                          [&](const std::string& word) { return absl::StartsWith(word, flag); });
  }

  const Files& files_;
  std::mt19937& random_;
};

bool IsSharded(const std::string& verb) {
  return verb != "print" && verb != "stats" && verb != "rules" && verb != "layout" &&
         verb != "convert" && verb != "calibrate";
}

// `layout` of a file has other flags than `layout` of a shape.
bool IsProgramLayouts(const Words& words, const Files& files) {
  return words[0] == "layout" && words[1] == files.module;
}

bool HasJson(const std::string& verb) { return verb != "shard" && verb != "print"; }

}  // namespace

Words RandomWords(const std::string& verb, const Files& files, std::mt19937* random) {
  Typist typist(files, random);
  Words words{verb};
  for (std::string& word : typist.Positionals(verb)) words.push_back(std::move(word));
  if (IsSharded(verb)) typist.AddSome("", 5, &words);
  typist.AddSome(IsProgramLayouts(words, files) ? "layout FILE" : verb, 4, &words);
  if (verb == "suggest") {
    words.push_back(absl::StrCat("--target=", typist.OneOf(absl::StrSplit(kTopologies, ';'))));
    words.insert(words.end(), {"--tries=4", "--groups=2"});
  }
  if (verb != "convert" && typist.Below(32) == 0) {
    words.push_back(absl::StrCat("--module=", typist.Below(3)));
  }
  if (verb == "check") words.push_back(files.golden);
  // A real one would be asked at each execution.
  if (verb == "confirm" || verb == "sweep" || verb == "suggest") {
    words.push_back("--python=/no-such-python");
  }
  if (HasJson(verb) && typist.Below(3) == 0) words.push_back("--json");
  return words;
}

}  // namespace tessera::testing::hostile
