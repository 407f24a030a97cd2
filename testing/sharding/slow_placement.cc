#include "tessera/testing/sharding/slow_placement.h"

namespace tessera::sharding::testing {

int64_t Digit(AxisRef ref, int64_t at, const Mesh& mesh) {
  const int64_t full = mesh.axis_size(ref.axis());
  return at / (full / ref.next_pre_size(full)) % ref.size(full);
}

int64_t PartOf(absl::Span<const AxisRef> axes, absl::Span<const int64_t> coordinate,
               const Mesh& mesh) {
  int64_t part = 0;
  for (AxisRef ref : axes) {
    const int64_t at = coordinate[static_cast<size_t>(ref.axis())];
    part = part * ref.size(mesh) + Digit(ref, at, mesh);
  }
  return part;
}

std::vector<std::vector<int64_t>> Coordinates(const Mesh& mesh) {
  std::vector<std::vector<int64_t>> out = {{}};
  for (const MeshAxis& axis : mesh.axes()) {
    std::vector<std::vector<int64_t>> longer;
    for (const std::vector<int64_t>& start : out) {
      for (int64_t at = 0; at < axis.size; ++at) {
        longer.push_back(start);
        longer.back().push_back(at);
      }
    }
    out = longer;
  }
  return out;
}

std::vector<std::vector<int64_t>> PartsByDevice(const TensorSharding& sharding, const Mesh& mesh) {
  std::vector<std::vector<int64_t>> parts(static_cast<size_t>(mesh.num_devices()));
  for (const std::vector<int64_t>& coordinate : Coordinates(mesh)) {
    std::vector<int64_t>& of_device = parts[static_cast<size_t>(mesh.DeviceAt(coordinate))];
    for (const DimensionSharding& dim : sharding.dims()) {
      of_device.push_back(PartOf(dim.axes, coordinate, mesh));
    }
  }
  return parts;
}

}  // namespace tessera::sharding::testing
