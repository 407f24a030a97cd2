#include "tessera/pipeline/verbs/search/sweep/sweep_grid.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tessera/cost/network/machine.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/shard_arguments.h"
#include "tessera/pipeline/verbs/sweep_grid.pb.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

absl::string_view FirstLine(absl::string_view message) {
  return message.substr(0, message.find('\n'));
}

// P(..)|P(..)|none after REGEX=; commas and brackets are the specs' own.
struct TryText {
  std::string pattern;
  std::vector<std::string> specs;
};

absl::StatusOr<TryText> SplitTry(const std::string& text) {
  const size_t spec = std::min(text.find("=P("), text.find("=none"));
  if (spec == std::string::npos) {
    return absl::InvalidArgumentError(
        "expected REGEX=P(..)|P(..)|none, as in \"^w1$=P('model')|P(None,'model')\"");
  }
  return TryText{text.substr(0, spec), absl::StrSplit(text.substr(spec + 1), '|')};
}

}  // namespace

class GridReader {
 public:
  absl::StatusOr<SweepGrid> Read(const Arguments& arguments) {
    if (arguments.Has("grid")) TESSERA_RETURN_IF_ERROR(ReadGridFile(arguments));
    for (const std::string& text : arguments.All("mesh")) {
      TESSERA_RETURN_IF_ERROR(AddMesh(text, {absl::StrCat("--mesh=", text), 0}));
    }
    for (const std::string& text : arguments.All("annotate")) {
      TESSERA_RETURN_IF_ERROR(AddAlways(text, {absl::StrCat("--annotate=", text), 0}));
    }
    for (const std::string& text : arguments.All("try")) {
      TESSERA_RETURN_IF_ERROR(AddTry(text, {absl::StrCat("--try=", text), 0}));
    }
    TESSERA_RETURN_IF_ERROR(CheckSize());
    return std::move(grid_);
  }

 private:
  using Said = SweepGrid::Said;

  absl::Status ReadGridFile(const Arguments& arguments) {
    TESSERA_ASSIGN_OR_RETURN(grid_.file_, ReadFile(arguments, arguments.Get("grid")));
    answers::SweepGrid proto;
    text::ProtoPlaces places;
    const absl::Status parsed = text::ParseTextProto(grid_.file_->text(), &proto, &places);
    if (!parsed.ok()) return text::Located(parsed, *grid_.file_);
    const auto* descriptor = answers::SweepGrid::descriptor();
    const auto place = [&](const char* field, int index) {
      return Said{"", places.OffsetOf(descriptor->FindFieldByName(field), index)};
    };
    for (int k = 0; k < proto.mesh_size(); ++k) {
      TESSERA_RETURN_IF_ERROR(AddMesh(proto.mesh(k), place("mesh", k)));
    }
    for (int k = 0; k < proto.annotate_size(); ++k) {
      TESSERA_RETURN_IF_ERROR(AddAlways(proto.annotate(k), place("annotate", k)));
    }
    for (int k = 0; k < proto.alternatives_size(); ++k) {
      const answers::SweepAlternatives& one = proto.alternatives(k);
      TESSERA_RETURN_IF_ERROR(AddAlternatives(one.pattern(), {one.spec().begin(), one.spec().end()},
                                              place("alternatives", k)));
    }
    return absl::OkStatus();
  }

  absl::Status AddMesh(const std::string& text, Said said) {
    auto mesh = ParseMeshFlag(text);
    if (!mesh.ok()) return grid_.ErrorAt(said, mesh.status().message());
    grid_.meshes_.push_back({*std::move(mesh), std::move(said)});
    return absl::OkStatus();
  }

  absl::Status AddAlways(const std::string& text, Said said) {
    auto annotation = ParseAnnotation(text);
    if (!annotation.ok()) return grid_.ErrorAt(said, annotation.status().message());
    grid_.alternatives_.push_back({{*std::move(annotation)}, std::move(said)});
    return absl::OkStatus();
  }

  absl::Status AddTry(const std::string& text, Said said) {
    const auto split = SplitTry(text);
    if (!split.ok()) return grid_.ErrorAt(said, split.status().message());
    return AddAlternatives(split->pattern, split->specs, std::move(said));
  }

