#include "tessera/pipeline/project_file/project_file.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/formats/utf8.h"
#include "tessera/text/status_macros.h"

#define TOML_EXCEPTIONS 0
#include "toml++/toml.h"

namespace tessera::pipeline {
namespace {

// Lines and columns count from 1, columns in characters.
size_t OffsetOf(absl::string_view text, const toml::source_position& place) {
  size_t offset = 0;
  for (toml::source_index line = 1; line < place.line && offset < text.size(); ++line) {
    offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
  }
  for (toml::source_index column = 1; column < place.column && offset < text.size(); ++column) {
    offset += std::max<size_t>(text::FirstPiece(text.substr(offset)).size, 1);
  }
  return std::min(offset, text.size());
}

// Steps of the reading; errors have an offset.
class Reader {
 public:
  explicit Reader(absl::string_view text) : text_(text) {}

  absl::StatusOr<ProjectFile> Read() {
    toml::parse_result parsed = toml::parse(std::string_view(text_.data(), text_.size()));
    if (!parsed) {
      return text::ErrorAt(OffsetOf(text_, parsed.error().source().begin),
                           absl::StrCat("no TOML: ", View(parsed.error().description())));
    }
    ProjectFile file;
    for (const auto& [key, node] : parsed.table()) {
      TESSERA_RETURN_IF_ERROR(ReadTop(std::string(key.str()), PlaceOf(key), node, &file));
    }
    return file;
  }

 private:
  static absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }
  size_t PlaceOf(const toml::key& key) const { return OffsetOf(text_, key.source().begin); }
  size_t PlaceOf(const toml::node& node) const { return OffsetOf(text_, node.source().begin); }

  absl::Status ReadTop(std::string key, size_t place, const toml::node& node, ProjectFile* file) {
    const toml::table* table = node.as_table();
    if (table == nullptr && key != "meshes") {
      TESSERA_ASSIGN_OR_RETURN(file->flags[key], ReadFlag(place, node));
      return absl::OkStatus();
    }
    if (table == nullptr) {
      return text::ErrorAt(PlaceOf(node), "expected a table: [meshes], with a line for each mesh");
    }
    if (key == "meshes") return ReadMeshes(*table, file);
    file->verb_offsets[key] = place;
    auto& flags = file->verbs[key];  // also of an empty table, whose name may be wrong
    for (const auto& [name, value] : *table) {
      TESSERA_ASSIGN_OR_RETURN(flags[std::string(name.str())], ReadFlag(PlaceOf(name), value));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ProjectFlag> ReadFlag(size_t place, const toml::node& node) const {
    ProjectFlag flag;
    flag.offset = place;
    if (const auto* is_on = node.as_boolean()) {
      flag.is_switch = true;
      if (is_on->get()) flag.values.push_back({"true", PlaceOf(node)});
      return flag;
    }
    const toml::array* array = node.as_array();
    flag.is_array = array != nullptr;
    if (array == nullptr) {
      TESSERA_ASSIGN_OR_RETURN(ProjectValue value, ReadValue(node));
      flag.values.push_back(std::move(value));
      return flag;
    }
    for (const toml::node& element : *array) {
      TESSERA_ASSIGN_OR_RETURN(ProjectValue value, ReadValue(element));
      flag.values.push_back(std::move(value));
    }
    return flag;
  }

  absl::StatusOr<ProjectValue> ReadValue(const toml::node& node) const {
    const size_t place = PlaceOf(node);
    if (const auto* text = node.as_string()) return ProjectValue{text->get(), place};
    if (const auto* whole = node.as_integer()) {
      return ProjectValue{absl::StrCat(whole->get()), place};
    }
    if (const auto* number = node.as_floating_point()) {
      return ProjectValue{absl::StrCat(number->get()), place};
    }
    return text::ErrorAt(place, "expected a string or a number, as the value of a flag");
  }

  absl::Status ReadMeshes(const toml::table& table, ProjectFile* file) const {
    for (const auto& [name, node] : table) {
      ProjectValue& mesh = file->meshes[std::string(name.str())];
      mesh.offset = PlaceOf(node);
      if (const auto* text = node.as_string()) {
        mesh.text = text->get();
        continue;
      }
      const toml::table* axes = node.as_table();
      if (axes == nullptr) {
        return text::ErrorAt(mesh.offset, "expected \"data=4,model=2\" or { data = 4, model = 2 }");
      }
      TESSERA_ASSIGN_OR_RETURN(mesh.text, AxesText(*axes));
    }
    return absl::OkStatus();
  }

  // In the order of the file: toml++ sorts by name.
  absl::StatusOr<std::string> AxesText(const toml::table& axes) const {
    std::vector<std::pair<size_t, std::string>> ordered;
    for (const auto& [axis, size] : axes) {
      const auto* number = size.as_integer();
      if (number == nullptr) {
        return text::ErrorAt(PlaceOf(size), "expected a number, the size of the axis");
      }
      ordered.emplace_back(PlaceOf(axis), absl::StrCat(View(axis.str()), "=", number->get()));
    }
    std::sort(ordered.begin(), ordered.end());
    std::string text;
    for (const auto& [place, axis] : ordered) {
      absl::StrAppend(&text, text.empty() ? "" : ",", axis);
    }
    return text;
  }

  absl::string_view text_;
};

}  // namespace

absl::StatusOr<ProjectFile> ParseProjectFile(std::shared_ptr<const text::Source> source) {
  auto file = Reader(source->text()).Read();
  if (!file.ok()) return text::Located(file.status(), *source);
  file->source = std::move(source);
  return file;
}

}  // namespace tessera::pipeline
