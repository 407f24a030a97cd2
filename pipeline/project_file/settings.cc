#include "tessera/pipeline/project_file/settings.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tessera/pipeline/command_line/byte_count.h"
#include "tessera/pipeline/command_line/unknown_flag.h"
#include "tessera/pipeline/project_file/project_file.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/near_names.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

namespace fs = std::filesystem;

constexpr char kName[] = "tessera.toml";
constexpr char kNoFile[] = "none";

// Flags that all verbs may take from the file; flags of one verb stand in a table of its name.
constexpr absl::string_view kForAll[] = {"mesh",      "annotate",     "target", "memory-limit",
                                         "reference", "result-names", "rule",   "jobs"};

// As a reader of notes and errors would name it: from this folder on, if it is below.
std::string ShortName(const fs::path& path) {
  std::error_code error;
  const fs::path from_here = path.lexically_relative(fs::current_path(error));
  const bool is_below = !error && !from_here.empty() && *from_here.begin() != "..";
  return is_below ? from_here.string() : path.string();
}

// "" if there is none. Links are not followed: the folder is that which the user named.
std::string NearestFile(const std::string& file) {
  std::error_code error;
  if (file == "-" || !fs::exists(file, error)) return "";
  fs::path folder = fs::absolute(file, error).lexically_normal().parent_path();
  while (!error) {
    const fs::path candidate = folder / kName;
    if (fs::is_regular_file(candidate, error)) return ShortName(candidate);
    error.clear();  // of a file that is not there
    if (fs::exists(folder / ".git", error) || folder == folder.parent_path()) return "";
    folder = folder.parent_path();
  }
  return "";
}

absl::StatusOr<std::optional<ProjectFile>> FileFor(const Arguments& arguments) {
  std::string path = arguments.Get("config");
  if (path == kNoFile) return std::nullopt;
  if (path.empty() && arguments.session() == nullptr) path = NearestFile(arguments.positional(0));
  if (path.empty()) return std::nullopt;
  TESSERA_ASSIGN_OR_RETURN(auto source, text::Source::FromFile(path));
  TESSERA_ASSIGN_OR_RETURN(ProjectFile file, ParseProjectFile(std::move(source)));
  return file;
}

absl::Status ErrorIn(const ProjectFile& file, size_t offset, absl::string_view message) {
  return text::Located(text::ErrorAt(offset, message), *file.source);
}

// Of a word that could only be the name of a mesh, and is none of the file's.
absl::Status CheckMeshName(const ProjectFile& file, const std::string& value) {
  if (file.meshes.empty() || absl::StrContains(value, '=') || file.meshes.count(value) > 0) {
    return absl::OkStatus();
  }
  std::vector<absl::string_view> names;
  for (const auto& [name, mesh] : file.meshes) names.push_back(name);
  return absl::InvalidArgumentError(
      absl::StrCat("no mesh is named '", value, "'", text::DidYouMean(value, names), "; ",
                   file.source->name(), " has ", absl::StrJoin(names, ", ")));
}

// Of a value that a flag does not take.
absl::Status CheckValue(const ProjectFile& file, const Flag& flag, const ProjectValue& value) {
  absl::Status status;
  const bool is_mesh = flag.name == "mesh" || flag.name == "b-mesh";
  if (is_mesh && file.meshes.count(value.text) == 0) {
    status = CheckMeshName(file, value.text);
    if (status.ok()) status = ParseMeshFlag(value.text).status();
  } else if (flag.name == "annotate") {
    status = ParseAnnotation(value.text).status();
  } else if (flag.placeholder == "BYTES") {
    status = ReadByteCount(value.text).status();
  }
  if (status.ok()) return status;
  return ErrorIn(file, value.offset, absl::StrCat(flag.name, ": ", status.message()));
}

absl::Status CheckFlag(const ProjectFile& file, const Flag& flag, const ProjectFlag& said) {
  const bool is_switch = flag.placeholder.empty();
  if (is_switch != said.is_switch) {
    return ErrorIn(file, said.offset,
                   absl::StrCat(flag.name, is_switch ? " is a switch: expected true or false"
                                                     : ": expected a string or a number"));
  }
  if (said.is_array && !flag.repeated) {
    return ErrorIn(file, said.offset, absl::StrCat(flag.name, " takes one value, not an array"));
  }
  for (const ProjectValue& value : said.values) {
    if (!is_switch) TESSERA_RETURN_IF_ERROR(CheckValue(file, flag, value));
  }
  return absl::OkStatus();
}

std::vector<absl::string_view> NamesOf(const std::vector<Verb>& verbs) {
  std::vector<absl::string_view> names;
  for (const Verb& verb : verbs) names.push_back(verb.name);
  return names;
}

