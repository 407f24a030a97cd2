#include "tessera/hlo/values/recovery_table.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
bool ReadQuoted(Reader& in, std::string* text) {
  absl::string_view token;
  if (!in.ExpectString(&token)) return false;
  auto unquoted = UnquoteString(token);
  if (!unquoted.has_value()) return in.Fail("bad escape in a string");
  *text = *std::move(unquoted);
  return true;
}

bool ReadOriginalArray(Reader& in, OriginalArray* array) {
  if (!in.Expect('{')) return false;
  if (in.Eat('}')) return true;
  if (!ReadQuoted(in, &array->name)) return false;
  IntList index;
  if (in.Peek() == '{' && !ReadInts(in, &index)) return false;
  array->index.assign(index.begin(), index.end());
  return in.Expect('}');
}

bool ReadRecoveryTable(Reader& in, std::vector<RecoveryEntry>* table) {
  if (!in.Expect('{', "to start the recovery table")) return false;
  while (!in.Eat('}')) {
    RecoveryEntry& entry = table->emplace_back();
    if (!ReadOriginalArray(in, &entry.old_array) || !in.Expect(':') ||
        !ReadOriginalArray(in, &entry.new_array)) {
      return false;
    }
    if (in.Eat(',') && !ReadQuoted(in, &entry.module)) return false;
  }
  return true;
}

std::vector<RecoveryEntry> RecoveryTableOf(const Module& module) {
  const absl::string_view text = module.header().origin_recovery_table;
  if (text.empty()) return {};
  std::vector<RecoveryEntry> written;
  Reader in(text, 0, text.size());
  if (!ReadRecoveryTable(in, &written)) return {};
  std::map<std::pair<std::string, std::vector<int64_t>>, RecoveryEntry> sorted;
  for (RecoveryEntry& entry : written) {
    const std::pair key(entry.old_array.name, entry.old_array.index);
    sorted.try_emplace(key, std::move(entry));
  }
  std::vector<RecoveryEntry> table;
  for (auto& [key, entry] : sorted) table.push_back(std::move(entry));
  return table;
}

std::string OriginalArrayText(absl::string_view name, const std::vector<int64_t>& index) {
  const std::string place = index.empty() ? "" : absl::StrCat(" {", absl::StrJoin(index, ","), "}");
  return absl::StrCat("{\"", name, "\"", place, "}");
}

}  // namespace tessera::hlo
