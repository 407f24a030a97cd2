#include "tessera/testing/spmd/spmd_check.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parser.h"
#include "tessera/hlo/stack_frames.h"
#include "tessera/layout/shape_text.h"
#include "tessera/projection/cost/compute/trip_count.h"
#include "tessera/sharding/partition/device_text.h"
#include "tessera/sharding/partition/partitioner.h"
#include "tessera/testing/references/nearest_reference.h"
#include "tessera/testing/spmd/sha256.h"
#include "tessera/text/source.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using sharding::partition::Body;
using sharding::partition::Collective;
using sharding::partition::GroupsText;
using sharding::partition::PairsText;
using sharding::partition::Partitioned;

constexpr size_t kLongPairs = 64;

// The compared parts of a collective, and the place that it blames.
struct Line {
  std::string key;
  std::string blame;   // op_name and file:line
  std::string origin;  // for messages: the instruction
};

// The groups of an all-reduce are compared as sets.
std::string SortedText(std::vector<std::vector<int64_t>> groups) {
  for (auto& group : groups) std::sort(group.begin(), group.end());
  std::sort(groups.begin(), groups.end());
  return GroupsText(groups);
}

std::string ShortPairsText(std::vector<std::pair<int64_t, int64_t>> pairs) {
  std::sort(pairs.begin(), pairs.end());
  const std::string text = PairsText(pairs);
  if (pairs.size() <= kLongPairs) return text;
  return absl::StrCat(pairs.size(), " pairs, sha256 ", Sha256Hex(text).substr(0, 16));
}

std::string Key(absl::string_view op, const std::vector<std::string>& shapes,
                const std::vector<std::string>& operands, absl::string_view devices,
                const std::vector<int64_t>& dimensions, absl::string_view reduction,
                absl::string_view nesting, bool given) {
  return absl::StrCat(op, " ", absl::StrJoin(shapes, ","), " of ", absl::StrJoin(operands, ","),
                      " dim ", absl::StrJoin(dimensions, ","), " ", reduction, " in [", nesting,
                      "] ", given ? "given " : "", devices);
}

// --- The truth -----------------------------------------------------------------------------------

// A truth may leave out the trips of loops: levels are [kind, instruction].
bool HasTrips(const json& levels) {
  return std::all_of(levels.begin(), levels.end(),
                     [](const json& level) { return level.size() > 2; });
}

std::string NestingOf(const json& levels) {
  std::vector<std::string> out;
  for (const json& level : levels) {
    const std::string kind = level[0];
    const bool known = level.size() > 2 && !level[2].is_null();
    out.push_back(known ? absl::StrCat(kind, " x", level[2].get<int64_t>()) : kind);
  }
  return absl::StrJoin(out, ", ");
}

std::string TextOf(const json& row, const char* key) {
  return row.contains(key) && row[key].is_string() ? row[key].get<std::string>() : "";
}

Line TruthLine(const json& row) {
  const std::string op = row["op"];
  std::string devices = TextOf(row, "pairs");
  if (row.contains("groups")) {
    devices = row["groups"].get<std::string>();
    const auto groups = hlo::ParseReplicaGroups(devices);
    const auto lists = groups.has_value() ? groups->Expand() : std::nullopt;
    devices = !lists.has_value()   ? "unreadable groups"
              : op == "all-reduce" ? SortedText(*lists)
                                   : GroupsText(*lists);
  }
  Line line;
  line.key = Key(op, row["shape"], row["operands"], devices,
                 row.contains("dimensions") ? row["dimensions"].get<std::vector<int64_t>>()
                                            : std::vector<int64_t>(),
                 TextOf(row, "reduction"), NestingOf(row["nesting"]),
                 row.contains("given") && row["given"].get<bool>());
  // As the text of the module has it, escapes included.
  std::string op_name;
  if (!absl::CUnescape(TextOf(row, "op_name"), &op_name)) op_name = TextOf(row, "op_name");
  line.blame = absl::StrCat(op_name, " at ", TextOf(row, "source"));
  line.origin = row.contains("origin") ? row["origin"].dump() : "";
  return line;
}

