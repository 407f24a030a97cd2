#include "tessera/testing/pairs/pair_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/in_place/in_place.h"
#include "tessera/testing/pairs/spelling.h"
#include "tessera/testing/pairs/structure.h"
#include "tessera/testing/pairs/table/derive_table.h"
#include "tessera/testing/pairs/table/table.h"
#include "tessera/testing/references/nearest_reference.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

using pipeline::Format;
using pipeline::Stage;
using pipeline::Structure;

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Some releases do not write named shardings by default. Pairs with such were made with a flag of
// the reference that no text of `before` shows.
Format FormatOf(const std::string& text) {
  return text.find("sharding={mesh[") == std::string::npos ? Format::kAuto : Format::kV3;
}

absl::StatusOr<std::string> Shard(const std::string& path, Structure structure, Stage stage,
                                  Format format) {
  auto reference = NearestReference(path);
  if (!reference.ok()) return reference.status();
  auto source = text::Source::FromFile(path);
  if (!source.ok()) return source.status();
  const hlo::ParsedText parsed = hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok()) return parsed.diagnostics.ToStatus(**source);
  if (parsed.modules.empty()) return absl::InvalidArgumentError("no module");
  pipeline::ShardOptions options;
  options.reference = *std::move(reference);
  options.structure = structure;
  options.stage = stage;
  if (!options.reference.behaviors.named_shardings_by_default) options.format = format;
  auto result = pipeline::ShardModule(parsed.modules[0], options);
  if (!result.ok()) return result.status();
  return std::move(result->text);
}

// The first differences, and how many there are.
Outcome Judge(const std::vector<std::string>& differences) {
  if (differences.empty()) return Passed();
  return Failed(absl::StrCat(differences.size(),
                             " differences: ", absl::StrJoin(differences, "; ").substr(0, 600)));
}

Outcome CheckStructure(const std::string& before, const std::string& after, Stage stage) {
  const absl::StatusOr<std::string> text =
      Shard(before, Structure::kXla, stage, FormatOf(Read(after)));
  if (!text.ok()) return Failed(std::string(text.status().message()));
  pairs::Spellings spellings;
  return Judge(pairs::CompareStructure(pairs::Dump(Read(after)), pairs::Dump(*text), spellings));
}

Outcome CheckInPlace(const std::string& name) {
  const std::string before = name + ".before.hlo";
  const std::string after = Read(name + ".after.hlo");
  const absl::StatusOr<std::string> text =
      Shard(before, Structure::kKeep, Stage::kPass, FormatOf(after));
  if (!text.ok()) return Failed(std::string(text.status().message()));
  const pairs::Dump source(Read(before));
  pairs::Derived expected;
  if (std::filesystem::exists(name + ".map")) {
    expected.table = pairs::ParseTable(Read(name + ".map"));
  } else {
    expected = pairs::DeriveTable(source, pairs::Dump(after));
  }
  if (!expected.problems.empty()) {
    return Failed(absl::StrCat("the modules do not match: ", expected.problems[0]));
  }
  pairs::Spellings spellings;
  return Judge(pairs::CompareInPlace(source, expected.table, pairs::Dump(*text), spellings));
}

// The reason of the file reasons.tsv beside the module, which lists modules that the reference
// refuses: `name` and `reason` in each line.
std::string ReasonToRefuse(const std::string& name) {
  const std::filesystem::path path(name);
  std::ifstream in(path.parent_path() / "reasons.tsv");
  std::string line;
  if (!std::getline(in, line) || line != "name\treason") return "";
  const std::string start = path.filename().string() + "\t";
  while (std::getline(in, line)) {
    if (absl::StartsWith(line, start)) return line.substr(start.size());
  }
  return "";
}

// The reference ends with an error, which the module alone is to blame for; so do we.
Outcome CheckRefused(const std::string& before, Structure structure, const std::string& reason) {
  if (!Shard(before, structure, Stage::kPass, Format::kAuto).ok()) return Passed();
  return Failed(absl::StrCat("a result, where the reference says: ", reason));
}

// The reference crashes on such a module: whatever comes back is fine, and agrees with nothing.
Outcome CheckAnswered(const std::string& before, Structure structure) {
  (void)Shard(before, structure, Stage::kPass, Format::kAuto).ok();
  return NotRun(kAnswered);
}

}  // namespace

std::vector<std::string> FindPairs(const std::string& folder) {
  constexpr absl::string_view kEnding = ".before.hlo";
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    absl::string_view path = entry.path().native();
    if (absl::ConsumeSuffix(&path, kEnding)) names.emplace_back(path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::pair<std::string, Outcome>> CheckPair(const std::string& name) {
  const std::string before = name + ".before.hlo";
  const std::string after = name + ".after.hlo";
  const bool has_after = std::filesystem::exists(after);
  const std::string reason = has_after ? "" : ReasonToRefuse(name);
  if (!reason.empty()) {
    return {{kRefusedXla, CheckRefused(before, Structure::kXla, reason)},
            {kRefusedKeep, CheckRefused(before, Structure::kKeep, reason)}};
  }
  if (!has_after) {
    return {{"xla", CheckAnswered(before, Structure::kXla)},
            {"keep", CheckAnswered(before, Structure::kKeep)}};
  }
  std::vector<std::pair<std::string, Outcome>> outcomes = {
      {"xla", CheckStructure(before, after, Stage::kPass)}, {"keep", CheckInPlace(name)}};
  const std::string lowered = name + ".lowered.hlo";
  if (std::filesystem::exists(lowered)) {
    outcomes.emplace_back("lowered", CheckStructure(lowered, after, Stage::kAuto));
  }
  return outcomes;
}

}  // namespace tessera::testing
