#include "tessera/pipeline/verbs/costs/collectives_answer.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

const std::vector<BillSum>& SumsBy(const Bill& bill, absl::string_view by) {
  if (by == "axis") return bill.by_axis;
  return by == "op" ? bill.by_op : bill.by_line;
}

std::string AskedBy(const CollectiveLine& line) {
  const std::string consumer = line.consumer.empty() ? "a result" : line.consumer;
  return line.producer.empty() ? consumer : absl::StrCat(consumer, " of ", line.producer);
}

std::string SourcesText(const MadeByTarget::Part& part) {
  return Shortened(absl::StrJoin(part.sources, " + "));
}

// "all-reduce.1 + all-reduce.4 by all-reduce-reassociate": what the partitioner had made.
std::string MadeText(const MadeByTarget& made) {
  const std::string text = made.parts.size() == 1 ? SourcesText(made.parts[0])
                                                  : absl::StrCat(made.parts.size(), " arrays");
  return made.pass.empty() ? text : absl::StrCat(text, " by ", made.pass);
}

// A line for each array of a collective of several.
std::string PartsText(const MadeByTarget& made) {
  std::string out;
  if (made.parts.size() < 2) return out;
  for (const MadeByTarget::Part& part : made.parts) {
    absl::StrAppend(&out, "                 ", part.shape, ": ", SourcesText(part));
    if (!part.locations.empty()) {
      absl::StrAppend(&out, "  # ", absl::StrJoin(part.locations, ", "));
    }
    absl::StrAppend(&out, "\n");
  }
  return out;
}

// "asynchronous over 12 instructions, products 2"
std::string ScheduleText(const InSchedule& schedule) {
  if (schedule.synchronous || schedule.begin.empty()) return schedule.form;
  std::string out = absl::StrCat(schedule.form, " over ", schedule.instructions,
                                 schedule.instructions == 1 ? " instruction" : " instructions");
  if (schedule.products > 0) absl::StrAppend(&out, ", products ", schedule.products);
  return out;
}

void PutNesting(const std::vector<CollectiveLevel>& nesting, text::JsonWriter* json) {
  json->Key("nesting").BeginArray();
  for (const CollectiveLevel& level : nesting) {
    json->BeginObject().Key("kind").String(level.kind);
    json->Key("instruction").String(level.instruction);
    if (level.runs.has_value()) json->Key("runs").Int(*level.runs);
    json->EndObject();
  }
  json->EndArray();
}

void PutTarget(const MadeByTarget& made, text::JsonWriter* json) {
  json->Key("parts").BeginArray();
  for (const MadeByTarget::Part& part : made.parts) {
    json->BeginObject().Key("shape").String(part.shape);
    json->Key("sources").Strings(part.sources);
    json->Key("locations").Strings(part.locations);
    json->EndObject();
  }
  json->EndArray();
  json->TextUnlessEmpty("made_by", made.pass);
}

// In a module of one device, where all of them are its own.
bool StandsThere(const CollectiveLine& line) {
  return line.schedule.has_value() && !line.target.has_value();
}

void PutSchedule(const InSchedule& schedule, text::JsonWriter* json) {
  json->Key("synchronous").Bool(schedule.synchronous).Key("form").String(schedule.form);
  if (schedule.begin.empty()) return;
  json->Key("begin").String(schedule.begin);
  json->TextUnlessEmpty("end", schedule.end);
  json->Key("between").BeginObject().Key("instructions").Int(schedule.instructions);
  json->Key("products").Int(schedule.products);
  json->Key("collectives").Int(schedule.collectives).EndObject();
}

void PutMembers(const CollectiveLine& line, text::JsonWriter* json) {
  json->TextUnlessEmpty("op", line.op);
  json->TextUnlessEmpty("shape", line.shape);
  json->Key("operands").Strings(line.operands);
  json->TextUnlessEmpty("devices", line.over->devices);
  if (line.group_size > 0) json->Key("group_size").Int(line.group_size);
  if (line.over->axes.has_value()) json->Key("axes").Strings(line.over->axis_names);
  json->Key("dimensions").Ints(line.dimensions);
  json->TextUnlessEmpty("reduction", line.reduction);
  json->Key("sent").Int(line.sent);
  json->Key("runs").Int(line.runs);
  if (line.unknown_runs) json->Key("unknown_runs").Bool(true);
  PutNesting(line.nesting, json);
  json->TextUnlessEmpty("consumer", line.consumer);
  json->TextUnlessEmpty("producer", line.producer);
  json->TextUnlessEmpty("op_name", line.op_name);
  json->TextUnlessEmpty("location", line.location);
  if (line.given && !StandsThere(line)) json->Key("given").Bool(true);
  if (line.target.has_value()) PutTarget(*line.target, json);
  if (line.schedule.has_value()) PutSchedule(*line.schedule, json);
}

