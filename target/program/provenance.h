// Where the collectives of a program come from.
//
//   Provenance origins(program);                   // each collective of the module: from itself
//   origins.Set("reduce-scatter-creator", scatter, {all_reduce});
//   origins.Of(scatter).made_by;                   // "reduce-scatter-creator"
//   origins.Of(scatter).parts[0].sources;          // {all_reduce}: ids of the module as it was read
//
// A collective that stands for several keeps a part for each, with the array that it moves. Tested
// by provenance_test.cc.

#ifndef TESSERA_TARGET_PROGRAM_PROVENANCE_H_
#define TESSERA_TARGET_PROGRAM_PROVENANCE_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tessera/layout/shape.h"
#include "tessera/target/program/device_program.h"

namespace tessera::target {

// One array of a collective.
struct CollectivePart {
  layout::Shape shape;                 // of the result, before anything was combined
  std::vector<InstructionId> sources;  // collectives of the partitioned module, each once
};

struct CollectiveOrigin {
  std::vector<CollectivePart> parts;
  absl::string_view made_by;  // a pass; empty: the partitioner
};

class Provenance {
 public:
  explicit Provenance(const DeviceProgram& program);

  // `made` does the work of `from`, all of them at once: one part, with all their sources.
  void Set(absl::string_view pass, const DeviceProgram& program, InstructionId made,
           absl::Span<const InstructionId> from);
  // `made` moves what each of `from` moved: the parts of all of them.
  void Combine(absl::string_view pass, InstructionId made, absl::Span<const InstructionId> from);
  // `copy` stands for the same as `original`; nothing if that is no collective.
  void Copy(InstructionId original, InstructionId copy);

  // Empty for what is no collective.
  const CollectiveOrigin& Of(InstructionId id) const;

 private:
  absl::flat_hash_map<InstructionId, CollectiveOrigin> origins_;
};

}  // namespace tessera::target

#endif  // TESSERA_TARGET_PROGRAM_PROVENANCE_H_
