// One attribute as XLA prints it.
//
//   FormatAttribute(module, id, AttributeName::kDimensions, options);   // "dimensions={1,0}"

#ifndef TESSERA_HLO_PRINT_ATTRIBUTE_PRINTER_H_
#define TESSERA_HLO_PRINT_ATTRIBUTE_PRINTER_H_

#include <optional>
#include <string>

#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"
#include "tessera/sharding/hlo_sharding.h"

namespace tessera::hlo {

// `name=value`, brought into XLA's form; nullopt when XLA prints nothing: absent, or equal to a
// default that is left out. Attributes that name instructions, computations or stack frames
// (to_apply, control-predecessors, metadata, ..) are not printed here.
std::optional<std::string> FormatAttribute(const Module& module, InstructionId id,
                                           AttributeName name, const PrintOptions& options);

// The value alone of metadata={..}; `stack_frame_id` replaces the one in it. Empty when XLA drops
// the metadata.
std::string FormatMetadata(const Module& module, InstructionId id, int64_t stack_frame_id);

// `{a="b"}` with sorted keys; empty for no entries.
std::string FormatSortedFrontendAttributes(
    std::vector<std::pair<std::string, std::string>> attributes);

// A sharding in canonical form, spread over the elements of a tuple shape.
std::string FormatSharding(absl::string_view text, const layout::Shape& shape,
                           const sharding::HloShardingForm& form);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_ATTRIBUTE_PRINTER_H_
