#include "tessera/target/program/provenance.h"

#include <algorithm>
#include <utility>

#include "tessera/target/program/collectives.h"

namespace tessera::target {

Provenance::Provenance(const DeviceProgram& program) {
  for (InstructionId id = 0; id < program.module().num_instructions(); ++id) {
    if (IsCollective(program.opcode(id))) origins_[id] = {{{program.shape(id), {id}}}, ""};
  }
}

void Provenance::Set(absl::string_view pass, const DeviceProgram& program, InstructionId made,
                     absl::Span<const InstructionId> from) {
  CollectivePart part = {program.shape(made), {}};
  for (const InstructionId id : from) {
    for (const CollectivePart& old : Of(id).parts) {
      part.sources.insert(part.sources.end(), old.sources.begin(), old.sources.end());
    }
  }
  std::sort(part.sources.begin(), part.sources.end());
  part.sources.erase(std::unique(part.sources.begin(), part.sources.end()), part.sources.end());
  origins_[made] = {{std::move(part)}, pass};
}

void Provenance::Combine(absl::string_view pass, InstructionId made,
                         absl::Span<const InstructionId> from) {
  CollectiveOrigin origin = {{}, pass};
  for (const InstructionId id : from) {
    const std::vector<CollectivePart>& parts = Of(id).parts;
    origin.parts.insert(origin.parts.end(), parts.begin(), parts.end());
  }
  origins_[made] = std::move(origin);
}

void Provenance::Copy(InstructionId original, InstructionId copy) {
  const auto found = origins_.find(original);
  if (found == origins_.end()) return;
  CollectiveOrigin origin = found->second;
  origins_[copy] = std::move(origin);
}

const CollectiveOrigin& Provenance::Of(InstructionId id) const {
  static const CollectiveOrigin* const kNone = new CollectiveOrigin();
  const auto found = origins_.find(id);
  return found == origins_.end() ? *kNone : found->second;
}

}  // namespace tessera::target
