// The header attribute `origin_recovery_table`. An entry names an array of the program as it was
// read and an array of today. It may have a module that computes the first from the second.
//
//   origin_recovery_table={
//     {"old" {0}} : {"new" {1}},
//     "HloModule recovery ..."
//   }
//
//   std::vector<RecoveryEntry> table = RecoveryTableOf(module);
//   table[0].old_array.name;      // "old"

#ifndef TESSERA_HLO_VALUES_RECOVERY_TABLE_H_
#define TESSERA_HLO_VALUES_RECOVERY_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/reader.h"

namespace tessera::hlo {

struct OriginalArray {
  std::string name;
  std::vector<int64_t> index;  // of a tuple
};

struct RecoveryEntry {
  OriginalArray old_array, new_array;
  std::string module;  // HLO text; empty: none
};

// `{"name" {1,2}}`, and `{}` for an array without a name.
bool ReadOriginalArray(Reader& in, OriginalArray* array);
// In the order of the text; false after a mistake, which waits in `in`. Whether the modules can be
// read is not looked at.
bool ReadRecoveryTable(Reader& in, std::vector<RecoveryEntry>* table);

// As XLA holds it: in the order of the old arrays, of several entries for one the first.
std::vector<RecoveryEntry> RecoveryTableOf(const Module& module);

// `{"name" {1,2}}` of a name as it is to stand between the quotes.
std::string OriginalArrayText(absl::string_view name, const std::vector<int64_t>& index);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_RECOVERY_TABLE_H_
