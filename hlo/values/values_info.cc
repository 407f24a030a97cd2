#include <cstdlib>

#include "tessera/hlo/schema/name_table.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {

bool ReadFrontendAttributes(Reader& in, std::vector<FrontendEntry>* entries) {
  if (!in.Expect('{', "to start frontend attributes")) return false;
  if (in.Eat('}')) return true;
  do {
    FrontendEntry entry;
    if (!in.ReadAttributeName(&entry.key)) return in.Fail("expected key=");
    if (in.Peek() == '{') {
      if (!in.ReadJson(&entry.value)) return in.Fail("expected balanced braces");
    } else if (!in.ReadString(&entry.value)) {
      return in.FailAtName("the value of a frontend attribute is a string or stands in braces");
    }
    entries->push_back(entry);
  } while (in.Eat(','));
  return in.Expect('}', "to end frontend attributes");
}

bool ReadBackendConfig(Reader& in, absl::string_view* token) {
  if (in.Peek() == '{') return in.ReadJson(token) || in.Fail("expected balanced braces");
  if (in.Peek() != '"' && in.Peek() != '\'') {
    return in.FailAtName("backend_config is a string or stands in braces");
  }
  return in.ExpectString(token);
}

namespace {

constexpr absl::string_view kMetadataNames[] = {
    "op_type",         "op_name",           "source_file",    "deduplicated_name",
    "scheduling_name", "metadata_payload",  "source_line",    "source_end_line",
    "source_column",   "source_end_column", "stack_frame_id", "profile_type"};
constexpr NameTable<12> kMetadataFields(kMetadataNames);
constexpr int kPayload = 5, kFirstNumber = 6, kProfileType = 11;

std::string* MetadataString(Metadata* m, int field) {
  std::string* const strings[] = {&m->op_type, &m->op_name, &m->source_file, &m->deduplicated_name,
                                  &m->scheduling_name};
  return strings[field];
}

int64_t* MetadataNumber(Metadata* m, int field) {
  int64_t* const numbers[] = {&m->source_line, &m->source_end_line, &m->source_column,
                              &m->source_end_column, &m->stack_frame_id};
  return numbers[field - kFirstNumber];
}

bool ReadMetadataString(Reader& in, int field, Metadata* metadata) {
  absl::string_view token;
  if (!in.ExpectString(&token)) return false;
  if (metadata == nullptr) return true;
  std::string value = UnquoteString(token).value_or("");
  if (field == kPayload) {
    metadata->payload = std::move(value);
  } else {
    *MetadataString(metadata, field) = std::move(value);
  }
  return true;
}

// `bad_profile` says that a number of profile_type is none: known only at the closing brace.
bool ReadMetadataField(Reader& in, int field, Metadata* metadata, bool* bad_profile) {
  if (field < kFirstNumber) return ReadMetadataString(in, field, metadata);
  if (field != kProfileType) {
    int64_t value = 0;
    if (!ReadInt32(in, &value)) return false;
    if (metadata != nullptr) *MetadataNumber(metadata, field) = value;
    return true;
  }
  IntList types;
  if (!ReadInts(in, &types)) return false;
  for (int64_t type : types) *bad_profile |= type < 0 || type > 3;
  if (metadata != nullptr) metadata->profile_type = types;
  return true;
}

}  // namespace

bool ReadMetadata(Reader& in, Metadata* metadata) {
  if (!in.Expect('{', "to start metadata")) return false;
  unsigned seen = 0;
  bool bad_profile = false;
  while (!in.Eat('}')) {
    in.Eat(',');
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected a field of metadata or '}'");
    const int field = kMetadataFields.Find(name);
    if (field < 0) return in.FailAt(at, absl::StrCat("metadata has no field '", name, "'"));
    if ((seen >> field) & 1) return in.FailAt(at, absl::StrCat("second '", name, "' in metadata"));
    seen |= 1u << field;
    if (!ReadMetadataField(in, field, metadata, &bad_profile)) return false;
  }
  return bad_profile ? in.FailAtName("profile_type has entries from 0 to 3") : true;
}

bool ReadStatistics(Reader& in, Statistics* statistics) {
  if (!in.Expect('{', "to start statistics")) return false;
  if (in.Eat('}')) return true;
  statistics->empty = false;
  bool first = true;
  do {
    absl::string_view name, number;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected name=");
    if (first) {
      if (!in.ReadInt(&statistics->visualizing_index)) {
        return in.FailAtName("the first value says which statistic to visualize, an integer");
      }
    } else if (!in.ReadNumber(&number)) {
      return in.FailAtName("a statistic is a number");
    } else {
      statistics->values.emplace_back(name, std::strtod(std::string(number).c_str(), nullptr));
    }
    first = false;
  } while (in.Eat(','));
  return in.Expect('}', "to end statistics");
}

}  // namespace tessera::hlo
