// The array that `tessera project` looks at, and the regions that a block of it needs.

#ifndef TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REGIONS_H_
#define TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REGIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tessera/hlo/module.h"
#include "tessera/projection/partition/incremental.h"
#include "tessera/projection/signature/signature.h"
#include "tessera/projection/signatures/signature_of.h"

namespace tessera::pipeline {

struct ProjectedOperand {
  std::string name;  // with {leaf} where the operand has several arrays
  std::string role;  // "lhs", "init", ..; empty for an operand without one
  std::string type;  // f32[8,6]
  projection::ZPoint shape;
  projection::Need need;
  int64_t bytes = 0;  // of the need
  // Of a device.
  std::optional<projection::ZRange> own;
  projection::ZSet missing;
  int64_t missing_bytes = 0;
};

struct ProjectedBlock {
  projection::ZRange block;
  std::vector<ProjectedOperand> operands;
  int64_t written_bytes = 0;
};

// Which array of which instruction is looked at.
struct ArrayRef {
  const hlo::Module& module;
  hlo::InstructionId id;
  int leaf;

  const layout::Shape& shape() const {
    return *projection::ArrayLeaves(module.shape(id))[static_cast<size_t>(leaf)];
  }
  bool has_array() const { return !projection::ArrayLeaves(module.shape(id)).empty(); }
  absl::StatusOr<projection::Signature> SignatureOf(bool split = false) const {
    return projection::SignatureOf(module, id, {leaf, split});
  }
};

// "dot.3", or "while.6{1}" for one of several arrays.
std::string ArrayName(const hlo::Module& module, hlo::InstructionId id, size_t leaf, size_t arrays);
std::string NameOf(const ArrayRef& of);

// Of each entry of the signature: what it is called, and its shape.
struct Entry {
  std::string name;
  hlo::InstructionId operand;
  int leaf;
  const layout::Shape* shape;
};
std::vector<Entry> EntriesOf(const ArrayRef& of);

projection::ElementBytes ElementBytesOf(const ArrayRef& of, const projection::Signature& s);

absl::StatusOr<ProjectedBlock> Regions(const ArrayRef& of, const projection::Signature& s,
                                       const projection::ZRange& block);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_PROJECT_PROJECT_REGIONS_H_
