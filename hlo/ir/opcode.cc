#include "tessera/hlo/opcode.h"

#include "tessera/hlo/schema/name_table.h"

namespace tessera::hlo {
namespace {

constexpr OpcodeInfo kOpcodes[] = {
#define TESSERA_HLO_OPCODE_INFO(id, name, operands, infer) {name, operands, infer},
    TESSERA_HLO_OPCODES(TESSERA_HLO_OPCODE_INFO)
#undef TESSERA_HLO_OPCODE_INFO
};

constexpr NameTable<kNumOpcodes> kOpcodeNames({
#define TESSERA_HLO_OPCODE_NAME(id, name, operands, infer) name,
    TESSERA_HLO_OPCODES(TESSERA_HLO_OPCODE_NAME)
#undef TESSERA_HLO_OPCODE_NAME
});

}  // namespace

const OpcodeInfo& GetOpcodeInfo(Opcode opcode) { return kOpcodes[static_cast<int>(opcode)]; }

std::optional<Opcode> OpcodeFromName(absl::string_view name) {
  const int number = kOpcodeNames.Find(name);
  if (number < 0) return std::nullopt;
  return static_cast<Opcode>(number);
}

}  // namespace tessera::hlo