struct Truth {
  std::vector<Line> lines;
  bool has_trips = true;
};

Truth ReadTruth(const std::string& path) {
  Truth out;
  std::ifstream in(path);
  std::string text;
  while (std::getline(in, text)) {
    if (text.empty()) continue;
    const json row = json::parse(text);
    out.has_trips &= HasTrips(row["nesting"]);
    out.lines.push_back(TruthLine(row));
  }
  return out;
}

// --- Ours ----------------------------------------------------------------------------------------

void AddLeaves(const layout::Shape& shape, std::vector<std::string>& out) {
  layout::ForEachLeaf(shape, [&out](const layout::Shape& leaf) {
    out.push_back(layout::ShapeToString(leaf.WithoutLayout()));
  });
}

class OwnLines {
 public:
  OwnLines(const hlo::Module& module, const Partitioned& found, bool with_trips)
      : module_(module),
        found_(found),
        with_trips_(with_trips),
        frames_(hlo::ParseStackFrames(module.header().stack_frames)) {}

  Line Of(const Collective& c) const {
    std::vector<std::string> shapes, operands;
    AddLeaves(c.shape, shapes);
    for (const layout::Shape& operand : c.operands) AddLeaves(operand, operands);
    const bool as_sets = c.opcode == hlo::Opcode::kAllReduce;
    const std::string devices = c.groups.empty() ? ShortPairsText(c.pairs)
                                : as_sets        ? SortedText(c.groups)
                                                 : GroupsText(c.groups);
    Line line;
    line.key = Key(hlo::OpcodeName(c.opcode), shapes, operands, devices, c.dimensions, c.reduction,
                   Nesting(c.body), c.given);
    line.origin =
        c.cause == hlo::kNoId ? "a result" : std::string(module_.instruction(c.cause).name);
    if (c.named == hlo::kNoId) {
      line.blame = " at ";
      return line;
    }
    const hlo::Metadata metadata = hlo::GetMetadata(module_, c.named);
    line.blame = absl::StrCat(metadata.op_name, " at ", Place(metadata));
    return line;
  }

 private:
  std::string Nesting(int32_t body) const {
    std::vector<std::string> out;
    for (; body > 0; body = found_.bodies[static_cast<size_t>(body)].parent) {
      out.insert(out.begin(), Level(found_.bodies[static_cast<size_t>(body)]));
    }
    return absl::StrJoin(out, ", ");
  }

  std::string Level(const Body& body) const {
    switch (body.role) {
      case Body::Role::kBranch:
        return "branch";
      case Body::Role::kCall:
        return "call";
      default:
        break;
    }
    const std::optional<int64_t> trips =
        body.trips > 0 ? body.trips : projection::TripCount(module_, body.caller);
    const char* kind = body.role == Body::Role::kCondition ? "condition" : "loop";
    return with_trips_ && trips.has_value() ? absl::StrCat(kind, " x", *trips) : kind;
  }

  std::string Place(const hlo::Metadata& m) const {
    if (m.stack_frame_id > 0 && m.stack_frame_id <= static_cast<int64_t>(frames_.frames.size())) {
      const auto& frame = frames_.frames[static_cast<size_t>(m.stack_frame_id - 1)];
      const auto& at = frames_.locations[static_cast<size_t>(frame.location - 1)];
      return absl::StrCat(frames_.file_names[static_cast<size_t>(at.file - 1)], ":", at.line);
    }
    return m.source_file.empty() ? "" : absl::StrCat(m.source_file, ":", m.source_line);
  }

  const hlo::Module& module_;
  const Partitioned& found_;
  const bool with_trips_;
  const hlo::StackFrames frames_;
};

// --- Comparison ----------------------------------------------------------------------------------

