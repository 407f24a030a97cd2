#include "tessera/pipeline/explain/levels.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/explain/event_messages.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::Event;
using sharding::explain::EventCause;
using sharding::explain::EventLog;
using sharding::explain::Gain;
using sharding::explain::SlotId;
using EventStage = sharding::explain::Stage;
using sharding::explain::Step;
using sharding::explain::Time;

constexpr int kLevels = 5;
constexpr int kNameWidth = 16;

// Openness alone is not of interest, nor are the open siblings of a result.
bool IsShown(const Event& event) {
  return event.cause != EventCause::kClosed && event.cause != EventCause::kOpenFilling;
}

bool IsOf(const Event& event, const Time& time) {
  if (event.time.stage != time.stage) return false;
  return event.time.stage != EventStage::kPropagation ||
         (event.time.round == time.round && event.time.level == time.level);
}

Time TimeOf(EventStage stage, int64_t round = 0, int level = -1) {
  Time time;
  time.stage = stage;
  time.round = round;
  time.level = level;
  return time;
}

// The axes that a priority hides and reveals stand before its levels.
std::vector<Time> Times(const EventLog& log) {
  std::vector<Time> times = {TimeOf(EventStage::kAnnotation), TimeOf(EventStage::kImport),
                             TimeOf(EventStage::kSync)};
  std::set<int64_t> rounds = {0};
  for (const Event& event : log.events()) rounds.insert(event.time.round);
  for (const int64_t round : rounds) {
    for (int level = -1; level < kLevels; ++level) {
      times.push_back(TimeOf(EventStage::kPropagation, round, level));
    }
  }
  times.push_back(TimeOf(EventStage::kExport));
  times.push_back(TimeOf(EventStage::kReshard));
  return times;
}

std::string Description(const EventLog& log, const Labels& labels, const Event& event) {
  static constexpr const char* kWords[] = {"",
                                           "",
                                           " (the second operand is the same value)",
                                           "bound by its constraint",
                                           "made equal in its sharding group",
                                           "with its sharding group",
                                           "put aside for its priority",
                                           "its priority begins",
                                           "",
                                           "cut at the boundary",
                                           "",
                                           "resharded for the operation"};
  if (event.cause == EventCause::kAnnotation) {
    return labels.Annotation(log.annotations()[static_cast<size_t>(event.annotation)]);
  }
  std::string text = kWords[static_cast<size_t>(event.cause)];
  if (event.step < 0 || event.cause == EventCause::kConstraintPushed) return text;
  const Step& step = log.StepOf(event);
  const auto add_gain = [&](std::string* out, const Gain& gain) {
    absl::StrAppend(out, ", factor ", Labels::Factor(gain.factor));
    if (!gain.from.empty()) absl::StrAppend(out, " from ", labels.At(gain.from[0]));
  };
  return absl::StrCat("step ", event.time.step, "  ", labels.Op(step.op, step.output),
                      absl::StrJoin(event.gains, "", add_gain), text);
}

void AddLine(const EventLog& log, const Labels& labels, const Event& event, std::string* out) {
  absl::StrAppendFormat(out, "  %-*s %s", kNameWidth, labels.Slot(event.target),
                        labels.Spec(event.after));
  const std::string description = Description(log, labels, event);
  absl::StrAppend(out, description.empty() ? "" : "    ", description, "\n");
}

// Tensors that have a shape, each owner of a sharding once.
int NumTensors(const EventLog& log) {
  int tensors = static_cast<int>(log.numbered().outputs().size());
  for (sharding::propagation::ValueId v = 0; v < log.numbered().num_values(); ++v) {
    tensors += log.OwnsSharding(v) && log.numbered().has_shape(v);
  }
  return tensors;
}

}  // namespace

