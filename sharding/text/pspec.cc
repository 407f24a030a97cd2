#include "tessera/sharding/pspec.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/text/sharding_lexer.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding {
namespace {

// As Python's repr(): single quotes, unless that takes escapes and double quotes do not.
std::string Repr(const std::string& name) {
  const bool has_single = name.find('\'') != std::string::npos;
  const char quote = has_single && name.find('"') == std::string::npos ? '"' : '\'';
  std::string out(1, quote);
  for (char c : name) {
    if (c == '\\' || c == quote) out += '\\';
    out += c;
  }
  return out + quote;
}

std::string JoinReprs(const std::vector<std::string>& names) {
  return absl::StrJoin(names, ", ",
                       [](std::string* out, const std::string& name) { *out += Repr(name); });
}

std::string PrintEntry(const PartitionSpec::Entry& entry) {
  if (entry.axes.empty()) return entry.is_open ? "UNCONSTRAINED" : "None";
  const std::string axes = JoinReprs(entry.axes);
  return absl::StrCat(entry.axes.size() == 1 ? axes : absl::StrCat("(", axes, ")"),
                      entry.is_open ? "?" : "");
}

class SpecReader {
 public:
  explicit SpecReader(absl::string_view text) : in_(text) {}

  absl::StatusOr<PartitionSpec> Read();

 private:
  absl::Status ReadArgument();
  absl::Status ReadEntry();
  absl::StatusOr<std::string> ReadName();
  absl::StatusOr<std::vector<std::string>> ReadNames(char close);

