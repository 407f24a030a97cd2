#include "tessera/pipeline/command_line/old_names.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {
namespace {

struct OldVerb {
  absl::string_view name, now, flag;
};
constexpr OldVerb kOldVerbs[] = {
    {"record", "shardings", "--format=golden"},
    {"levels", "explain", "--trace"},
    {"graph", "report", "--format=text"},
};

struct OldFlag {
  absl::string_view verb;  // "": of all verbs
  absl::string_view name;
  absl::string_view now;    // a flag; "": the last word
  absl::string_view usage;  // what the note shows
};
constexpr OldFlag kOldFlags[] = {
    {"", "limit", "memory-limit", "--memory-limit"},
    {"", "topology", "target", "--target"},
    {"", "form", "format", "--format"},
    {"", "no-cures", "no-fixes", "--no-fixes"},
    {"check", "golden", "", "the second word: check FILE GOLDEN"},
};

constexpr absl::string_view kForHowLong = "; the old name works in this release only\n";

// "limit" of "--limit=16GiB" and of "--limit"; "" for what is no flag.
absl::string_view NameOf(absl::string_view word) {
  if (!absl::StartsWith(word, "--")) return "";
  return word.substr(2, word.find('=') - 2);
}

const OldFlag* FindOldFlag(const Verb& verb, absl::string_view name) {
  for (const OldFlag& old : kOldFlags) {
    if (old.name != name || (!old.verb.empty() && old.verb != verb.name)) continue;
    if (FindFlag(verb, name) != nullptr) continue;
    if (old.now.empty() || FindFlag(verb, old.now) != nullptr) return &old;
  }
  return nullptr;
}

// Takes words[k], and the value after it if that is a word of its own; gives the value.
std::string TakeValue(size_t k, std::vector<std::string>* words) {
  const size_t equals = (*words)[k].find('=');
  const size_t taken = equals == std::string::npos && k + 1 < words->size() ? 2 : 1;
  std::string value = taken == 2                    ? (*words)[k + 1]
                      : equals == std::string::npos ? ""
                                                    : (*words)[k].substr(equals + 1);
  const auto first = words->begin() + static_cast<std::ptrdiff_t>(k);
  words->erase(first, first + static_cast<std::ptrdiff_t>(taken));
  return value;
}

bool IsOldName(const Flag* flag) { return flag != nullptr && flag->group == kOldNames; }

std::string ReplaceFlags(const Verb& verb, std::vector<std::string>* words) {
  std::string notes;
  std::vector<std::string> last;
  for (size_t k = 1; k < words->size() && (*words)[k] != "--";) {
    const std::string name(NameOf((*words)[k]));
    const OldFlag* old = name.empty() ? nullptr : FindOldFlag(verb, name);
    if (old != nullptr)
      absl::StrAppend(&notes, "note: --", name, " is now ", old->usage, kForHowLong);
    const Flag* const kept = FindFlag(verb, name);
    if (IsOldName(kept))
      absl::StrAppend(&notes, "note: --", name, " is now ", kept->help, kForHowLong);
    if (old != nullptr && old->now.empty()) {
      last.push_back(TakeValue(k, words));
      continue;
    }
    if (old != nullptr) (*words)[k].replace(2, name.size(), std::string(old->now));
    ++k;
  }
  words->insert(words->end(), last.begin(), last.end());
  return notes;
}

void AddFlag(absl::string_view flag, std::vector<std::string>* words) {
  const bool is_given = std::any_of(words->begin(), words->end(), [&](const std::string& word) {
    return NameOf(word) == NameOf(flag);
  });
  if (!is_given) words->insert(words->begin() + 1, std::string(flag));
}

}  // namespace

std::string ReplaceOldNames(const std::vector<Verb>& verbs, std::vector<std::string>* words) {
  if (words->empty()) return "";
  std::string notes;
  absl::string_view flag;
  for (const OldVerb& old : kOldVerbs) {
    if (old.name != words->front() || FindVerb(verbs, old.name) != nullptr) continue;
    if (FindVerb(verbs, old.now) == nullptr) continue;
    absl::StrAppend(&notes, "note: `tessera ", old.name, "` is now `tessera ", old.now, " ",
                    old.flag, "`", kForHowLong);
    words->front() = std::string(old.now);
    flag = old.flag;
  }
  const Verb* verb = FindVerb(verbs, words->front());
  if (verb == nullptr) return notes;
  absl::StrAppend(&notes, ReplaceFlags(*verb, words));
  if (!flag.empty()) AddFlag(flag, words);
  return notes;
}

}  // namespace tessera::pipeline