std::vector<LevelChanges> LevelsOf(const Explained& explained) {
  const EventLog& log = *explained.log;
  std::vector<LevelChanges> levels;
  for (const Time& time : Times(log)) {
    LevelChanges level;
    level.time = time;
    levels.push_back(std::move(level));
  }
  for (size_t e = 0; e < log.events().size(); ++e) {
    const Event& event = log.events()[e];
    if (!IsShown(event)) continue;
    const auto level = std::find_if(levels.begin(), levels.end(),
                                    [&](const LevelChanges& l) { return IsOf(event, l.time); });
    if (level != levels.end()) level->events.push_back(static_cast<int32_t>(e));
  }
  for (LevelChanges& level : levels) {
    absl::flat_hash_map<SlotId, size_t> place;
    for (const int32_t e : level.events) {
      const SlotId slot = log.event(e).target;
      const auto [it, is_new] = place.try_emplace(slot, level.changed.size());
      if (is_new) level.changed.push_back({slot, {}});
      level.changed[it->second].second.push_back(e);
    }
    level.num_changed = level.changed.size();
  }
  return levels;
}

void Keep(const std::function<bool(SlotId)>& shows, const Explained& explained,
          std::vector<LevelChanges>* levels) {
  const EventLog& log = *explained.log;
  std::vector<LevelChanges> kept;
  for (LevelChanges& level : *levels) {
    const auto is_out = [&](const auto& one) { return !shows(one.first); };
    level.changed.erase(std::remove_if(level.changed.begin(), level.changed.end(), is_out),
                        level.changed.end());
    const auto is_of_other = [&](int32_t e) { return !shows(log.event(e).target); };
    level.events.erase(std::remove_if(level.events.begin(), level.events.end(), is_of_other),
                       level.events.end());
    if (!level.changed.empty()) kept.push_back(std::move(level));
  }
  *levels = std::move(kept);
}

std::string LevelName(const LevelChanges& level) {
  static constexpr const char* kNames[] = {"annotations", "constraints bind", "groups", "",
                                           "export",      "reshard"};
  if (level.time.stage != EventStage::kPropagation) {
    return kNames[static_cast<size_t>(level.time.stage)];
  }
  if (level.time.level < 0) return absl::StrCat("p", level.time.round, " begins");
  return absl::StrCat("p", level.time.round, " level ", level.time.level);
}

std::string LevelsText(const Explained& explained, const std::vector<LevelChanges>& levels,
                       bool steps) {
  const EventLog& log = *explained.log;
  const Labels labels(explained);
  const int tensors = NumTensors(log);
  std::string out;
  for (const LevelChanges& level : levels) {
    const bool is_level = level.time.level >= 0;
    if (level.events.empty() && !is_level) continue;
    absl::StrAppend(&out, LevelName(level));
    if (level.events.empty()) {
      absl::StrAppend(&out, ": no change\n");
      continue;
    }
    if (is_level) absl::StrAppend(&out, " (", LevelInWords(level.time.level), ")");
    absl::StrAppend(&out, ": ", level.num_changed, " changed, ",
                    tensors - static_cast<int>(level.num_changed), " not",
                    level.changed.size() < level.num_changed ? ", in the whole module\n" : "\n");
    for (const auto& [slot, events] : level.changed) {
      if (steps) break;
      AddLine(log, labels, log.event(events.back()), &out);
    }
    for (const int32_t e : level.events) {
      if (steps) AddLine(log, labels, log.event(e), &out);
    }
  }
  return out;
}

std::string LevelsJson(const Explained& explained, const std::vector<LevelChanges>& levels) {
  const EventLog& log = *explained.log;
  const EventMessages messages(explained);
  const Labels& labels = messages.labels();
  const int tensors = NumTensors(log);
  answers::Level row;
  const auto fill = [&](size_t k) {
    const LevelChanges& level = levels[k];
    EventMessages::FillTime(level.time, row.mutable_time());
    row.set_name(LevelName(level));
    if (level.time.level >= 0) row.set_operations(LevelInWords(level.time.level));
    for (const auto& [slot, events] : level.changed) {
      answers::ChangedTensor* changed = row.add_changed();
      changed->set_name(labels.Slot(slot));
      changed->set_sharding(labels.Spec(log.event(events.back()).after));
      for (const int32_t e : events) messages.FillChange(log.event(e), changed->mutable_events());
    }
    row.set_unchanged(tensors - static_cast<int>(level.num_changed));
  };
  return text::JsonOf(answers::LevelsAnswer(), {"levels", &row, levels.size(), fill}) + "\n";
}

}  // namespace tessera::pipeline
