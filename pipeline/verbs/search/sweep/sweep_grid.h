// The variants of a sweep: every mesh with every combination of alternatives.
//
//   TESSERA_ASSIGN_OR_RETURN(const SweepGrid grid, ReadSweepGrid(arguments));
//   grid.size();            // 12: two meshes, and three ways of one annotation by two of another
//   grid.Of(5);             // mesh and annotations of the sixth
//
// The last alternatives change fastest, meshes slowest. The command line (--mesh, --annotate,
// --try) and the file of --grid (sweep_grid.proto) make one grid. Tested by sweep_verb_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_GRID_H_
#define TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_GRID_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/pipeline/command_line/verb.h"
#include "tessera/pipeline/pattern_annotation.h"
#include "tessera/pipeline/verbs/search/variants/variant_cost.h"
#include "tessera/sharding/mesh.h"
#include "tessera/text/source.h"

namespace tessera::pipeline {

class SweepGrid {
 public:
  static constexpr size_t kMaxVariants = 10000000;

  size_t size() const;
  Variant Of(size_t number) const;

  // The module has something for each pattern, and the machine a place for each device of some
  // mesh. Errors have the place in the grid's file, or the flag.
  absl::Status Check(const hlo::Module& module, const std::string& topology) const;
  // The same where every mesh has another number of devices than the target.
  absl::Status CheckDevices(absl::string_view target, int64_t devices) const;

 private:
  friend absl::StatusOr<SweepGrid> ReadSweepGrid(const Arguments& arguments);
  friend class GridReader;

  struct Said {
    std::string flag;   // "--mesh=data=3"; empty: in the file
    size_t offset = 0;  // in the file
  };
  struct SaidMesh {
    sharding::Mesh mesh;
    Said said;
  };
  struct Alternatives {
    std::vector<std::optional<PatternAnnotation>> choices;
    Said said;
  };

  // The error of the first mesh. OK where one passes: the variants of the others are refused one by one.
  absl::Status FirstIfAllFail(absl::FunctionRef<absl::Status(const SaidMesh& mesh)> check) const;
  absl::Status ErrorAt(const Said& said, absl::string_view message) const;

  std::vector<SaidMesh> meshes_;
  std::vector<Alternatives> alternatives_;  // what is in every variant has one choice
  std::shared_ptr<const text::Source> file_;
};

// --mesh, --annotate and --try, and the file of --grid.
absl::StatusOr<SweepGrid> ReadSweepGrid(const Arguments& arguments);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_SEARCH_SWEEP_SWEEP_GRID_H_
