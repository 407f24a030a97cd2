// `xla.sdy.*` frontend attributes of a module, read into the program's tables.
//
//   SdyAttributeReader frontend(&program);
//   absl::Status meshes = frontend.ReadMeshes();
//   absl::StatusOr<ShardingId> s = frontend.ParameterSharding(parameter);
//   absl::StatusOr<SdyAttributeReader::List> list = frontend.ResultShardings(custom_call);
//
// Errors are InvalidArgument at the place of the instruction in the source. A value that reads, but
// as another kind of attribute (a list of shardings on a parameter), counts as absent.
//
// Equal texts are read once.

#ifndef TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_SDY_ATTRIBUTE_READER_H_
#define TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_SDY_ATTRIBUTE_READER_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/sharding/passes/program/hlo_program.h"
#include "tessera/sharding/sdy_resolve.h"

namespace tessera::sharding::passes {

// The data on a value that sharding/sdy_resolve.h needs. Points into the value's shape.
ValueType TypeOf(const Value& value);

class SdyAttributeReader {
 public:
  using List = std::vector<ShardingId>;

  explicit SdyAttributeReader(HloProgram* program) : program_(*program) {}

  // A mesh that replaces the module's meshes with axes; named `mesh` if there are none.
  void set_mesh(std::optional<Mesh> mesh) { mesh_ = std::move(mesh); }
  const std::optional<Mesh>& given_mesh() const { return mesh_; }
  // xla.sdy.meshes of the module, in order of their names.
  absl::Status ReadMeshes();
  // Of mistakes in annotations the first alone, with the axes that the given mesh does not have,
  // where the module's own has some: each annotation of such an axis is the same mistake.
  absl::Status WithMissingAxes(const absl::Status& mistakes) const;

  // xla.sdy.sharding of a parameter; kNoSharding if there is none.
  absl::StatusOr<ShardingId> ParameterSharding(hlo::InstructionId id);
  // xla.sdy.sharding of another instruction, one for each leaf of its shape; empty if there is
  // none.
  absl::StatusOr<List> ResultShardings(hlo::InstructionId id);
  // A list of shardings under another key.
  absl::StatusOr<List> ShardingList(hlo::InstructionId id, absl::string_view key);
  // The same for an attribute of the module.
  absl::StatusOr<List> ModuleShardings(absl::string_view key);
  // xla.sdy.manual_axes; empty if absent.
  absl::StatusOr<std::vector<std::string>> ManualAxes(hlo::InstructionId id);
  // `3 : i64`; nothing if absent.
  absl::StatusOr<std::optional<int64_t>> Integer(hlo::InstructionId id, absl::string_view key);

  // The module has an attribute of that key.
  bool ModuleHas(absl::string_view key) const;

  // InvalidArgument unless the sharding fits the value.
  absl::Status Check(ShardingId sharding, const Value& value, hlo::InstructionId at);
  absl::Status ErrorAt(hlo::InstructionId id, absl::string_view message) const;
  // The error at the first instruction whose attribute is `sharding`; at the meshes of the module
  // if there is none. Reads all attributes again.
  absl::Status ErrorWhere(ShardingId sharding, const absl::Status& status);

 private:
  // Decoded once, nothing if absent.
  std::optional<std::string> Text(hlo::InstructionId id, absl::string_view key) const;
  std::optional<std::string> ModuleText(absl::string_view key) const;
  absl::StatusOr<List> ParseList(const std::string& text);
  absl::StatusOr<ShardingId> ReadParameterSharding(hlo::InstructionId id);
  bool Says(hlo::InstructionId id, absl::string_view key, ShardingId sharding);
  absl::Status ErrorIn(hlo::InstructionId id, absl::string_view key,
                       const absl::Status& status) const;
  absl::Status ModuleError(absl::string_view key, const absl::Status& status) const;

  HloProgram& program_;
  std::optional<Mesh> mesh_;
  std::vector<std::string> missing_axes_;  // of the module's meshes, in quotes
  absl::flat_hash_map<std::string, ShardingId> single_;
  absl::flat_hash_map<std::string, List> lists_;
  // By the frontend attribute text of a parameter, and of another instruction with the key; most are equal.
  absl::flat_hash_map<absl::string_view, ShardingId> parameters_;
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, List> written_lists_;
  // The pairs that Check() accepted: the sharding of a value of this shape.
  absl::flat_hash_set<std::pair<ShardingId, const layout::Shape*>> checked_;
};

}  // namespace tessera::sharding::passes

#endif  // TESSERA_SHARDING_PASSES_IMPORT_ANNOTATIONS_SDY_ATTRIBUTE_READER_H_
