#include "tessera/pipeline/verbs/compare/matched_calls.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"

namespace tessera::pipeline {
namespace {

using Calls = std::vector<ComparedCall>;
using Key = absl::FunctionRef<std::string(const ComparedCall&)>;

std::string Join(const ComparedCall& call, bool op, bool devices, bool sent, bool runs) {
  return absl::StrCat(op ? call.op : "", "|", devices ? call.devices : "", "|",
                      sent ? absl::StrCat(call.sent) : "", "|",
                      runs ? absl::StrCat(call.runs) : "");
}

std::string All(const ComparedCall& call) { return Join(call, true, true, true, true); }
std::string OpDevicesRuns(const ComparedCall& call) { return Join(call, true, true, false, true); }
std::string OpDevices(const ComparedCall& call) { return Join(call, true, true, false, false); }
std::string Devices(const ComparedCall& call) { return Join(call, false, true, false, false); }
std::string Op(const ComparedCall& call) { return Join(call, true, false, false, false); }
std::string Nothing(const ComparedCall&) { return ""; }

std::vector<std::string> DifferencesOf(const ComparedCall& a, const ComparedCall& b) {
  std::vector<std::string> differs;
  if (a.op != b.op) differs.emplace_back("op");
  if (a.devices != b.devices) differs.emplace_back("devices");
  if (a.sent != b.sent) differs.emplace_back("bytes");
  if (a.runs != b.runs) differs.emplace_back("runs");
  return differs;
}

class Matcher {
 public:
  Matcher(const Calls& predicted, const Calls& compiled)
      : predicted_(predicted),
        compiled_(compiled),
        is_matched_(predicted.size()),
        is_taken_(compiled.size()) {}

  std::vector<CallMatch> Run() {
    MatchFromOnePlace(All);
    MatchEqual();
    MatchSums(OpDevicesRuns);
    MatchSums(OpDevices);
    for (const Key key : {Key(OpDevices), Key(Devices), Key(Op), Key(Nothing)}) {
      MatchFromOnePlace(key);
    }
    JoinDifferent(predicted_, &CallMatch::predicted, &is_matched_);
    JoinDifferent(compiled_, &CallMatch::compiled, &is_taken_);
    MatchSole();
    AddRest();
    const auto place = [](const CallMatch& match) {
      const bool is_compiled = match.predicted.empty();
      return std::make_tuple(match.verdict, is_compiled,
                             is_compiled ? match.compiled[0] : match.predicted[0]);
    };
    std::sort(matches_.begin(), matches_.end(),
              [&](const CallMatch& a, const CallMatch& b) { return place(a) < place(b); });
    return std::move(matches_);
  }

 private:
  // Calls of the compiled program that wait under a key, the first one next.
  using Waiting = absl::flat_hash_map<std::string, std::pair<std::vector<size_t>, size_t>>;

  // The next one under the key that no other call has taken; false where there is none.
  bool Take(Waiting* waiting, const std::string& key, size_t* found) const {
    const auto it = waiting->find(key);
    if (it == waiting->end()) return false;
    auto& [calls, next] = it->second;
    while (next < calls.size() && is_taken_[calls[next]]) ++next;
    if (next == calls.size()) return false;
    *found = calls[next];
    return true;
  }

  void AddPair(size_t p, size_t c) {
    std::vector<std::string> differs = DifferencesOf(predicted_[p], compiled_[c]);
    const CallVerdict verdict = differs.empty() ? CallVerdict::kAgrees : CallVerdict::kDiffers;
    matches_.push_back({verdict, {p}, {c}, std::move(differs)});
    is_matched_[p] = is_taken_[c] = true;
  }

  // Those with the same key and an op_name or line in common.
  void MatchFromOnePlace(Key key) {
    Waiting waiting;
    for (size_t c = 0; c < compiled_.size(); ++c) {
      if (is_taken_[c]) continue;
      const std::string first = key(compiled_[c]);
      for (const std::string& origin : compiled_[c].origins) {
        waiting[absl::StrCat(first, "|", origin)].first.push_back(c);
      }
    }
    for (size_t p = 0; p < predicted_.size(); ++p) {
      if (is_matched_[p]) continue;
      const std::string first = key(predicted_[p]);
      for (const std::string& origin : predicted_[p].origins) {
        size_t c = 0;
        if (!Take(&waiting, absl::StrCat(first, "|", origin), &c)) continue;
        AddPair(p, c);
        break;
      }
    }
  }

  void MatchEqual() {
    Waiting waiting;
    for (size_t c = 0; c < compiled_.size(); ++c) {
      if (!is_taken_[c]) waiting[All(compiled_[c])].first.push_back(c);
    }
    for (size_t p = 0; p < predicted_.size(); ++p) {
      size_t c = 0;
      if (!is_matched_[p] && Take(&waiting, All(predicted_[p]), &c)) AddPair(p, c);
    }
  }

