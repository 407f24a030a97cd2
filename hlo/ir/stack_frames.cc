#include "tessera/hlo/stack_frames.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/parse/reader.h"
#include "tessera/hlo/parse/strings.h"

namespace tessera::hlo {
namespace {

// {a=1 b=2} as a map; the parser has checked the form.
std::map<absl::string_view, int64_t> ReadFields(Reader& in) {
  std::map<absl::string_view, int64_t> fields;
  in.Eat('{');
  absl::string_view name;
  int64_t value = 0;
  while (!in.AtEnd() && !in.Eat('}')) {
    in.Eat(',');
    if (!in.ReadAttributeName(&name) || !in.ReadInt(&value)) break;
    fields[name] = value;
  }
  return fields;
}

void ReadNames(Reader& in, std::vector<std::string>* names) {
  int64_t number = 0;
  absl::string_view token;
  while (in.ReadInt(&number) && in.ReadString(&token)) {
    names->push_back(UnquoteString(token).value_or(""));
  }
}

}  // namespace

StackFrames ParseStackFrames(absl::string_view text) {
  StackFrames out;
  if (text.empty()) return out;
  Reader in(text, 0, text.size());
  int64_t number = 0;
  if (in.EatWord("FileNames")) ReadNames(in, &out.file_names);
  if (in.EatWord("FunctionNames")) ReadNames(in, &out.function_names);
  if (in.EatWord("FileLocations")) {
    while (in.ReadInt(&number)) {
      auto f = ReadFields(in);
      out.locations.push_back({f["file_name_id"], f["function_name_id"], f["line"], f["end_line"],
                               f["column"], f["end_column"]});
    }
  }
  if (in.EatWord("StackFrames")) {
    while (in.ReadInt(&number)) {
      auto f = ReadFields(in);
      out.frames.push_back({f["file_location_id"], f["parent_frame_id"] - 1});
    }
  }
  return out;
}

std::string PrintStackFrames(const StackFrames& frames) {
  std::string out = "FileNames\n";
  const auto names = [&](const std::vector<std::string>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      absl::StrAppend(&out, i + 1, " \"", CEscape(list[i]), "\"\n");
    }
  };
  names(frames.file_names);
  out += "\nFunctionNames\n";
  names(frames.function_names);
  out += "\nFileLocations\n";
  for (size_t i = 0; i < frames.locations.size(); ++i) {
    const FileLocation& l = frames.locations[i];
    absl::StrAppend(&out, i + 1, " {file_name_id=", l.file, " function_name_id=", l.function);
    absl::StrAppend(&out, " line=", l.line, " end_line=", l.end_line, " column=", l.column,
                    " end_column=", l.end_column, "}\n");
  }
  out += "\nStackFrames\n";
  for (size_t i = 0; i < frames.frames.size(); ++i) {
    absl::StrAppend(&out, i + 1, " {file_location_id=", frames.frames[i].location,
                    " parent_frame_id=", frames.frames[i].parent + 1, "}\n");
  }
  return out;
}

}  // namespace tessera::hlo
