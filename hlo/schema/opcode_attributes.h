// The attributes of each opcode, and the form of each attribute's value.
//
//   OpcodeAttributes(Opcode::kTranspose)[0];        // dimensions, required
//   SyntaxOf(AttributeName::kDimensions, Opcode::kTranspose);             // AttributeSyntax::kInts

#ifndef TESSERA_HLO_SCHEMA_OPCODE_ATTRIBUTES_H_
#define TESSERA_HLO_SCHEMA_OPCODE_ATTRIBUTES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"

namespace tessera::hlo {

enum class AttributeSyntax : uint8_t {
  kInt,
  kInt32,
  kFloat,
  kBool,
  kString,
  kInts,      // {1,0}
  kIntLists,  // {{0,1},{1,0}}
  kBools,     // {true,false}
  kEnum,      // one of an enumeration
  kWords,     // {high,highest}
  kComputation,
  kComputations,
  kInstructions,  // names of earlier instructions
  kShape,
  kShapes,
  kLiteral,  // shape and literal
  kSharding,
  kFrontendAttributes,
  kStatistics,
  kOrigin,
  kMetadata,
  kBackendConfig,
  kWindow,
  kDimLabels,
  kPadding,
  kSlice,
  kReplicaGroups,
  kAliasing,
  kDomain,
  kResultAccuracy,
  kSparsity,
};

struct OpcodeAttribute {
  AttributeName name;
  bool required;  // the text must give it
};

// In the order in which XLA prints them, called computations last. Of conditional: those of both
// kinds of index.
absl::Span<const OpcodeAttribute> OpcodeAttributes(Opcode opcode);

// True for the common attributes and for the opcode's own.
bool AllowsAttribute(Opcode opcode, AttributeName name);

AttributeSyntax SyntaxOf(AttributeName name, Opcode opcode);

// The words that an enumeration knows; empty for attributes that are none. `ignore_case` says how
// they are read.
struct Enumeration {
  absl::Span<const absl::string_view> words;
  bool ignore_case = false;
};
Enumeration EnumValuesOf(AttributeName name, Opcode opcode);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SCHEMA_OPCODE_ATTRIBUTES_H_
