#include "tessera/pipeline/verbs/layout/program_layouts_answer.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/tile_rules.h"
#include "tessera/pipeline/command_line/list_filter.h"
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

std::string TilesText(const answers::ProgramLayoutGroup& group) {
  return absl::StrCat(group.tiles().empty() ? "no tiles" : group.tiles(),
                      group.space() == 0 ? "" : absl::StrCat(" S(", group.space(), ")"));
}

// ", 2584576 cycles".
std::string CyclesText(const answers::ProgramLayoutChange& change) {
  return change.has_cycles() ? absl::StrFormat(", %.0f cycles", change.cycles()) : "";
}

// The first user with what it hands the array on to, and how many more.
std::string UsersText(const answers::ProgramLayoutChange& change) {
  if (change.users().empty()) return "";
  const int others = change.users_size() - 1;
  return absl::StrCat(", for ", absl::StrJoin(change.chain(), " > "),
                      others > 0 ? absl::StrCat(" and ", others, " more") : "");
}

// Below the change of an argument.
std::string FixText(const answers::ProgramLayoutChange& change) {
  if (!change.has_better()) return "";
  return absl::StrFormat("%14sthe argument as %s, %s, needs no copy: %s\n", "",
                         change.better().shape(), FormatBytes(change.better().bytes()),
                         change.better().python());
}

// "   as f32[..]{..}  32 KiB: Layout(..)": below the array.
std::string FixText(const ProgramArray& array) {
  if (!array.fix.has_value()) return "";
  return absl::StrFormat("%27s as %s %s: %s\n", "", array.fix->shape(),
                         FormatBytes(array.fix->bytes()), array.fix->python());
}

template <typename Rows, typename Text>
std::string ListText(const Rows& rows, size_t top, Text&& text) {
  std::string out;
  for (size_t k = 0; k < rows.size() && k < top; ++k) absl::StrAppend(&out, text(rows[k]));
  return absl::StrCat(out, MoreText(rows.size() - std::min(top, rows.size())));
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
  if (array.fix.has_value()) *to->mutable_better() = *array.fix;
}

// Without tiles, or in some that the hardware of a TPU allows, of any generation.
bool HasKnownTiles(const layout::Shape& array) {
  if (!array.has_layout() || array.layout().tiles.empty()) return true;
  for (const char* name : {"tpu+large", "tpu+min2+large"}) {
    const auto rules = layout::NamedTileRules(name);
    for (const layout::TileChoice& choice : rules->ChoicesFor(array.element_type(), array.rank())) {
      if (choice.tiles == array.layout().tiles) return true;
    }
  }
  return false;
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
                  ListText(layouts.groups, top, [](const answers::ProgramLayoutGroup& group) {
                    return absl::StrCat(Share(group.padding(), group.bytes()), TilesText(group),
                                        ", ", group.count(),
                                        group.count() == 1 ? " array\n" : " arrays\n");
                  }));
  absl::StrAppend(&out, "\npadding by array\n",
                  ListText(layouts.arrays, top, [](const ProgramArray& array) {
                    return absl::StrCat(Share(array.padding, array.bytes), array.kind, " ",
                                        array.name, " ", layout::ShapeToString(array.shape),
                                        Origin(array.op_name, array.location), FixText(array));
                  }));
  if (!layouts.target.empty()) return out;  // no compiler has changed anything yet
  absl::StrAppend(&out, "\nchanges of layout, bytes read and written\n",
                  ListText(layouts.changes, top, [](const answers::ProgramLayoutChange& change) {
                    return absl::StrCat(absl::StrFormat("%12s  ", FormatBytes(change.bytes())),
                                        change.opcode(), " ", change.name(), " ", change.from(),
                                        " -> ", change.to(), CyclesText(change), UsersText(change),
                                        Origin(change.op_name(), change.location()),
                                        FixText(change));
                  }));
  return out;
}

std::string ProgramLayoutsJson(const ProgramLayouts& layouts) {
  answers::ProgramLayoutsAnswer answer;
  answer.set_target(layouts.target);
  answer.set_bytes(layouts.bytes);
  answer.set_padding(layouts.padding);
  *answer.mutable_groups() = {layouts.groups.begin(), layouts.groups.end()};
  for (const ProgramArray& array : layouts.arrays) FillArray(array, answer.add_arrays());
  *answer.mutable_changes() = {layouts.changes.begin(), layouts.changes.end()};
  return text::JsonOf(answer) + "\n";
}

std::string NoteOnNoLayouts(const hlo::Module& module, const ProgramLayouts& layouts) {
  const bool has_tiles = absl::c_any_of(
      layouts.arrays, [](const ProgramArray& array) { return !TilesOf(array.shape).empty(); });
  if (module.header().is_scheduled || has_tiles) return "";
  return "note: no compiler has laid out this module: it has no tiles, and arrays count that "
         "fusion "
         "would remove; "
         "--target=tpu-v5e:4x4 predicts the layouts that one takes\n";
}

std::string NotesOnTiles(const ProgramLayouts& layouts) {
  std::string notes;
  absl::flat_hash_set<std::string> told;
  for (const ProgramArray& array : layouts.arrays) {
    if (HasKnownTiles(array.shape)) continue;
    const std::string tiles = TilesOf(array.shape);
    if (!told.insert(tiles).second) continue;
    absl::StrAppend(&notes, "note: ", tiles, ", as of ", array.name, " ",
                    layout::ShapeToString(array.shape),
                    ", are no tiles of a TPU that tessera knows; bytes follow the text\n");
  }
  return notes;
}

}  // namespace tessera::pipeline