void PutFormulas(const BillLine& entry, text::JsonWriter* json) {
  json->TextUnlessEmpty("bytes_formula", entry.bytes_formula);
  if (entry.once.seconds.has_value()) json->Key("seconds_once").Double(*entry.once.seconds);
  json->TextUnlessEmpty("time_formula", entry.once.formula);
  json->TextUnlessEmpty("why_unknown", entry.once.why_unknown);
}

template <typename T, typename TextOf>
std::string ListText(const std::vector<T>& list, int64_t top, TextOf text_of) {
  std::string out;
  const absl::Span<const T> first = First(list, top);
  for (const T& entry : first) out += text_of(entry);
  return absl::StrCat(out, MoreText(list.size() - first.size()));
}

// "7 collectives, each device sends 12.55 GiB in 43 ms if nothing overlaps, on tpu-v5p-4x4x4"
std::string Headline(const Bill& bill, const cost::Machine* machine) {
  const size_t count = bill.lines.size();
  std::string out = absl::StrCat(count, count == 1 ? " collective" : " collectives",
                                 ", each device sends ", layout::FormatBytes(bill.total.sent));
  if (machine != nullptr && bill.total.without_time < bill.total.count) {
    absl::StrAppend(&out, " in ", FormatSeconds(bill.total.seconds), " if nothing overlaps, on ",
                    machine->topology.name());
  }
  out += "\n";
  if (machine != nullptr && bill.total.without_time > 0) {
    absl::StrAppend(&out, "no time for ", bill.total.without_time,
                    " of them, which the sum leaves out\n");
  }
  return out;
}

// Below a collective. V: bytes of the gathered array on a device, else of the operand.
std::string FormulasText(const BillLine& entry, bool has_machine) {
  const std::string indent(17, ' ');
  std::string out = absl::StrCat(indent, "sends ", entry.bytes_formula, "\n");
  if (!has_machine) return out;
  if (!entry.once.seconds.has_value()) {
    return absl::StrCat(out, indent, "no time: ", entry.once.why_unknown, "\n");
  }
  return absl::StrCat(out, indent, FormatSeconds(*entry.once.seconds), ": ", entry.once.formula,
                      "\n");
}

}  // namespace

std::string CollectiveText(const CollectiveLine& line) {
  std::string out = absl::StrFormat("%10s x%-4s %s %s", layout::FormatBytes(line.sent),
                                    RunsText(line), line.op, line.shape);
  absl::StrAppend(&out, " over ", Shortened(AxesText(line)));
  if (line.given && !StandsThere(line)) absl::StrAppend(&out, ", the program's own");
  absl::StrAppend(&out, ": ", line.target.has_value() ? MadeText(*line.target) : AskedBy(line));
  if (line.schedule.has_value()) absl::StrAppend(&out, ", ", ScheduleText(*line.schedule));
  if (!line.op_name.empty()) absl::StrAppend(&out, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&out, "  # ", line.location);
  out += "\n";
  if (line.target.has_value()) out += PartsText(*line.target);
  return out;
}

void PutCollective(const CollectiveLine& line, text::JsonWriter* json) {
  json->BeginObject();
  PutMembers(line, json);
  json->EndObject();
}

std::string CollectivesText(const Bill& bill, const CollectivesForm& form) {
  const std::string headline = Headline(bill, form.machine);
  if (form.by.empty()) {
    return absl::StrCat(headline, ListText(bill.lines, form.top, [&](const BillLine& entry) {
                          const bool has_machine = form.machine != nullptr;
                          return absl::StrCat(
                              CollectiveText(entry.line),
                              form.formulas ? FormulasText(entry, has_machine) : "");
                        }));
  }
  return absl::StrCat(headline, ListText(SumsBy(bill, form.by), form.top, [](const BillSum& sum) {
                        return absl::StrFormat("%10s %6d  %s\n", layout::FormatBytes(sum.sent),
                                               sum.count, Shortened(sum.name));
                      }));
}

std::string CollectivesJson(const Bill& bill, const CollectivesForm& form) {
  text::JsonWriter json;
  json.BeginObject().Key("collectives").BeginArray();
  for (const BillLine& entry : First(bill.lines, form.top)) {
    json.BeginObject();
    PutMembers(entry.line, &json);
    if (form.formulas) PutFormulas(entry, &json);
    json.EndObject();
  }
  json.EndArray().Key("sums").BeginArray();
  const std::vector<BillSum> sums =
      form.by.empty() ? std::vector<BillSum>() : SumsBy(bill, form.by);
  for (const BillSum& sum : First(sums, form.top)) {
    json.BeginObject().Key("name").String(sum.name);
    json.Key("count").Int(sum.count).Key("sent").Int(sum.sent).EndObject();
  }
  json.EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