  absl::Status AddAlternatives(const std::string& pattern, const std::vector<std::string>& specs,
                               Said said) {
    SweepGrid::Alternatives alternatives;
    for (const std::string& spec : specs) {
      if (absl::StripAsciiWhitespace(spec) == "none") {
        alternatives.choices.push_back(std::nullopt);
        continue;
      }
      auto annotation =
          ParseAnnotation(absl::StrCat(pattern, "=", absl::StripAsciiWhitespace(spec)));
      if (!annotation.ok()) return grid_.ErrorAt(said, annotation.status().message());
      alternatives.choices.push_back(*std::move(annotation));
    }
    if (alternatives.choices.empty()) {
      return grid_.ErrorAt(said, "alternatives without a spec; expected P(..) or none");
    }
    alternatives.said = std::move(said);
    grid_.alternatives_.push_back(std::move(alternatives));
    return absl::OkStatus();
  }

  absl::Status CheckSize() const {
    size_t size = std::max<size_t>(1, grid_.meshes_.size());
    for (const auto& one : grid_.alternatives_) {
      size *= one.choices.size();
      if (size <= SweepGrid::kMaxVariants) continue;
      return grid_.ErrorAt(one.said, absl::StrCat("with these the grid has more than ",
                                                  SweepGrid::kMaxVariants, " variants"));
    }
    return absl::OkStatus();
  }

  SweepGrid grid_;
};

size_t SweepGrid::size() const {
  size_t size = std::max<size_t>(1, meshes_.size());
  for (const Alternatives& one : alternatives_) size *= one.choices.size();
  return size;
}

Variant SweepGrid::Of(size_t number) const {
  Variant variant;
  for (auto one = alternatives_.rbegin(); one != alternatives_.rend(); ++one) {
    const auto& choice = one->choices[number % one->choices.size()];
    number /= one->choices.size();
    if (choice.has_value()) variant.annotations.insert(variant.annotations.begin(), *choice);
  }
  if (!meshes_.empty()) variant.mesh = meshes_[number].mesh;
  return variant;
}

absl::Status SweepGrid::Check(const hlo::Module& module, const std::string& topology) const {
  for (const Alternatives& one : alternatives_) {
    for (const auto& choice : one.choices) {
      if (!choice.has_value()) continue;
      const auto found = FindAnnotated(module, {*choice});
      if (!found.ok()) return ErrorAt(one.said, found.status().message());
      break;
    }
  }
  if (topology.empty()) return absl::OkStatus();
  return FirstIfAllFail([&](const SaidMesh& one) -> absl::Status {
    const auto machine = cost::ReadMachine(topology, one.mesh, one.mesh.num_devices());
    return machine.ok() ? absl::OkStatus()
                        : ErrorAt(one.said, FirstLine(machine.status().message()));
  });
}

absl::Status SweepGrid::CheckDevices(absl::string_view target, int64_t devices) const {
  return FirstIfAllFail([&](const SaidMesh& one) {
    if (one.mesh.num_devices() == devices) return absl::OkStatus();
    return ErrorAt(one.said, absl::StrCat("the mesh has ", one.mesh.num_devices(),
                                          " devices, --target=", target, " has ", devices));
  });
}

absl::Status SweepGrid::FirstIfAllFail(
    absl::FunctionRef<absl::Status(const SaidMesh& mesh)> check) const {
  absl::Status first;
  for (const SaidMesh& one : meshes_) {
    absl::Status status = check(one);
    if (status.ok()) return status;
    first.Update(std::move(status));
  }
  return first;
}

absl::Status SweepGrid::ErrorAt(const Said& said, absl::string_view message) const {
  if (said.flag.empty()) return text::Located(text::ErrorAt(said.offset, message), *file_);
  return absl::InvalidArgumentError(absl::StrCat(said.flag, ": ", message));
}

absl::StatusOr<SweepGrid> ReadSweepGrid(const Arguments& arguments) {
  return GridReader().Read(arguments);
}

}  // namespace tessera::pipeline