// Lines of `a` that `b` lacks, with how often.
std::vector<std::string> Missing(const std::vector<Line>& a, const std::vector<Line>& b,
                                 bool with_blame) {
  const auto text = [with_blame](const Line& line) {
    return with_blame ? absl::StrCat(line.key, " <- ", line.blame) : line.key;
  };
  std::map<std::string, int> left;
  for (const Line& line : b) ++left[text(line)];
  std::vector<std::string> out;
  for (const Line& line : a) {
    if (--left[text(line)] < 0) out.push_back(absl::StrCat(text(line), " from ", line.origin));
  }
  return out;
}

Outcome Compare(const std::vector<Line>& expected, const std::vector<Line>& found) {
  for (const bool with_blame : {false, true}) {
    const auto missing = Missing(expected, found, with_blame);
    const auto extra = Missing(found, expected, with_blame);
    if (missing.empty() && extra.empty()) continue;
    return Failed(absl::StrCat(
        missing.size(), " of ", expected.size(), " missing, ", extra.size(), " too many",
        missing.empty() ? "" : "\n      - ", absl::StrJoin(missing, "\n      - "),
        extra.empty() ? "" : "\n      + ", absl::StrJoin(extra, "\n      + ")));
  }
  return Passed();
}

// The status of a module in index.tsv; "ok" where the table does not name it.
std::string StatusOf(const fs::path& name) {
  std::ifstream in(name.parent_path() / "index.tsv");
  std::string row;
  while (std::getline(in, row)) {
    const std::vector<std::string> fields = absl::StrSplit(row, '\t');
    if (fields.size() > 2 && fields[0] == name.filename()) return fields[2];
  }
  return "ok";
}

// Visits that are repeated from memory, and every instruction visited: one answer.
bool AnswersAgree(const absl::StatusOr<Partitioned>& repeated,
                  const absl::StatusOr<Partitioned>& each) {
  return repeated.ok() ? each.ok() && *repeated == *each : repeated.status() == each.status();
}

}  // namespace

std::vector<std::string> FindTruths(const std::string& folder) {
  std::vector<std::string> out;
  std::ifstream in(fs::path(folder) / "index.tsv");
  std::string row;
  std::getline(in, row);
  while (std::getline(in, row)) {
    out.push_back((fs::path(folder) / row.substr(0, row.find('\t'))).string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Outcome CheckTruth(const std::string& name) {
  const fs::path path(name);
  const std::string status = StatusOf(path);
  if (status == "no input") return NotRun("the compiler stops before the partitioner");
  const fs::path module_path = path.parent_path().parent_path().parent_path() /
                               path.parent_path().filename() /
                               absl::StrCat(path.filename().string(), ".after.hlo");
  const auto source = text::Source::FromFile(module_path.string());
  if (!source.ok()) return NotRun("no module");
  const hlo::ParsedText parsed = hlo::ParseModules(*source);
  if (!parsed.diagnostics.ok()) return Failed(parsed.diagnostics.Render(**source));
  const auto reference = NearestReference(name);
  if (!reference.ok()) return Failed(std::string(reference.status().message()));
  const auto found = sharding::partition::FindCollectives(parsed.modules[0], reference->behaviors);
  const auto each = sharding::partition::FindCollectives(parsed.modules[0], reference->behaviors,
                                                         sharding::partition::Visits::kEach);
  if (!AnswersAgree(found, each)) return Failed("every instruction visited, the answer is another");
  if (status == "refused") {
    return found.ok() ? Failed("the reference refuses the module") : Passed();
  }
  if (!found.ok()) return Failed(std::string(found.status().message()));
  const std::string list = name + ".spmd.jsonl";
  if (!fs::exists(list)) return Failed("no list of collectives beside index.tsv");
  const Truth truth = ReadTruth(list);
  const OwnLines own(parsed.modules[0], *found, truth.has_trips);
  std::vector<Line> lines;
  for (const Collective& c : found->collectives) lines.push_back(own.Of(c));
  return Compare(truth.lines, lines);
}

}  // namespace tessera::testing
