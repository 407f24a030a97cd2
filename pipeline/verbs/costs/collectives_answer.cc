#include "tessera/pipeline/verbs/costs/collectives_answer.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tessera/layout/element_type.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/format_seconds.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/text/message_json/message_json.h"

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

// "bf16[8]"; "f32 -> bf16[8]" of a TPU's sum whose operand, which it sends, is of another type.
std::string ShapeText(const CollectiveLine& line) {
  const std::string& shape = line.shape;
  const auto& operands = line.made.operands;
  if (operands.size() != 1 || !operands[0].is_array() || !line.made.shape.is_array()) return shape;
  const layout::ElementType sent = operands[0].element_type();
  if (sent == line.made.shape.element_type()) return shape;
  return absl::StrCat(layout::ElementTypeName(sent), " -> ", shape);
}

// " for dot_general.10 (model.py:21)": where a gathered array is needed.
std::string ReaderText(const CollectiveLine& line) {
  if (line.reader.empty()) return "";
  const bool is_other = line.reader_location != line.location;
  return absl::StrCat(" for ", line.reader,
                      is_other ? absl::StrCat(" (", line.reader_location, ")") : "");
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

// ", asynchronous over 12 instructions, products 2"
std::string ScheduleText(const InSchedule& schedule) {
  if (schedule.form.empty()) return "";
  if (schedule.synchronous || schedule.begin.empty()) return absl::StrCat(", ", schedule.form);
  std::string out = absl::StrCat(", ", schedule.form, " over ", schedule.instructions,
                                 schedule.instructions == 1 ? " instruction" : " instructions");
  if (schedule.products > 0) absl::StrAppend(&out, ", products ", schedule.products);
  return out;
}

void FillNesting(const std::vector<CollectiveLevel>& nesting, answers::Collective* entry) {
  for (const CollectiveLevel& level : nesting) {
    answers::LoopLevel* one = entry->add_nesting();
    one->set_kind(level.kind);
    one->set_instruction(level.instruction);
    if (level.runs.has_value()) one->set_runs(*level.runs);
  }
}

// In a module of one device, where all of them are its own.
bool StandsThere(const CollectiveLine& line) {
  return line.schedule.has_value() && !line.target.has_value();
}

void FillSchedule(const InSchedule& schedule, answers::Collective* entry) {
  if (schedule.form.empty()) return;
  entry->set_synchronous(schedule.synchronous);
  entry->set_form(schedule.form);
  if (schedule.begin.empty()) return;
  entry->set_begin(schedule.begin);
  entry->set_end(schedule.end);
  entry->mutable_between()->set_instructions(schedule.instructions);
  entry->mutable_between()->set_products(schedule.products);
  entry->mutable_between()->set_collectives(schedule.collectives);
}

void FillFormulas(const BillLine& line, answers::Collective* entry) {
  entry->set_bytes_formula(line.bytes_formula);
  if (line.once.seconds.has_value()) entry->set_seconds_once(*line.once.seconds);
  entry->set_time_formula(line.once.formula);
  entry->set_why_unknown(line.once.why_unknown);
}

template <typename T, typename TextOf>
std::string ListText(const std::vector<T>& list, int64_t top, TextOf text_of) {
  std::string out;
  const absl::Span<const T> first = First(list, top);
  for (const T& entry : first) out += text_of(entry);
  return absl::StrCat(out, MoreText(list.size() - first.size()));
}

// Of a longer list, those that differ in nothing but numbers in names share an entry: the layers of a program.
constexpr size_t kMany = 20;

struct AlikeLines {
  const BillLine* first;
  size_t count = 0;
  int64_t sent = 0;
};

std::string WithoutDigits(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(), absl::ascii_isdigit), text.end());
  return text;
}

// A combined one is like no other: its arrays have lines and shapes of their own.
std::string LikenessOf(const CollectiveLine& line) {
  const bool is_combined = line.target.has_value() && line.target->parts.size() > 1;
  if (is_combined) return absl::StrCat("#", line.number);
  return absl::StrJoin(
      std::make_tuple(line.shape, AxesText(line), line.sent, line.runs, line.location,
                      line.reader_location, WithoutDigits(CollectiveText(line))),
      "\n");
}

