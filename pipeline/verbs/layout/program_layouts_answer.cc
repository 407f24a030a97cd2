#include "tessera/pipeline/verbs/layout/program_layouts_answer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/formats/json.h"

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

void PutOrigin(const std::string& op_name, const std::string& location, text::JsonWriter* json) {
  json->TextUnlessEmpty("op_name", op_name);
  json->TextUnlessEmpty("location", location);
}

void PutCure(const LayoutCure& cure, text::JsonWriter* json) {
  json->Key("better").BeginObject().Key("shape").String(cure.shape);
  json->Key("bytes").Int(cure.bytes).Key("python").String(cure.python).EndObject();
}

void PutArray(const ProgramArray& array, text::JsonWriter* json) {
  json->BeginObject().Key("name").String(array.name);
  json->Key("shape").String(layout::ShapeToString(array.shape)).Key("kind").String(array.kind);
  json->Key("tiles").String(TilesOf(array.shape)).Key("space").Int(SpaceOf(array.shape));
  json->Key("bytes").Int(array.bytes).Key("padding").Int(array.padding);
  PutOrigin(array.op_name, array.location, json);
  if (array.cure.has_value()) PutCure(*array.cure, json);
  json->EndObject();
}

void PutGroup(const LayoutGroup& group, text::JsonWriter* json) {
  json->BeginObject().Key("tiles").String(group.tiles).Key("space").Int(group.space);
  json->Key("count").Int(group.count);
  json->Key("bytes").Int(group.bytes).Key("padding").Int(group.padding).EndObject();
}

void PutChange(const LayoutChange& change, text::JsonWriter* json) {
  json->BeginObject().Key("name").String(change.name).Key("opcode").String(change.opcode);
  json->Key("from").String(change.from).Key("to").String(change.to);
  json->Key("bytes").Int(change.bytes);
  if (change.cycles.has_value()) json->Key("cycles").Double(*change.cycles);
  json->Key("users").Strings(change.users).Key("chain").Strings(change.chain);
  if (change.cure.has_value()) PutCure(*change.cure, json);
  PutOrigin(change.op_name, change.location, json);
  json->EndObject();
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
  text::JsonWriter json;
  json.BeginObject();
  json.TextUnlessEmpty("target", layouts.target);
  json.Key("bytes").Int(layouts.bytes).Key("padding").Int(layouts.padding);
  json.Key("groups").BeginArray();
  for (const LayoutGroup& group : layouts.groups) PutGroup(group, &json);
  json.EndArray().Key("arrays").BeginArray();
  for (const ProgramArray& array : layouts.arrays) PutArray(array, &json);
  json.EndArray().Key("changes").BeginArray();
  for (const LayoutChange& change : layouts.changes) PutChange(change, &json);
  json.EndArray().EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