// Some verb's flag of that name.
const Flag* FindFlagOfAny(const std::vector<Verb>& verbs, absl::string_view name) {
  for (const Verb& verb : verbs) {
    if (const Flag* flag = FindFlag(verb, name); flag != nullptr) return flag;
  }
  return nullptr;
}

absl::Status CheckFile(const ProjectFile& file, const std::vector<Verb>& verbs) {
  for (const auto& [key, said] : file.flags) {
    const Flag* flag = FindFlagOfAny(verbs, key);
    if (flag == nullptr || !absl::c_linear_search(kForAll, key)) {
      return ErrorIn(
          file, said.offset,
          absl::StrCat("'", key, "' is no setting of all verbs", text::DidYouMean(key, kForAll),
                       "; there are ", absl::StrJoin(kForAll, ", "),
                       ", meshes, or a table with the name of a verb"));
    }
    Flag one = *flag;
    one.repeated = key == "annotate" || key == "rule";
    TESSERA_RETURN_IF_ERROR(CheckFlag(file, one, said));
  }
  for (const auto& [name, flags] : file.verbs) {
    const Verb* verb = FindVerb(verbs, name);
    if (verb == nullptr || FindFlag(*verb, "config") == nullptr) {
      return ErrorIn(file, file.verb_offsets.at(name),
                     absl::StrCat("'", name, "' is no verb with settings",
                                  text::DidYouMean(name, NamesOf(verbs)),
                                  "; expected [meshes], or flags of a verb, as in [lint]"));
    }
    for (const auto& [key, said] : flags) {
      const Flag* flag = FindFlag(*verb, key);
      if (flag == nullptr) {
        return ErrorIn(file, said.offset, UnknownFlag(verbs, *verb, key));
      }
      TESSERA_RETURN_IF_ERROR(CheckFlag(file, *flag, said));
    }
  }
  for (const auto& [name, mesh] : file.meshes) {
    const auto parsed = ParseMeshFlag(mesh.text);
    if (!parsed.ok()) return ErrorIn(file, mesh.offset, parsed.status().message());
  }
  return absl::OkStatus();
}

std::vector<std::string> Texts(const ProjectFlag& said) {
  std::vector<std::string> texts;
  for (const ProjectValue& value : said.values) texts.push_back(value.text);
  return texts;
}

// The names of the flags that took something. For `diff` a target means a compiled module.
void Take(const ProjectFlags& flags, const Verb& verb, Arguments* arguments,
          std::vector<std::string>* taken) {
  for (const auto& [key, said] : flags) {
    const Flag* flag = FindFlag(verb, key);
    const bool adds = key == "annotate";
    if (flag == nullptr || said.values.empty()) continue;
    if (key == "target" && verb.name == "diff") continue;
    if (arguments->Has(key) && !adds) continue;
    std::vector<std::string> values = Texts(said);
    const bool is_typed = arguments->Has(key);
    if (is_typed) absl::c_copy(arguments->All(key), std::back_inserter(values));
    arguments->Set(key, std::move(values), true);
    if (!is_typed) arguments->MarkOfProject(key);
    taken->push_back(key);
  }
}

absl::Status NameMeshes(const ProjectFile& file, const Verb& verb, Arguments* arguments) {
  for (const char* const flag : {"mesh", "b-mesh"}) {
    if (FindFlag(verb, flag) == nullptr || !arguments->Has(flag)) continue;
    std::vector<std::string> values = arguments->All(flag);
    for (std::string& value : values) {
      TESSERA_RETURN_IF_ERROR(CheckMeshName(file, value));
      const auto named = file.meshes.find(value);
      if (named != file.meshes.end()) value = named->second.text;
    }
    const bool is_of_project = arguments->IsOfProject(flag);
    arguments->Set(flag, std::move(values), true);
    if (is_of_project) arguments->MarkOfProject(flag);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> CompleteFromProject(std::vector<Verb> (*verbs)(), const Verb& verb,
                                                Arguments* arguments) {
  if (FindFlag(verb, "config") == nullptr) return "";
  TESSERA_ASSIGN_OR_RETURN(const std::optional<ProjectFile> file, FileFor(*arguments));
  if (!file.has_value()) return "";
  TESSERA_RETURN_IF_ERROR(CheckFile(*file, verbs()));
  std::vector<std::string> taken;
  // A table of the verb wins over the flags for all.
  const auto own = file->verbs.find(verb.name);
  if (own != file->verbs.end()) Take(own->second, verb, arguments, &taken);
  Take(file->flags, verb, arguments, &taken);
  TESSERA_RETURN_IF_ERROR(NameMeshes(*file, verb, arguments));
  if (taken.empty()) return "";
  return absl::StrCat("note: ", file->source->name(), " sets ",
                      absl::StrJoin(taken, ", ",
                                    [](std::string* out, const std::string& flag) {
                                      absl::StrAppend(out, "--", flag);
                                    }),
                      "\n");
}

}  // namespace tessera::pipeline