  ShardingLexer in_;
  PartitionSpec spec_;
};

absl::StatusOr<std::string> SpecReader::ReadName() {
  if (in_.token() != ShardingToken::kWord) return in_.ExpectString("the name of an axis");
  std::string name(in_.token_text());
  in_.Next();
  return name;
}

// The opening bracket has been read; a comma before the closing one is allowed.
absl::StatusOr<std::vector<std::string>> SpecReader::ReadNames(char close) {
  std::vector<std::string> names;
  while (!in_.Is(close)) {
    TESSERA_ASSIGN_OR_RETURN(std::string name, ReadName());
    names.push_back(std::move(name));
    if (!in_.Consume(',')) break;
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(close, "or ',' after an axis"));
  return names;
}

absl::Status SpecReader::ReadEntry() {
  PartitionSpec::Entry entry;
  if (in_.ConsumeWord("UNCONSTRAINED") || in_.Consume('?')) {
    entry.is_open = true;
  } else if (!in_.ConsumeWord("None")) {
    if (in_.Consume('(')) {
      TESSERA_ASSIGN_OR_RETURN(entry.axes, ReadNames(')'));
    } else {
      TESSERA_ASSIGN_OR_RETURN(std::string name, ReadName());
      entry.axes.push_back(std::move(name));
    }
    entry.is_open = in_.Consume('?');
  }
  spec_.entries.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status SpecReader::ReadArgument() {
  std::vector<std::string>* set = nullptr;
  if (in_.ConsumeAttribute("unreduced")) {
    set = &spec_.unreduced;
  } else if (in_.ConsumeAttribute("reduced")) {
    set = &spec_.reduced;
  } else {
    return ReadEntry();
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect('{', "before a set of axes"));
  TESSERA_ASSIGN_OR_RETURN(*set, ReadNames('}'));
  return absl::OkStatus();
}

absl::StatusOr<PartitionSpec> SpecReader::Read() {
  if (!in_.ConsumeWord("P") && !in_.ConsumeWord("PartitionSpec")) {
    return in_.Error("expected P(..)");
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect('(', "after 'P'"));
  while (!in_.Is(')')) {
    TESSERA_RETURN_IF_ERROR(ReadArgument());
    if (!in_.Consume(',')) break;
  }
  TESSERA_RETURN_IF_ERROR(in_.Expect(')', "or ',' after an entry"));
  if (!in_.AtEnd()) return in_.Error("unexpected text after P(..)");
  return std::move(spec_);
}

// Finds axes of a mesh, each at most once.
class AxisFinder {
 public:
  explicit AxisFinder(const Mesh& mesh) : mesh_(mesh) {}

  absl::StatusOr<AxisList> Find(const std::vector<std::string>& names) {
    AxisList out;
    for (const std::string& name : names) {
      const std::optional<int> axis = mesh_.FindAxis(name);
      if (!axis) {
        return absl::InvalidArgumentError(
            absl::StrCat("the mesh has no axis ", Repr(name), "; it has ", KnownAxes()));
      }
      if (std::find(seen_.begin(), seen_.end(), *axis) != seen_.end()) {
        return absl::InvalidArgumentError(absl::StrCat("axis ", Repr(name), " is used twice"));
      }
      seen_.push_back(*axis);
      out.push_back(AxisRef::Full(*axis));
    }
    return out;
  }

 private:
  std::string KnownAxes() const {
    std::vector<std::string> names;
    for (const MeshAxis& axis : mesh_.axes()) names.push_back(axis.name);
    return names.empty() ? "none" : JoinReprs(names);
  }

  const Mesh& mesh_;
  std::vector<int> seen_;
};

bool IsWhole(absl::Span<const AxisRef> axes) {
  return std::all_of(axes.begin(), axes.end(), [](AxisRef axis) { return axis.is_full(); });
}

std::vector<std::string> Names(absl::Span<const AxisRef> axes, const Mesh& mesh) {
  std::vector<std::string> names;
  for (AxisRef axis : axes) names.push_back(mesh.axis(axis.axis()).name);
  return names;
}

}  // namespace

std::string PartitionSpec::ToString() const {
  std::vector<std::string> parts;
  for (const Entry& entry : entries) parts.push_back(PrintEntry(entry));
  if (!unreduced.empty()) parts.push_back(absl::StrCat("unreduced={", JoinReprs(unreduced), "}"));
  if (!reduced.empty()) parts.push_back(absl::StrCat("reduced={", JoinReprs(reduced), "}"));
  const bool one_tuple = entries.size() == 1 && parts.size() == 1;
  return absl::StrCat("P(", absl::StrJoin(parts, ", "), one_tuple ? ",)" : ")");
}

absl::StatusOr<TensorSharding> PartitionSpec::Resolve(MeshId id, const Mesh& mesh, int rank) const {
  if (static_cast<int>(entries.size()) > rank) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToString(), " has ", entries.size(), " entries for a value of rank ", rank));
  }
  AxisFinder finder(mesh);
  TensorSharding out(id, rank);
  for (size_t d = 0; d < entries.size(); ++d) {
    DimensionSharding& dim = out.dim(static_cast<int>(d));
    TESSERA_ASSIGN_OR_RETURN(dim.axes, finder.Find(entries[d].axes));
    dim.is_closed = !entries[d].is_open;
  }
  TESSERA_ASSIGN_OR_RETURN(out.mutable_unreduced_axes(), finder.Find(unreduced));
  std::sort(out.mutable_unreduced_axes().begin(), out.mutable_unreduced_axes().end());
  TESSERA_RETURN_IF_ERROR(finder.Find(reduced).status());
  return out;
}

absl::StatusOr<PartitionSpec> ParsePartitionSpec(absl::string_view text) {
  return SpecReader(text).Read();
}

std::optional<PartitionSpec> ToPartitionSpec(const TensorSharding& sharding, const Mesh& mesh) {
  PartitionSpec spec;
  if (mesh.is_maximal() || !sharding.replicated_axes().empty() ||
      !IsWhole(sharding.unreduced_axes())) {
    return std::nullopt;
  }
  for (const DimensionSharding& dim : sharding.dims()) {
    if (dim.has_priority() || !IsWhole(dim.axes)) return std::nullopt;
    spec.entries.push_back({Names(dim.axes, mesh), !dim.is_closed});
  }
  spec.unreduced = Names(sharding.unreduced_axes(), mesh);
  const auto is_none = [](const auto& entry) { return entry.axes.empty() && !entry.is_open; };
  const bool is_whole =
      spec.unreduced.empty() && std::all_of(spec.entries.begin(), spec.entries.end(), is_none);
  return is_whole ? PartitionSpec() : spec;
}

}  // namespace tessera::sharding
