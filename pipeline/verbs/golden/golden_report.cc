#include "tessera/pipeline/verbs/golden/golden_report.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/schema/golden_answer.pb.h"
#include "tessera/sharding/explain/golden/recording_text.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;
using sharding::golden::AxisChange;
using sharding::golden::Change;
using sharding::golden::Entry;
using sharding::golden::Recording;
using sharding::golden::Sum;

const Entry& EntryAt(const Recording& recording, int entry) {
  return recording.entries[static_cast<size_t>(entry)];
}

std::string ShapeOf(const Entry& entry) { return layout::ShapeToString(entry.shape); }

std::string Counted(size_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

// The place for a reader: the line of the program, and its operation.
std::string WhereText(const Entry& entry) {
  if (entry.source.empty() && entry.op_name.empty()) return "";
  const char* between = entry.source.empty() || entry.op_name.empty() ? "" : ", ";
  return absl::StrCat("  # ", entry.op_name, between, entry.source);
}

std::string EntryLine(const Recording& recording, const Entry& entry) {
  return absl::StrCat("  ", entry.name, ": ", ShapeOf(entry), " ", SpecOf(recording, entry), ", ",
                      FormatBytes(BytesPerDevice(recording, entry)), " per device",
                      WhereText(entry), "\n");
}

std::string ChangeText(const GoldenReport& r, const Change& change) {
  const Entry& was = EntryAt(r.before, change.before);
  const Entry& is = EntryAt(r.after, change.after);
  std::string out = absl::StrCat(is.name, ": ", ShapeOf(is));
  if (was.name != is.name) absl::StrAppend(&out, ", was ", was.name);
  absl::StrAppend(&out, WhereText(is), "\n");
  const std::string shape = change.is_reshaped ? absl::StrCat(ShapeOf(was), " ") : "";
  absl::StrAppend(&out, "  - ", shape, SpecOf(r.before, was), ", ",
                  FormatBytes(change.bytes_before), " per device\n");
  absl::StrAppend(&out, "  + ", change.is_reshaped ? absl::StrCat(ShapeOf(is), " ") : "",
                  SpecOf(r.after, is), ", ", FormatBytes(change.bytes_after), " per device\n");
  for (const AxisChange& axis : change.axes) absl::StrAppend(&out, "  ", ToString(axis), "\n");
  return out + "\n";
}

// Where the two runs part, and how much follows from it.
std::string CausesText(const GoldenReport& r, size_t most) {
  if (r.causes.empty()) return "";
  std::string out = "where they first differ:\n";
  const auto shown = First(r.causes, static_cast<int64_t>(most));
  for (const GoldenCause& cause : shown) {
    const Change& change = r.comparison.changes[static_cast<size_t>(cause.change)];
    absl::StrAppend(&out, "  ", EntryAt(r.after, change.after).name, " ", ToString(cause.axis),
                    " (", cause.kind, "): ", cause.message,
                    cause.followers == 0
                        ? ""
                        : absl::StrCat("; with it ", Counted(static_cast<size_t>(cause.followers),
                                                             "other tensor")),
                    "\n");
  }
  const std::string more = MoreText(r.causes.size() - shown.size());
  return absl::StrCat(out, more.empty() ? "" : "  ", more, "\n");
}

std::string ListText(absl::string_view heading, const Recording& recording,
                     const std::vector<int>& entries) {
  if (entries.empty()) return "";
  std::string out = absl::StrCat(heading, "\n");
  for (const int entry : entries) out += EntryLine(recording, EntryAt(recording, entry));
  return out + "\n";
}

std::string SumsText(const GoldenReport& r) {
  std::string out = absl::StrFormat("%-20s %14s %14s\n", "sums of shard sizes", "before", "after");
  for (const Sum& sum : r.comparison.sums) {
    absl::StrAppendFormat(&out, "%-20s %14s %14s\n", sum.what, FormatBytes(sum.before),
                          FormatBytes(sum.after));
  }
  return out;
}

// "763 tensors", "12 of 763 tensors".
std::string ComparedText(const GoldenReport& r) {
  const size_t total = r.after.entries.size();
  const std::string all = Counted(total, "tensor");
  return r.compared == total ? all : absl::StrCat(r.compared, " of ", all);
}

std::string Headline(const GoldenReport& r) {
  const auto& c = r.comparison;
  if (c.IsEqual()) {
    const std::string same =
        r.axis.empty() ? "all sharded as in " : absl::StrCat("all on ", r.axis, " as in ");
    return absl::StrCat(r.after_name, ": ", ComparedText(r), ", ", same, r.before_name,
                        HaveSameMeshes(r.before, r.after) ? "" : ", on another mesh", "\n");
  }
  size_t resharded = 0;
  for (const Change& change : c.changes) resharded += change.axes.empty() ? 0 : 1;
  std::string out = absl::StrCat(r.after_name, " against ", r.before_name, ": of ", ComparedText(r),
                                 " ", resharded, " sharded differently");
  const size_t reshaped = c.changes.size() - resharded;
  if (reshaped > 0) absl::StrAppend(&out, ", ", reshaped, " of another shape only");
  return absl::StrCat(out, ", ", c.added.size(), " new, ", c.gone.size(), " gone\n\n");
}

void FillEntry(const Recording& recording, int number, answers::RecordedTensor* to) {
  const Entry& entry = EntryAt(recording, number);
  to->set_name(entry.name);
  to->set_shape(ShapeOf(entry));
  to->set_sharding(SpecOf(recording, entry));
  to->set_op_name(entry.op_name);
  to->set_source(entry.source);
  to->set_bytes_per_device(BytesPerDevice(recording, entry));
}

void FillAxis(const AxisChange& axis, answers::AxisChange* to) {
  to->set_kind(std::string(KindName(axis.kind)));
  to->set_axis(axis.axis);
  to->set_from(axis.from);
  to->set_to(axis.to);
}

void FillChange(const GoldenReport& r, const Change& change, answers::TensorChange* to) {
  FillEntry(r.before, change.before, to->mutable_before());
  FillEntry(r.after, change.after, to->mutable_after());
  for (const AxisChange& axis : change.axes) FillAxis(axis, to->add_axes());
}

void FillCause(const GoldenReport& r, const GoldenCause& cause, answers::ChangeCause* to) {
  const Change& change = r.comparison.changes[static_cast<size_t>(cause.change)];
  to->set_tensor(EntryAt(r.after, change.after).name);
  FillAxis(cause.axis, to->mutable_axis());
  to->set_kind(std::string(cause.kind));
  to->set_message(cause.message);
  to->set_followers(cause.followers);
}

void FillSum(const Sum& sum, answers::ByteSum* to) {
  to->set_what(std::string(sum.what));
  to->set_before(sum.before);
  to->set_after(sum.after);
}

}  // namespace

