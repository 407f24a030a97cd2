#include "tessera/cost/network/machine.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/text/checked.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/formats/text_proto.h"
#include "tessera/text/source.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using projection::Topology;
using projection::ZPoint;

// A topology with the places of its fields.
class Reader {
 public:
  Reader(const std::string& name, const std::optional<sharding::Mesh>& mesh, int64_t devices)
      : name_(name), mesh_(mesh), devices_(devices) {}

  absl::StatusOr<Machine> Read() {
    TESSERA_RETURN_IF_ERROR(
        absl::StrContains(name_, '.') || absl::StrContains(name_, '/') ? ReadFile() : ReadPreset());
    TESSERA_RETURN_IF_ERROR(CheckSizes());
    for (int m = 0; m < topology_.mesh_axis_size(); ++m) TESSERA_RETURN_IF_ERROR(CheckMeshAxis(m));
    TESSERA_RETURN_IF_ERROR(CheckAllAreSaid());
    Machine machine;
    if (topology_.axis_size() > 0) machine.places = Places();
    machine.topology = std::move(topology_);
    return machine;
  }

 private:
  absl::Status ReadPreset() {
    auto topology = projection::TopologyOf(name_);
    if (!topology.ok()) return ErrorAt(0, topology.status().message());
    topology_ = *std::move(topology);
    return absl::OkStatus();
  }

  absl::Status ReadFile() {
    TESSERA_ASSIGN_OR_RETURN(source_, text::Source::FromFile(name_));
    const absl::Status parsed = text::ParseTextProto(source_->text(), &topology_, &places_);
    if (!parsed.ok()) return text::Located(parsed, *source_);
    for (int a = 0; a < topology_.axis_size(); ++a) {
      if (topology_.axis(a).size() < 1)
        return ErrorAt(PlaceOf("axis", a), "an axis without devices");
    }
    return absl::OkStatus();
  }

  absl::Status CheckSizes() const {
    int64_t devices = 1;
    for (const auto& axis : topology_.axis()) {
      if (!MultiplyFits(devices, axis.size(), &devices)) devices = -1;
      if (devices < 0) break;
    }
    if (topology_.axis_size() > 0 && devices != devices_) {
      return ErrorAt(PlaceOf("axis", 0),
                     absl::StrCat("the axes have ", devices, " devices, the program has ", devices_,
                                  ": the sizes must multiply to that"));
    }
    const int levels = topology_.level_size();
    if (topology_.axis_size() == 0 && levels == 0) return ErrorAt(0, "neither axes nor levels");
    if (topology_.axis_size() == 0 && topology_.level(levels - 1).devices() < devices_) {
      return ErrorAt(
          PlaceOf("level", levels - 1),
          absl::StrCat("the outermost switch joins ", topology_.level(levels - 1).devices(),
                       " devices, the program has ", devices_, ": it must join as many"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckMeshAxis(int m) {
    const projection::MeshAxis& said = topology_.mesh_axis(m);
    const size_t place = PlaceOf("mesh_axis", m);
    if (!mesh_.has_value()) {
      return ErrorAt(place, "the module has no mesh with names; --mesh=NAME=SIZE,.. gives them");
    }
    const std::optional<int> axis = mesh_->FindAxis(said.name());
    if (!axis.has_value()) {
      return ErrorAt(place, absl::StrCat("'", said.name(), "' is not an axis of the mesh ",
                                         sharding::PrintMeshSizes(*mesh_)));
    }
    int64_t size = 1;
    for (const std::string& on : said.on()) {
      const int a = FindAxis(on);
      if (a < 0) return ErrorAt(place, absl::StrCat("the machine has no axis '", on, "'"));
      if (absl::c_linear_search(taken_, a)) {
        return ErrorAt(place, absl::StrCat("axis '", on, "' is taken already"));
      }
      taken_.push_back(a);
      size *= topology_.axis(a).size();
    }
    if (size == mesh_->axis_size(*axis)) return absl::OkStatus();
    return ErrorAt(place, absl::StrCat("'", said.name(), "' has ", mesh_->axis_size(*axis),
                                       " devices, ", absl::StrJoin(said.on(), " and "), " ",
                                       said.on_size() == 1 ? "has " : "have ", size));
  }

  absl::Status CheckAllAreSaid() const {
    if (topology_.mesh_axis_size() == 0) return absl::OkStatus();
    for (const sharding::MeshAxis& axis : mesh_->axes()) {
      const bool is_said = absl::c_any_of(
          topology_.mesh_axis(), [&](const auto& said) { return said.name() == axis.name; });
      if (is_said || axis.size == 1) continue;
      return ErrorAt(PlaceOf("mesh_axis", 0),
                     absl::StrCat("nothing says where axis '", axis.name, "' of the mesh lies"));
    }
    return absl::OkStatus();
  }

  int FindAxis(absl::string_view name) const {
    for (int a = 0; a < topology_.axis_size(); ++a) {
      if (topology_.axis(a).name() == name) return a;
    }
    return -1;
  }

  std::vector<ZPoint> Places() const {
    std::vector<int> order;  // physical axes, major to minor in the numbers of mesh positions
    if (topology_.mesh_axis_size() > 0) {
      for (const sharding::MeshAxis& axis : mesh_->axes()) {
        for (const auto& said : topology_.mesh_axis()) {
          if (said.name() != axis.name) continue;
          for (const std::string& on : said.on()) order.push_back(FindAxis(on));
        }
      }
    } else {
      for (int a = 0; a < topology_.axis_size(); ++a) order.push_back(a);
    }
    std::vector<ZPoint> places(static_cast<size_t>(devices_));
    for (int64_t position = 0; position < devices_; ++position) {
      places[DeviceAt(position)] = PlaceAt(position, order);
    }
    return places;
  }

  // Said axes are those of the mesh, whose devices may stand in another order.
  size_t DeviceAt(int64_t position) const {
    const bool by_mesh = topology_.mesh_axis_size() > 0 && !mesh_->device_ids().empty();
    return static_cast<size_t>(by_mesh ? mesh_->device_ids()[static_cast<size_t>(position)]
                                       : position);
  }

  ZPoint PlaceAt(int64_t position, const std::vector<int>& order) const {
    ZPoint place = ZPoint::Filled(topology_.axis_size(), 0);
    for (size_t k = order.size(); k-- > 0;) {
      const int64_t size = topology_.axis(order[k]).size();
      place[order[k]] = position % size;
      position /= size;
    }
    return place;
  }

  // --- places in the file ---

  size_t PlaceOf(const char* field, int index) const {
    return places_.OffsetOf(Topology::descriptor()->FindFieldByName(field), index);
  }

  absl::Status ErrorAt(size_t offset, absl::string_view message) const {
    if (source_ != nullptr) return text::Located(text::ErrorAt(offset, message), *source_);
    return absl::InvalidArgumentError(absl::StrCat("--target=", name_, ": ", message));
  }

  const std::string& name_;
  const std::optional<sharding::Mesh>& mesh_;
  const int64_t devices_;
  std::shared_ptr<const text::Source> source_;  // null for a preset
  text::ProtoPlaces places_;
  Topology topology_;
  std::vector<int> taken_;  // physical axes that carry an axis of the mesh
};

}  // namespace

int64_t Machine::torus_devices() const {
  int64_t devices = 1;
  for (const projection::PhysicalAxis& axis : topology.axis()) devices *= axis.size();
  return devices;
}

absl::StatusOr<Machine> ReadMachine(const std::string& name,
                                    const std::optional<sharding::Mesh>& mesh, int64_t devices) {
  return Reader(name, mesh, devices).Read();
}

}  // namespace tessera::cost
