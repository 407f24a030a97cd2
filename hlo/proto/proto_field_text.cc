// The generic part of proto_fields.h: a field is found by its path and handled by its type.

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/proto/proto_fields.h"
#include "tessera/hlo/schema/opcode_attributes.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using S = AttributeSyntax;

namespace {

using Text = std::optional<std::string>;

const FieldDescriptor* FieldNamed(const Message& message, absl::string_view name) {
  return message.GetDescriptor()->FindFieldByName(std::string(name));
}

template <typename M>
struct Place {
  M* message;
  const FieldDescriptor* field;
};

Place<const Message> Find(const Message& instruction, absl::string_view path) {
  const Message* at = &instruction;
  const std::vector<absl::string_view> names = absl::StrSplit(path, '.');
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    at = &at->GetReflection()->GetMessage(*at, FieldNamed(*at, names[i]));
  }
  return {at, FieldNamed(*at, names.back())};
}

Place<Message> Make(Message* instruction, absl::string_view path) {
  Message* at = instruction;
  const std::vector<absl::string_view> names = absl::StrSplit(path, '.');
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    at = at->GetReflection()->MutableMessage(at, FieldNamed(*at, names[i]));
  }
  return {at, FieldNamed(*at, names.back())};
}

// --- From the proto ------------------------------------------------------------------------------

int64_t NumberAt(const Place<const Message>& p, int i) {
  const auto* r = p.message->GetReflection();
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    return r->GetRepeatedInt64(*p.message, p.field, i);
  }
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_BOOL) {
    return r->GetRepeatedBool(*p.message, p.field, i) ? 1 : 0;
  }
  return r->GetRepeatedInt32(*p.message, p.field, i);
}

int64_t Number(const Place<const Message>& p) {
  const auto* r = p.message->GetReflection();
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    return r->GetInt64(*p.message, p.field);
  }
  return r->GetInt32(*p.message, p.field);
}

std::string WordOf(AttributeName name, Opcode opcode, int64_t number) {
  const auto words = EnumValuesOf(name, opcode).words;
  const bool known = number >= 0 && static_cast<size_t>(number) < words.size();
  return known ? std::string(words[number]) : absl::StrCat("invalid_", number);
}

Text ListText(const Place<const Message>& p, const FieldRow& row, S syntax, Opcode opcode,
              bool required) {
  const int size = p.message->GetReflection()->FieldSize(*p.message, p.field);
  if (size == 0 && !required) return std::nullopt;
  if (syntax == S::kInt) return absl::StrCat(size > 0 ? NumberAt(p, 0) : 0);
  std::vector<std::string> items;
  for (int i = 0; i < size; ++i) {
    const int64_t number = NumberAt(p, i);
    if (syntax == S::kWords) items.push_back(WordOf(row.name, opcode, number));
    if (syntax == S::kBools) items.push_back(number != 0 ? "true" : "false");
    if (syntax == S::kInts) items.push_back(absl::StrCat(number));
  }
  return absl::StrCat("{", absl::StrJoin(items, ","), "}");
}

std::string ScalarText(const Place<const Message>& p, const FieldRow& row, S syntax,
                       Opcode opcode) {
  const auto* r = p.message->GetReflection();
  switch (p.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return r->GetBool(*p.message, p.field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_FLOAT:
      return absl::StrFormat("%.9g", r->GetFloat(*p.message, p.field));
    case FieldDescriptor::CPPTYPE_STRING: {
      const std::string value = r->GetString(*p.message, p.field);
      return syntax == S::kEnum ? value : absl::StrCat("\"", CEscape(value), "\"");
    }
    default:
      break;
  }
  const int64_t number = Number(p);
  if (syntax == S::kBool) return number == 1 ? "true" : "false";  // is_associative
  return syntax == S::kEnum ? WordOf(row.name, opcode, number) : absl::StrCat(number);
}

// True for a number that says as much as none.
bool IsPlain(const Place<const Message>& p, const FieldRow& row) {
  const auto type = p.field->cpp_type();
  if (type != FieldDescriptor::CPPTYPE_INT32 && type != FieldDescriptor::CPPTYPE_INT64) {
    return false;
  }
  return Number(p) == row.plain || (row.name == AttributeName::kChannelId && Number(p) < 0);
}

}  // namespace

