// Axes that a question is about, by name: each mesh of the module may number them otherwise.
//
//   AskedAxes asked(log, {{"a"}, {"c", 2, 2}});
//   asked.In(mesh_id, 1);          // c:(2)2 as an axis of that mesh; none if it has no such axis
//   asked.Among(sharding, dim, i)  // does the dimension have a part of axis i?

#ifndef TESSERA_SHARDING_EXPLAIN_WHYNOT_ASKED_AXES_H_
#define TESSERA_SHARDING_EXPLAIN_WHYNOT_ASKED_AXES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tessera/sharding/explain/event_log.h"

namespace tessera::sharding::explain {

struct AskedAxis {
  std::string name;
  int64_t pre = 1;
  int64_t size = 0;  // 0: the whole axis
};

class AskedAxes {
 public:
  AskedAxes(const EventLog& log, const std::vector<AskedAxis>& axes);

  int size() const { return static_cast<int>(axes_.size()); }
  const AskedAxis& operator[](int i) const { return axes_[static_cast<size_t>(i)]; }
  // None if the mesh has no axis of that name.
  std::optional<AxisRef> In(MeshId mesh, int i) const {
    if (mesh == kNoMesh) return std::nullopt;
    return by_mesh_[mesh][static_cast<size_t>(i)];
  }
  bool Among(const TensorSharding& sharding, int dim, int i) const;

 private:
  std::vector<AskedAxis> axes_;
  std::vector<std::vector<std::optional<AxisRef>>> by_mesh_;
};

}  // namespace tessera::sharding::explain

#endif  // TESSERA_SHARDING_EXPLAIN_WHYNOT_ASKED_AXES_H_