  // The remaining calls of both sides under a key, if they send the same in all.
  void MatchSums(Key key) {
    struct Side {
      CallMatch match;
      int64_t predicted = 0, compiled = 0;  // bytes
    };
    std::map<std::string, Side> sides;
    for (size_t p = 0; p < predicted_.size(); ++p) {
      if (is_matched_[p]) continue;
      Side& side = sides[key(predicted_[p])];
      side.match.predicted.push_back(p);
      side.predicted += predicted_[p].sent * predicted_[p].runs;
    }
    for (size_t c = 0; c < compiled_.size(); ++c) {
      if (is_taken_[c]) continue;
      Side& side = sides[key(compiled_[c])];
      side.match.compiled.push_back(c);
      side.compiled += compiled_[c].sent * compiled_[c].runs;
    }
    for (auto& [text, side] : sides) {
      if (side.predicted == side.compiled) AddSum(std::move(side.match));
    }
  }

  void AddSum(CallMatch match) {
    if (match.predicted.empty() || match.compiled.empty()) return;
    match.verdict = CallVerdict::kOtherCalls;
    if (match.predicted.size() != match.compiled.size()) match.differs.emplace_back("calls");
    for (const size_t p : match.predicted) is_matched_[p] = true;
    for (const size_t c : match.compiled) is_taken_[c] = true;
    if (predicted_[match.predicted[0]].runs != compiled_[match.compiled[0]].runs) {
      match.differs.emplace_back("runs");
    }
    if (match.differs.empty()) match.differs.emplace_back("bytes");
    matches_.push_back(std::move(match));
  }

  // Remaining calls of one side join the differing calls from the same place.
  void JoinDifferent(const Calls& calls, std::vector<size_t> CallMatch::*side,
                     std::vector<bool>* is_done) {
    absl::flat_hash_map<std::string, size_t> places;  // matches by op_name or line
    for (size_t m = 0; m < matches_.size(); ++m) {
      if (matches_[m].verdict != CallVerdict::kDiffers) continue;
      for (const size_t p : matches_[m].predicted) AddPlaces(predicted_[p], m, &places);
      for (const size_t c : matches_[m].compiled) AddPlaces(compiled_[c], m, &places);
    }
    for (size_t k = 0; k < calls.size(); ++k) {
      if ((*is_done)[k]) continue;
      for (const std::string& origin : calls[k].origins) {
        const auto it = places.find(origin);
        if (it == places.end()) continue;
        CallMatch& match = matches_[it->second];
        (match.*side).push_back(k);
        if (match.differs.back() != "calls") match.differs.emplace_back("calls");
        (*is_done)[k] = true;
        break;
      }
    }
  }

  static void AddPlaces(const ComparedCall& call, size_t match,
                        absl::flat_hash_map<std::string, size_t>* places) {
    for (const std::string& origin : call.origins) places->try_emplace(origin, match);
  }

  // A compiler may drop the op_name of a call that it rewrites.
  void MatchSole() {
    std::map<std::string, CallMatch> left;
    for (size_t p = 0; p < predicted_.size(); ++p) {
      if (!is_matched_[p]) left[OpDevices(predicted_[p])].predicted.push_back(p);
    }
    for (size_t c = 0; c < compiled_.size(); ++c) {
      if (!is_taken_[c]) left[OpDevices(compiled_[c])].compiled.push_back(c);
    }
    for (const auto& [key, match] : left) {
      const bool is_sole = match.predicted.size() == 1 && match.compiled.size() == 1;
      if (!is_sole) continue;
      AddPair(match.predicted[0], match.compiled[0]);
      matches_.back().is_sole = true;
    }
  }

  void AddRest() {
    for (size_t p = 0; p < predicted_.size(); ++p) {
      if (!is_matched_[p]) matches_.push_back({CallVerdict::kOnlyPredicted, {p}, {}, {}});
    }
    for (size_t c = 0; c < compiled_.size(); ++c) {
      if (!is_taken_[c]) matches_.push_back({CallVerdict::kOnlyCompiled, {}, {c}, {}});
    }
  }

  const Calls& predicted_;
  const Calls& compiled_;
  std::vector<bool> is_matched_, is_taken_;  // by call
  std::vector<CallMatch> matches_;
};

}  // namespace

const char* VerdictName(CallVerdict verdict) {
  constexpr const char* kNames[] = {"agrees", "other_calls", "differs", "only_predicted",
                                    "only_compiled"};
  return kNames[static_cast<size_t>(verdict)];
}

std::vector<CallMatch> MatchCalls(const std::vector<ComparedCall>& predicted,
                                  const std::vector<ComparedCall>& compiled) {
  return Matcher(predicted, compiled).Run();
}

}  // namespace tessera::pipeline
