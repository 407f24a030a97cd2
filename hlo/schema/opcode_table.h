// Facts about opcodes, or about attributes, in rows for some of them; looked up by number in a table
// that the compiler makes.
//
//   constexpr OpcodeTable<int> kTable({{Opcode::kPad, 2}, {Opcode::kSort, 1}});
//   kTable[Opcode::kPad];            // 2
//   kTable[Opcode::kAdd];            // 0: Value()
//   kTable.Contains(Opcode::kAdd);   // false

#ifndef TESSERA_HLO_SCHEMA_OPCODE_TABLE_H_
#define TESSERA_HLO_SCHEMA_OPCODE_TABLE_H_

#include <cstddef>

#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"

namespace tessera::hlo {

template <typename Key, int kNumKeys, typename Value>
class EnumTable {
 public:
  struct Row {
    Key key;
    Value value;
  };

  template <size_t kNumRows>
  constexpr explicit EnumTable(const Row (&rows)[kNumRows]) {
    for (const Row& row : rows) {
      values_[static_cast<size_t>(row.key)] = row.value;
      has_row_[static_cast<size_t>(row.key)] = true;
    }
  }

  constexpr const Value& operator[](Key key) const { return values_[static_cast<size_t>(key)]; }
  constexpr bool Contains(Key key) const { return has_row_[static_cast<size_t>(key)]; }

 private:
  Value values_[kNumKeys] = {};
  bool has_row_[kNumKeys] = {};
};

template <typename Value>
using OpcodeTable = EnumTable<Opcode, kNumOpcodes, Value>;
template <typename Value>
using AttributeTable = EnumTable<AttributeName, kNumAttributeNames, Value>;

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_SCHEMA_OPCODE_TABLE_H_
