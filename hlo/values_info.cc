#include <algorithm>
#include <cstdlib>

#include "tessera/hlo/name_table.h"
#include "tessera/hlo/values.h"

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
      if (!in.ExpectInt(&statistics->visualizing_index)) return false;
    } else if (!in.ReadNumber(&number)) {
      return in.FailAtName("a statistic is a number");
    } else {
      statistics->values.emplace_back(name, std::strtod(std::string(number).c_str(), nullptr));
    }
    first = false;
  } while (in.Eat(','));
  return in.Expect('}', "to end statistics");
}

namespace {

constexpr int kMostNested = 1000;

bool ReadOriginTuple(Reader& in, OriginTree* tree, int depth);

bool ReadOriginLeaf(Reader& in, OriginTree* tree) {
  if (!in.Expect('{')) return false;
  tree->kind = OriginTree::Kind::kEmptyLeaf;
  if (in.Eat('}')) return true;
  tree->kind = OriginTree::Kind::kLeaf;
  absl::string_view token;
  if (!in.ExpectString(&token)) return false;
  tree->name = token.substr(1, token.size() - 2);
  if (in.Peek() == '{' && !ReadInts(in, &tree->index)) return false;
  return in.Expect('}', "to end an original array");
}

bool ReadOriginTree(Reader& in, OriginTree* tree, int depth) {
  if (depth > kMostNested) return in.Fail("tuples are nested too deeply");
  return in.Peek() == '(' ? ReadOriginTuple(in, tree, depth) : ReadOriginLeaf(in, tree);
}

bool ReadOriginTuple(Reader& in, OriginTree* tree, int depth) {
  if (!in.Expect('(')) return false;
  tree->kind = OriginTree::Kind::kTuple;
  if (in.Eat(')')) return true;
  do {
    if (!ReadOriginTree(in, &tree->elements.emplace_back(), depth + 1)) return false;
  } while (in.Eat(','));
  return in.Expect(')', "to end a tuple of original arrays");
}

}  // namespace

bool ReadOrigin(Reader& in, OriginTree* tree) {
  if (!in.Expect('{', "to start an origin")) return false;
  if (in.Eat('}')) return true;
  if (in.Eat('[')) {
    tree->kind = OriginTree::Kind::kSyntheticCall;
    if (!in.EatWord("synthetic_call")) return in.Fail("expected synthetic_call");
    return in.Expect(']') && in.Expect('}');
  }
  if (in.Peek() != '{' && in.Peek() != '(') {
    return in.Fail("expected an original array {\"name\"} or a tuple of them");
  }
  return ReadOriginTree(in, tree, 0) && in.Expect('}', "to end an origin");
}

bool ReadDomain(Reader& in, Domain* domain) {
  const char* open = in.at();
  if (!in.Expect('{', "to start a domain")) return false;
  absl::string_view kind;
  while (!in.Eat('}')) {
    in.Eat(',');
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected kind=, entry= or exit=");
    if (name == "kind") {
      if (!kind.empty()) return in.FailAt(at, "second 'kind' in a domain");
      if (!in.ExpectString(&kind)) return false;
      continue;
    }
    if (name != "entry" && name != "exit") {
      return in.FailAt(at, absl::StrCat("a domain has no field '", name, "'"));
    }
    absl::string_view& value = name == "entry" ? domain->entry : domain->exit;
    if (!value.empty()) return in.FailAt(at, absl::StrCat("second '", name, "' in a domain"));
    if (!ReadBalanced(in, &value)) return false;
  }
  if (kind.empty() || domain->entry.empty() || domain->exit.empty()) {
    return in.FailAt(open, "a domain needs kind=, entry= and exit=");
  }
  if (UnquoteString(kind) == "sharding") return true;
  return in.Fail("the kind of a domain is \"sharding\"");
}

namespace {

bool ReadDouble(Reader& in, double* value) {
  absl::string_view token;
  if (!in.ReadNumber(&token)) return in.Fail("expected a number");
  *value = std::strtod(std::string(token).c_str(), nullptr);
  return true;
}

bool ReadTolerance(Reader& in, ResultAccuracy* accuracy) {
  if (!in.Expect('{', "to start a tolerance")) return false;
  accuracy->has_tolerance = true;
  if (in.Eat('}')) return true;
  do {
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected atol=, rtol= or ulps=");
    const bool good = name == "atol"   ? ReadDouble(in, &accuracy->atol)
                      : name == "rtol" ? ReadDouble(in, &accuracy->rtol)
                      : name == "ulps" ? in.ExpectInt(&accuracy->ulps)
                                       : in.FailAt(at, "expected atol=, rtol= or ulps=");
    if (!good) return false;
  } while (in.Eat(','));
  return in.Expect('}', "to end a tolerance");
}

}  // namespace

bool ReadResultAccuracy(Reader& in, ResultAccuracy* accuracy) {
  static constexpr absl::string_view kModes[] = {"default", "highest"};
  if (!in.Expect('{', "to start a result accuracy")) return false;
  const char* at = in.at();
  absl::string_view name, word;
  if (!in.ReadAttributeName(&name)) return in.Fail("expected mode= or tolerance=");
  if (name == "mode") {
    if (!ReadEnumeration(in, kModes, true, "mode", &word)) return false;
    accuracy->highest = word == "highest";
  } else if (name != "tolerance") {
    return in.FailAt(at, "expected mode= or tolerance=");
  } else if (!ReadTolerance(in, accuracy)) {
    return false;
  }
  return in.Expect('}', "to end a result accuracy");
}

namespace {

bool ReadSparsitySide(Reader& in, SparsityConfig::Side* side) {
  if (!in.Expect('{', "to start one side of a sparsity")) return false;
  side->present = true;
  while (!in.Eat('}')) {
    const char* at = in.at();
    absl::string_view name, token;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected sparsity=, dimension= or stride=");
    if (name == "dimension" || name == "stride") {
      if (!in.ExpectInt(name == "stride" ? &side->stride : &side->dimension)) return false;
      continue;
    }
    if (name != "sparsity") return in.FailAt(at, "expected sparsity=, dimension= or stride=");
    const char* value = in.at();
    if (!in.ReadIntOrDxD(&token)) return in.Fail("expected sparsity such as 1x4");
    const size_t x = token.find('x');
    if (x == absl::string_view::npos || token.find('x', x + 1) != absl::string_view::npos) {
      return in.FailAt(value, "expected sparsity such as 1x4");
    }
    side->num_non_zero = ParseIntToken(token.substr(0, x)).value_or(0);
    side->block_size = ParseIntToken(token.substr(x + 1)).value_or(0);
  }
  return true;
}

}  // namespace

bool ReadSparsity(Reader& in, SparsityConfig* config) {
  if (!in.Expect('{', "to start a sparsity config")) return false;
  while (!in.Eat('}')) {
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected lhs= or rhs=");
    if (name != "lhs" && name != "rhs") return in.FailAt(at, "expected lhs= or rhs=");
    if (!ReadSparsitySide(in, name == "lhs" ? &config->lhs : &config->rhs)) return false;
  }
  return true;
}

}  // namespace tessera::hlo
