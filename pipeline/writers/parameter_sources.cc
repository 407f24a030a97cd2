#include "tessera/pipeline/writers/parameter_sources.h"

#include <cstddef>

namespace tessera::pipeline::writers {

std::vector<ParameterSource> SourcesOfParameters(const hlo::Module& before,
                                                 const sharding::passes::HloComputation& c) {
  std::vector<ParameterSource> sources(c.num_parameters);
  if (c.source == hlo::kNoId) return sources;
  for (hlo::InstructionId id : before.computation(c.source).instructions) {
    const hlo::Instruction& i = before.instruction(id);
    const auto number = static_cast<size_t>(i.parameter_number);
    if (i.opcode != hlo::Opcode::kParameter || number >= c.parameter_leaves.size()) continue;
    const sharding::passes::LeafMap& places = c.parameter_leaves[number];
    for (size_t leaf = 0; leaf < places.size(); ++leaf) {
      // The one parameter of a region has all leaves.
      const size_t place = c.is_region ? 0 : static_cast<size_t>(places[leaf]);
      if (places[leaf] < 0 || place >= sources.size()) continue;
      const bool is_named = sources[place].is_named || !c.is_region || places[leaf] < c.num_carried;
      sources[place] = {id, static_cast<int>(leaf), c.is_region ? &places : nullptr, is_named};
    }
  }
  return sources;
}

}  // namespace tessera::pipeline::writers
