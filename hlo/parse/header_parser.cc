// `HloModule name, attribute=value, ...`

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/hlo/values/recovery_table.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {

bool ModuleParser::ReadHeader() {
  if (!in_.EatWord("HloModule")) return true;
  if (!in_.ReadName(&module_.header_.name)) return in_.Fail("expected the name of the module");
  while (in_.Eat(',')) {
    if (!ReadHeaderAttribute()) return false;
  }
  return true;
}

bool ModuleParser::ReadHeaderAttribute() {
  const char* at = in_.at();
  absl::string_view name;
  if (!in_.ReadAttributeName(&name)) return in_.Fail("expected an attribute of the module");
  for (const HeaderAttribute& other : module_.header_attributes_) {
    if (other.name == name) return in_.FailAt(at, absl::StrCat("second attribute '", name, "'"));
  }
  const uint32_t value = in_.offset();
  const char* value_at = in_.at();
  if (!ReadHeaderValue(name)) {
    if (in_.error().offset == Reader::kAtAttributeName) in_.SetErrorOffset(in_.OffsetOf(at));
    if (!in_.failed() || in_.at() == value_at) in_.FailAt(at, absl::StrCat("bad value of ", name));
    return false;
  }
  module_.header_attributes_.push_back(
      {name, {in_.OffsetOf(at), in_.last_end_offset()}, {value, in_.last_end_offset()}});
  return true;
}

bool ModuleParser::ReadHeaderValue(absl::string_view name) {
  ModuleHeader& h = module_.header_;
  if (name == "is_scheduled") return ReadBool(in_, &h.is_scheduled);
  if (name == "replica_count") return in_.ExpectInt(&h.replica_count);
  if (name == "num_partitions") return in_.ExpectInt(&h.num_partitions);
  if (name == "alias_passthrough_params") return ReadBool(in_, &h.alias_passthrough_params);
  if (name == "input_output_alias") return ReadAliases();
  if (name == "buffer_donor") return ReadDonors();
  if (name == "entry_computation_layout") return ReadEntryLayout();
  if (name == "frontend_attributes") return ReadFrontend();
  if (name == "allow_spmd_sharding_propagation_to_parameters") {
    return ReadBoolOrList(&h.spmd_propagation_to_parameters);
  }
  if (name == "allow_spmd_sharding_propagation_to_output") {
    return ReadBoolOrList(&h.spmd_propagation_to_output);
  }
  if (name == "origin_recovery_table") return ReadRecoveryTable();
  if (name == "debug_attributes") return ReadDebugAttributes();
  if (name == "backend_config") return ReadConfig(&h.backend_config);
  return in_.FailAtName(absl::StrCat(
      "a module has no attribute '", name,
      "'; there are alias_passthrough_params, allow_spmd_sharding_propagation_to_output, "
      "allow_spmd_sharding_propagation_to_parameters, backend_config, buffer_donor, "
      "debug_attributes, entry_computation_layout, frontend_attributes, input_output_alias, "
      "is_scheduled, num_partitions, origin_recovery_table, replica_count"));
}

bool ModuleParser::ReadShapeIndex(std::vector<int64_t>* index) {
  IntList values;
  if (!ReadInts(in_, &values)) return false;
  index->assign(values.begin(), values.end());
  return true;
}

bool ModuleParser::ReadAliases() {
  if (!in_.Expect('{', "to start the aliases")) return false;
  if (in_.Eat('}')) return true;
  do {
    AliasEntry entry;
    if (!ReadShapeIndex(&entry.output_index) || !in_.Expect(':')) return false;
    if (!in_.Expect('(') || !in_.ExpectInt(&entry.parameter_number) || !in_.Expect(',')) {
      return false;
    }
    if (!ReadShapeIndex(&entry.parameter_index)) return false;
    if (in_.Eat(',')) {
      absl::string_view word;
      const char* at = in_.at();
      if (!in_.ReadIdentifier(&word) || (word != "may-alias" && word != "must-alias")) {
        if (!word.empty() && in_.at() != at) at = in_.at();
        return in_.FailAt(at, "an alias is may-alias or must-alias");
      }
      if (word == "must-alias") entry.kind = AliasEntry::Kind::kMustAlias;
    }
    if (!in_.Expect(')', "to end an alias")) return false;
    module_.header_.input_output_alias.push_back(std::move(entry));
  } while (in_.Eat(','));
  return in_.Expect('}', "to end the aliases");
}

bool ModuleParser::ReadDonors() {
  if (!in_.Expect('{', "to start the donors")) return false;
  if (in_.Eat('}')) return true;
  do {
    BufferDonor& donor = module_.header_.buffer_donor.emplace_back();
    if (!in_.Expect('(') || !in_.ExpectInt(&donor.parameter_number) || !in_.Expect(',') ||
        !ReadShapeIndex(&donor.parameter_index) || !in_.Expect(')')) {
      return false;
    }
  } while (in_.Eat(','));
  return in_.Expect('}', "to end the donors");
}

bool ModuleParser::ReadEntryLayout() {
  EntryLayout layout;
  if (!in_.Expect('{', "to start the entry layout")) return false;
  if (!in_.Expect('(', "to start the shapes of the parameters")) return false;
  while (in_.Peek() != ')') {
    if (!layout.parameters.empty() && !in_.Expect(',', "between the shapes of parameters")) {
      return false;
    }
    ShapeId shape = 0;
    if (!shapes_.Read(in_, &shape)) return false;
    layout.parameters.push_back(shape);
  }
  if (!in_.Expect(')', "to end the shapes of the parameters")) return false;
  if (!in_.EatArrow()) return in_.Fail("expected '->' and the shape of the result");
  if (!shapes_.Read(in_, &layout.result)) return false;
  module_.header_.entry_layout = std::move(layout);
  return in_.Expect('}', "to end the entry layout");
}

bool ModuleParser::ReadFrontend() {
  std::vector<FrontendEntry> entries;
  if (!ReadFrontendAttributes(in_, &entries)) return false;
  for (const FrontendEntry& e : entries) {
    module_.header_.frontend_attributes.emplace_back(e.key, DecodeFrontendValue(e.value));
  }
  return true;
}

bool ModuleParser::ReadConfig(std::string* config) {
  absl::string_view token;
  if (!ReadBackendConfig(in_, &token)) return false;
  *config = UnquoteString(token).value_or(std::string(token));
  return true;
}

bool ModuleParser::ReadBoolOrList(std::vector<bool>* values) {
  std::vector<bool> list;
  bool value = false;
  if (in_.Peek() == '{') {
    if (!ReadBools(in_, &list)) return false;
  } else if (!ReadBool(in_, &value)) {
    return false;
  } else {
    list.push_back(value);
  }
  if (!list.empty()) *values = std::move(list);
  return true;
}

namespace {

bool ReadDebugOptions(Reader& in) {
  const bool bracket = in.Eat('(');
  do {
    const bool brace = in.Eat('{');
    do {
      absl::string_view name, word;
      int64_t number = 0;
      if (!in.ReadAttributeName(&name)) return in.Fail("expected an option of debug_attributes");
      if (!in.ReadIdentifier(&word) && !in.ReadInt(&number) && !in.EatWord("true") &&
          !in.EatWord("false")) {
        return in.Fail("expected a value");
      }
    } while (in.Eat(','));
    if (brace && !in.Expect('}')) return false;
  } while (bracket && in.Eat(','));
  return !bracket || in.Expect(')');
}

bool CanBeRead(const std::string& text) {
  const auto source = text::Source::FromString("<recovery>", text);
  text::Diagnostics diagnostics;
  ModuleParser(source, 0, source->text().size(), &diagnostics).Parse(/*several=*/false);
  return diagnostics.ok();
}

}  // namespace

bool ModuleParser::ReadRecoveryTable() {
  const char* begin = in_.at();
  std::vector<RecoveryEntry> table;
  if (!hlo::ReadRecoveryTable(in_, &table)) return false;
  for (const RecoveryEntry& entry : table) {
    if (!entry.module.empty() && !CanBeRead(entry.module)) {
      return in_.FailAt(begin, absl::StrCat("the module that recovers '", entry.old_array.name,
                                            "' has mistakes"));
    }
  }
  module_.header_.origin_recovery_table = in_.TextFrom(begin);
  return true;
}

bool ModuleParser::ReadDebugAttributes() {
  const char* begin = in_.at();
  if (!in_.Expect('{', "to start debug_attributes")) return false;
  while (!in_.Eat('}')) {
    OriginalArray array;
    if (!ReadOriginalArray(in_, &array) || !in_.Expect(':') || !ReadDebugOptions(in_)) return false;
    in_.Eat(',');
  }
  module_.header_.debug_attributes = in_.TextFrom(begin);
  return true;
}

}  // namespace tessera::hlo