bool IsEqual(const GoldenReport& r) {
  return r.comparison.IsEqual() && HaveSameMeshes(r.before, r.after);
}

std::string GoldenText(const GoldenReport& r, size_t most) {
  std::string out = Headline(r);
  if (!HaveSameMeshes(r.before, r.after)) {
    absl::StrAppend(&out, "mesh ", MeshesText(r.before), " became ", MeshesText(r.after), "\n\n");
  }
  out += CausesText(r, most);
  for (const Change& change : r.shown.changes) out += ChangeText(r, change);
  out += ListText("new:", r.after, r.shown.added);
  out += ListText("gone:", r.before, r.shown.gone);
  if (r.left_out > 0) absl::StrAppend(&out, MoreText(r.left_out), "\n");
  if (!IsEqual(r)) out += SumsText(r);
  return r.costs.has_value() ? absl::StrCat(out, "\n", CostsText(*r.costs, most)) : out;
}

std::string GoldenJson(const GoldenReport& r) {
  answers::ComparisonAnswer answer;
  for (const Change& change : r.shown.changes) FillChange(r, change, answer.add_changes());
  for (const int entry : r.shown.added) FillEntry(r.after, entry, answer.add_added());
  for (const int entry : r.shown.gone) FillEntry(r.before, entry, answer.add_gone());
  answer.set_left_out(static_cast<int64_t>(r.left_out));
  answer.set_same(r.comparison.same);
  for (const Sum& sum : r.comparison.sums) FillSum(sum, answer.add_sums());
  answer.set_mesh_before(MeshesText(r.before));
  answer.set_mesh_after(MeshesText(r.after));
  for (const GoldenCause& cause : r.causes) FillCause(r, cause, answer.add_causes());
  if (r.costs.has_value()) FillCosts(*r.costs, &answer);
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