Text FieldText(const pb::HloInstructionProto& proto, const FieldRow& row, Opcode opcode,
               bool required) {
  const Place<const Message> p = Find(proto, row.path);
  const S syntax = SyntaxOf(row.name, opcode);
  if (p.field->is_repeated()) return ListText(p, row, syntax, opcode, required);
  const bool always = required || row.name == AttributeName::kLargest;
  const bool set = p.message->GetReflection()->HasField(*p.message, p.field);
  if (!always && (!set || IsPlain(p, row))) return std::nullopt;
  return ScalarText(p, row, syntax, opcode);
}

// --- To the proto --------------------------------------------------------------------------------

namespace {

void SetNumber(const Place<Message>& p, int64_t value) {
  const auto* r = p.message->GetReflection();
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    p.field->is_repeated() ? r->AddInt64(p.message, p.field, value)
                           : r->SetInt64(p.message, p.field, value);
    return;
  }
  const int32_t small = static_cast<int32_t>(value);
  p.field->is_repeated() ? r->AddInt32(p.message, p.field, small)
                         : r->SetInt32(p.message, p.field, small);
}

void SetWord(const Place<Message>& p, absl::string_view word, AttributeName name, Opcode opcode) {
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    p.message->GetReflection()->SetString(p.message, p.field, std::string(word));
    return;
  }
  const auto words = EnumValuesOf(name, opcode).words;
  for (size_t i = 0; i < words.size(); ++i) {
    if (absl::EqualsIgnoreCase(words[i], word)) SetNumber(p, static_cast<int64_t>(i));
  }
}

void SetBool(const Place<Message>& p, bool value) {
  if (p.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) return SetNumber(p, value ? 1 : 2);
  p.message->GetReflection()->SetBool(p.message, p.field, value);
}

void AddBools(const Place<Message>& p, absl::string_view text) {
  Reader in(text, 0, text.size());
  std::vector<bool> values;
  ReadBools(in, &values);
  for (bool value : values) p.message->GetReflection()->AddBool(p.message, p.field, value);
}

}  // namespace

void TouchField(const FieldRow& row, pb::HloInstructionProto* proto) { Make(proto, row.path); }

void StoreField(const Module& module, InstructionId id, const FieldRow& row,
                pb::HloInstructionProto* proto) {
  const Opcode opcode = module.instruction(id).opcode;
  const Place<Message> p = Make(proto, row.path);
  const auto* r = p.message->GetReflection();
  switch (SyntaxOf(row.name, opcode)) {
    case S::kInts:
      for (int64_t value : GetInts(module, id, row.name).value_or(IntList())) SetNumber(p, value);
      return;
    case S::kFloat:
      return r->SetFloat(p.message, p.field,
                         static_cast<float>(GetFloat(module, id, row.name).value_or(0)));
    case S::kBool:
      return SetBool(p, GetBool(module, id, row.name).value_or(false));
    case S::kBools:
      return AddBools(p, module.FindAttribute(id, row.name).value_or(""));
    case S::kString:
      return r->SetString(p.message, p.field, GetString(module, id, row.name).value_or(""));
    case S::kEnum:
    case S::kWords:
      for (absl::string_view word : GetWords(module, id, row.name)) {
        SetWord(p, word, row.name, opcode);
      }
      return;
    default:
      break;
  }
  const int64_t value = GetInt(module, id, row.name).value_or(0);
  if (row.plain == 0 || value != row.plain) SetNumber(p, value);
}

}  // namespace tessera::hlo
