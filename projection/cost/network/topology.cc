#include "tessera/projection/cost/network/topology.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "tessera/projection/core/error.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

// Keeps the first error; the parser counts lines and columns from 0.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (text_.empty()) text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

int FindAxis(const Topology& t, const std::string& name) {
  for (int a = 0; a < t.axis_size(); ++a) {
    if (t.axis(a).name() == name) return a;
  }
  return -1;
}

absl::Status Check(const Topology& t) {
  for (const PhysicalAxis& axis : t.axis()) {
    if (axis.size() < 1)
      return MakeError(ErrorCode::kBadShape, absl::StrCat("axis ", axis.name(), " has no devices"));
  }
  for (const MeshAxis& mesh_axis : t.mesh_axis()) {
    for (const std::string& on : mesh_axis.on()) {
      if (FindAxis(t, on) < 0)
        return MakeError(ErrorCode::kBadDim,
                         absl::StrCat("mesh axis ", mesh_axis.name(), " on ", on,
                                      ", which is not an axis of ", t.name()));
    }
  }
  return absl::OkStatus();
}

absl::Status DoesNotFit(absl::string_view axis, const Topology& t) {
  return MakeError(ErrorCode::kNotSupported,
                   absl::StrCat("mesh axis ", axis, " does not fit the axes of ", t.name()));
}

absl::StatusOr<std::vector<AxisPlace>> PlaceAsSaid(const Topology& t, const sharding::Mesh& mesh) {
  std::vector<AxisPlace> places;
  for (int m = 0; m < mesh.num_axes(); ++m) {
    AxisPlace place;
    int64_t size = 1;
    for (const MeshAxis& said : t.mesh_axis()) {
      if (said.name() != mesh.axis(m).name) continue;
      for (const std::string& on : said.on()) {
        place.axes.push_back(FindAxis(t, on));
        size *= t.axis(place.axes.back()).size();
      }
    }
    if (size != mesh.axis_size(m)) return DoesNotFit(mesh.axis(m).name, t);
    places.push_back(std::move(place));
  }
  return places;
}

// From the last axes of both to the first; `left` is what is free of physical axis `at`.
absl::StatusOr<std::vector<AxisPlace>> PlaceInOrder(const Topology& t, const sharding::Mesh& mesh) {
  std::vector<AxisPlace> places(static_cast<size_t>(mesh.num_axes()));
  int at = t.axis_size() - 1;
  int64_t left = at >= 0 ? t.axis(at).size() : 1;
  for (int m = mesh.num_axes() - 1; m >= 0; --m) {
    AxisPlace& place = places[static_cast<size_t>(m)];
    int64_t need = mesh.axis_size(m);
    while (need > 1) {
      while (left == 1 && --at >= 0) left = t.axis(at).size();
      if (at < 0 || (need % left != 0 && left % need != 0)) return DoesNotFit(mesh.axis(m).name, t);
      if (place.axes.empty()) place.stride = t.axis(at).size() / left;
      place.axes.insert(place.axes.begin(), at);
      const int64_t taken = std::min(need, left);
      need /= taken;
      left /= taken;
    }
  }
  return places;
}

}  // namespace

absl::StatusOr<Topology> ParseTopology(absl::string_view text) {
  Topology topology;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  if (!parser.ParseFromString(std::string(text), &topology))
    return MakeError(ErrorCode::kParse, error.text());
  TESSERA_RETURN_IF_ERROR(Check(topology));
  return topology;
}

absl::StatusOr<std::vector<AxisPlace>> PlaceMesh(const Topology& topology,
                                                 const sharding::Mesh& mesh) {
  return topology.mesh_axis_size() > 0 ? PlaceAsSaid(topology, mesh) : PlaceInOrder(topology, mesh);
}

}  // namespace tessera::projection