std::vector<AlikeLines> AlikeOf(const std::vector<BillLine>& lines) {
  const bool are_many = lines.size() > kMany;
  absl::flat_hash_map<std::string, size_t> places;
  std::vector<AlikeLines> groups;
  for (const BillLine& entry : lines) {
    size_t place = groups.size();
    if (are_many) place = places.try_emplace(LikenessOf(entry.line), place).first->second;
    if (place == groups.size()) groups.push_back({&entry});
    ++groups[place].count;
    groups[place].sent += entry.line.total();
  }
  return groups;
}

std::string AlikeText(const AlikeLines& group) {
  if (group.count == 1) return "";
  return absl::StrCat(std::string(17, ' '), "and ", group.count - 1, " alike, ",
                      layout::FormatBytes(group.sent), " in all; --json has each\n");
}

// "7 collectives, each device sends 12.55 GiB in 43 ms if nothing overlaps, on tpu-v5p:4x4x4"
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
                                    RunsText(line), line.op, ShapeText(line));
  absl::StrAppend(&out, " over ", Shortened(AxesText(line)));
  if (line.given && !StandsThere(line)) absl::StrAppend(&out, ", the program's own");
  absl::StrAppend(&out, ": ", line.target.has_value() ? MadeText(*line.target) : AskedBy(line));
  out += ReaderText(line);
  if (line.schedule.has_value()) out += ScheduleText(*line.schedule);
  if (!line.op_name.empty()) absl::StrAppend(&out, ", ", line.op_name);
  if (!line.location.empty()) absl::StrAppend(&out, "  # ", line.location);
  out += "\n";
  if (line.target.has_value()) out += PartsText(*line.target);
  return out;
}

void FillCollective(const CollectiveLine& line, answers::Collective* entry) {
  entry->set_op(line.op);
  entry->set_shape(line.shape);
  *entry->mutable_operands() = {line.operands.begin(), line.operands.end()};
  entry->set_devices(line.over->devices);
  if (line.group_size > 0) entry->set_group_size(line.group_size);
  *entry->mutable_axes() = {line.over->axis_names.begin(), line.over->axis_names.end()};
  *entry->mutable_dimensions() = {line.dimensions.begin(), line.dimensions.end()};
  entry->set_reduction(line.reduction);
  entry->set_sent(line.sent);
  entry->set_runs(line.runs);
  entry->set_unknown_runs(line.unknown_runs);
  FillNesting(line.nesting, entry);
  entry->set_consumer(line.reader.empty() ? line.consumer : line.reader);
  entry->set_producer(line.producer);
  entry->set_op_name(line.op_name);
  entry->set_location(line.location);
  entry->set_given(line.given && !StandsThere(line));
  FillMade(line, entry);
  if (line.schedule.has_value()) FillSchedule(*line.schedule, entry);
}

std::string CollectivesText(const Bill& bill, const CollectivesForm& form) {
  const std::string headline = Headline(bill, form.machine);
  if (form.by.empty()) {
    const auto groups = AlikeOf(bill.lines);
    return absl::StrCat(headline, ListText(groups, form.top, [&](const AlikeLines& group) {
                          const bool has_machine = form.machine != nullptr;
                          return absl::StrCat(
                              CollectiveText(group.first->line),
                              form.formulas ? FormulasText(*group.first, has_machine) : "",
                              AlikeText(group));
                        }));
  }
  return absl::StrCat(headline, ListText(SumsBy(bill, form.by), form.top, [](const BillSum& sum) {
                        return absl::StrFormat("%10s %6d  %s\n", layout::FormatBytes(sum.sent),
                                               sum.count, Shortened(sum.name));
                      }));
}

std::string CollectivesJson(const Bill& bill, const CollectivesForm& form) {
  answers::CollectivesAnswer answer;
  for (const BillLine& line : First(bill.lines, form.top)) {
    answers::Collective* entry = answer.add_collectives();
    FillCollective(line.line, entry);
    if (form.formulas) FillFormulas(line, entry);
  }
  if (form.by.empty()) return text::JsonOf(answer) + "\n";
  for (const BillSum& sum : First(SumsBy(bill, form.by), form.top)) {
    answers::CollectiveSum* one = answer.add_sums();
    one->set_name(sum.name);
    one->set_count(sum.count);
    one->set_sent(sum.sent);
  }
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
