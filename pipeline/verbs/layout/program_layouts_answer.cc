#include "tessera/pipeline/verbs/layout/program_layouts_answer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/schema/program_layouts_answer.pb.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using layout::FormatBytes;

double Percent(int64_t padding, int64_t bytes) {
  return bytes == 0 ? 0 : 100.0 * static_cast<double>(padding) / static_cast<double>(bytes);
}

// "  96 MiB of   896 MiB, 10.7 %": what each row begins with.
std::string Share(int64_t padding, int64_t bytes) {
  return absl::StrFormat("%12s of %12s %5.1f %%  ", FormatBytes(padding), FormatBytes(bytes),
                         Percent(padding, bytes));
}

std::string Origin(const std::string& op_name, const std::string& location) {
  return absl::StrCat(op_name.empty() ? "" : absl::StrCat(", ", op_name),
                      location.empty() ? "" : absl::StrCat("  # ", location), "\n");
}

std::string TilesText(const LayoutGroup& group) {
  return absl::StrCat(group.tiles.empty() ? "no tiles" : group.tiles,
                      group.space == 0 ? "" : absl::StrCat(" S(", group.space, ")"));
}

// ", 2584576 cycles".
std::string CyclesText(const LayoutChange& change) {
  return change.cycles.has_value() ? absl::StrFormat(", %.0f cycles", *change.cycles) : "";
}

// The first user with what it hands the array on to, and how many more.
std::string UsersText(const LayoutChange& change) {
  if (change.users.empty()) return "";
  const size_t others = change.users.size() - 1;
  return absl::StrCat(", for ", absl::StrJoin(change.chain, " > "),
                      others > 0 ? absl::StrCat(" and ", others, " more") : "");
}

// Below the change of an argument.
std::string CureText(const LayoutChange& change) {
  if (!change.cure.has_value()) return "";
  return absl::StrFormat("%14sthe argument as %s, %s, needs no copy: %s\n", "", change.cure->shape,
                         FormatBytes(change.cure->bytes), change.cure->python);
}

// "   as f32[..]{..}  32 KiB: Layout(..)": below the array.
std::string CureText(const ProgramArray& array) {
  if (!array.cure.has_value()) return "";
  return absl::StrFormat("%27s as %s %s: %s\n", "", array.cure->shape,
                         FormatBytes(array.cure->bytes), array.cure->python);
}

std::string MoreText(size_t shown, size_t all) {
  return all > shown ? absl::StrCat("and ", all - shown, " more\n") : "";
}

template <typename Rows, typename Text>
std::string ListText(const Rows& rows, size_t top, Text&& text) {
  std::string out;
  for (size_t k = 0; k < rows.size() && k < top; ++k) absl::StrAppend(&out, text(rows[k]));
  return absl::StrCat(out, MoreText(top, rows.size()));
}

void FillCure(const LayoutCure& cure, answers::BetterLayout* to) {
  to->set_shape(cure.shape);
  to->set_bytes(cure.bytes);
  to->set_python(cure.python);
}

void FillArray(const ProgramArray& array, answers::ProgramArray* to) {
  to->set_name(array.name);
  to->set_shape(layout::ShapeToString(array.shape));
  to->set_kind(array.kind);
  to->set_tiles(TilesOf(array.shape));
  to->set_space(SpaceOf(array.shape));
  to->set_bytes(array.bytes);
  to->set_padding(array.padding);
  to->set_op_name(array.op_name);
  to->set_location(array.location);
  if (array.cure.has_value()) FillCure(*array.cure, to->mutable_better());
}

void FillGroup(const LayoutGroup& group, answers::ProgramLayoutGroup* to) {
  to->set_tiles(group.tiles);
  to->set_space(group.space);
  to->set_count(group.count);
  to->set_bytes(group.bytes);
  to->set_padding(group.padding);
}

void FillChange(const LayoutChange& change, answers::ProgramLayoutChange* to) {
  to->set_name(change.name);
  to->set_opcode(change.opcode);
  to->set_from(change.from);
  to->set_to(change.to);
  to->set_bytes(change.bytes);
  if (change.cycles.has_value()) to->set_cycles(*change.cycles);
  *to->mutable_users() = {change.users.begin(), change.users.end()};
  *to->mutable_chain() = {change.chain.begin(), change.chain.end()};
  if (change.cure.has_value()) FillCure(*change.cure, to->mutable_better());
  to->set_op_name(change.op_name);
  to->set_location(change.location);
}

}  // namespace

std::string ProgramLayoutsText(const ProgramLayouts& layouts, size_t top) {
  const std::string what = layouts.target.empty() ? "each piece of memory once"
                                                  : absl::StrCat("by the rule of ", layouts.target);
  std::string out =
      absl::StrFormat("%d arrays, %s: %s, %s of it padding, %.1f %%\n", layouts.arrays.size(), what,
                      FormatBytes(layouts.bytes), FormatBytes(layouts.padding),
                      Percent(layouts.padding, layouts.bytes));
  absl::StrAppend(&out, "\npadding by tiles and memory space\n",
                  ListText(layouts.groups, top, [](const LayoutGroup& group) {
                    return absl::StrCat(Share(group.padding, group.bytes), TilesText(group), ", ",
                                        group.count, group.count == 1 ? " array\n" : " arrays\n");
                  }));
  absl::StrAppend(&out, "\npadding by array\n",
                  ListText(layouts.arrays, top, [](const ProgramArray& array) {
                    return absl::StrCat(Share(array.padding, array.bytes), array.kind, " ",
                                        array.name, " ", layout::ShapeToString(array.shape),
                                        Origin(array.op_name, array.location), CureText(array));
                  }));
  if (!layouts.target.empty()) return out;  // no compiler has changed anything yet
  absl::StrAppend(&out, "\nchanges of layout, bytes read and written\n",
                  ListText(layouts.changes, top, [](const LayoutChange& change) {
                    return absl::StrCat(absl::StrFormat("%12s  ", FormatBytes(change.bytes)),
                                        change.opcode, " ", change.name, " ", change.from, " -> ",
                                        change.to, CyclesText(change), UsersText(change),
                                        Origin(change.op_name, change.location), CureText(change));
                  }));
  return out;
}

std::string ProgramLayoutsJson(const ProgramLayouts& layouts) {
  answers::ProgramLayoutsAnswer answer;
  answer.set_target(layouts.target);
  answer.set_bytes(layouts.bytes);
  answer.set_padding(layouts.padding);
  for (const LayoutGroup& group : layouts.groups) FillGroup(group, answer.add_groups());
  for (const ProgramArray& array : layouts.arrays) FillArray(array, answer.add_arrays());
  for (const LayoutChange& change : layouts.changes) FillChange(change, answer.add_changes());
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
