#include "tessera/text/message_json/message_json.h"

#include <string>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "tessera/text/formats/json.h"
#include "tessera/text/message_json/json_options.pb.h"

namespace tessera::text {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A field of a message.
struct Place {
  const Message& message;
  const Reflection& reflection;
  const FieldDescriptor* field;
};

void Put(int64_t value, JsonWriter* json) { json->Int(value); }
void Put(int32_t value, JsonWriter* json) { json->Int(value); }
void Put(double value, JsonWriter* json) { json->Double(value); }
void Put(bool value, JsonWriter* json) { json->Bool(value); }

// A type of scalars: how a field and a list of it are written, and whether a field says nothing.
struct Scalar {
  void (*put)(const Place& place, JsonWriter* json);
  void (*put_all)(const Place& place, JsonWriter* json);
  bool (*says_nothing)(const Place& place);
};

int SizeOf(const Place& p) { return p.reflection.FieldSize(p.message, p.field); }

template <auto kGet, auto kGetOne>
constexpr Scalar NumberScalar() {
  return {
      [](const Place& p, JsonWriter* json) { Put((p.reflection.*kGet)(p.message, p.field), json); },
      [](const Place& p, JsonWriter* json) {
        for (int k = 0, size = SizeOf(p); k < size; ++k) {
          Put((p.reflection.*kGetOne)(p.message, p.field, k), json);
        }
      },
      [](const Place& p) { return !(p.reflection.*kGet)(p.message, p.field); }};
}

const std::string& TextAt(const Place& p, std::string* scratch) {
  return p.reflection.GetStringReference(p.message, p.field, scratch);
}

constexpr Scalar kText = {
    [](const Place& p, JsonWriter* json) {
      std::string scratch;
      json->String(TextAt(p, &scratch));
    },
    [](const Place& p, JsonWriter* json) {
      std::string scratch;
      for (int k = 0, size = SizeOf(p); k < size; ++k) {
        json->String(p.reflection.GetRepeatedStringReference(p.message, p.field, k, &scratch));
      }
    },
    [](const Place& p) {
      std::string scratch;
      return TextAt(p, &scratch).empty();
    }};
constexpr Scalar kOther = {[](const Place&, JsonWriter* json) { json->Null(); },
                           [](const Place&, JsonWriter*) {}, [](const Place&) { return true; }};
constexpr Scalar kInt32 = NumberScalar<&Reflection::GetInt32, &Reflection::GetRepeatedInt32>();
constexpr Scalar kInt64 = NumberScalar<&Reflection::GetInt64, &Reflection::GetRepeatedInt64>();
constexpr Scalar kDouble = NumberScalar<&Reflection::GetDouble, &Reflection::GetRepeatedDouble>();
constexpr Scalar kBool = NumberScalar<&Reflection::GetBool, &Reflection::GetRepeatedBool>();
// By the type in C++ of a FieldDescriptor.
constexpr Scalar kScalars[] = {kOther,  kInt32, kInt64, kOther, kOther,
                               kDouble, kOther, kBool,  kOther, kText};
static_assert(FieldDescriptor::CPPTYPE_DOUBLE == 5 && FieldDescriptor::CPPTYPE_STRING == 9);

struct Member;
using Members = std::vector<Member>;

// The options of a field, read once for each type of messages.
struct Member {
  const FieldDescriptor* field = nullptr;
  std::string key;  // "name":
  bool is_list = false, is_if_any = false, is_or_null = false;
  const FieldDescriptor* with = nullptr;
  const Scalar* scalar = nullptr;            // none for messages
  const Members* members_of_type = nullptr;  // of messages
};

class Printer {
 public:
  std::string Print(const Message& message, const JsonRows* rows = nullptr) {
    json_ = JsonWriter();
    Put(message, MembersOf(message.GetDescriptor()), rows);
    return json_.TakeText();
  }

 private:
  const Members& MembersOf(const Descriptor* type) {
    const auto [it, is_new] = types_.try_emplace(type);
    Members& members = it->second;
    if (!is_new) return members;  // of a type in itself still without all of them
    for (int k = 0; k < type->field_count(); ++k) {
      if (type->field(k)->options().GetExtension(unwritten)) continue;
      members.push_back(MemberOf(*type, type->field(k)));
    }
    return members;
  }

  Member MemberOf(const Descriptor& type, const FieldDescriptor* field) {
    const auto& options = field->options();
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    Member member;
    member.field = field;
    member.key = absl::StrCat(JsonQuote(field->name()), ":");
    member.is_list = field->is_repeated();
    member.is_if_any = options.GetExtension(if_any);
    member.is_or_null = options.GetExtension(or_null);
    member.with = type.FindFieldByName(options.GetExtension(with));
    member.scalar = is_message ? nullptr : &kScalars[field->cpp_type()];
    member.members_of_type = is_message ? &MembersOf(field->message_type()) : nullptr;
    return member;
  }

  void Put(const Message& message, const Members& members, const JsonRows* rows) {
    const Reflection& reflection = *message.GetReflection();
    json_.BeginObject();
    for (const Member& member : members) {
      const Place place = {message, reflection, member.field};
      if (rows != nullptr && member.field->name() == rows->field) {
        PutRows(member, *rows);
      } else if (member.is_list) {
        PutList(place, member);
      } else {
        PutField(place, member);
      }
    }
    json_.EndObject();
  }

  void PutField(const Place& place, const Member& member) {
    const Scalar* scalar = member.is_if_any ? member.scalar : nullptr;
    if (!IsThere(place, member.field) || (scalar != nullptr && scalar->says_nothing(place))) {
      return PutAbsent(member);
    }
    json_.RawKey(member.key);
    if (member.scalar != nullptr) return member.scalar->put(place, &json_);
    Put(place.reflection.GetMessage(place.message, place.field), *member.members_of_type, nullptr);
  }

  void PutList(const Place& place, const Member& member) {
    if (!IsThere(place, member.field) && !MayBeEmpty(place, member)) return PutAbsent(member);
    json_.RawKey(member.key).BeginArray();
    if (member.scalar != nullptr) {
      member.scalar->put_all(place, &json_);
    } else {
      for (int k = 0, size = SizeOf(place); k < size; ++k) {
        Put(place.reflection.GetRepeatedMessage(place.message, place.field, k),
            *member.members_of_type, nullptr);
      }
    }
    json_.EndArray();
  }

  static bool MayBeEmpty(const Place& place, const Member& member) {
    return !member.is_if_any && (member.with == nullptr || IsThere(place, member.with));
  }

  void PutAbsent(const Member& member) {
    if (member.is_or_null) json_.RawKey(member.key).Null();
  }

  static bool IsThere(const Place& place, const FieldDescriptor* field) {
    const Place at = {place.message, place.reflection, field};
    return field->is_repeated() ? SizeOf(at) > 0 : place.reflection.HasField(place.message, field);
  }

  void PutRows(const Member& member, const JsonRows& rows) {
    json_.RawKey(member.key).BeginArray();
    for (size_t k = 0; k < rows.size; ++k) {
      rows.row->Clear();
      rows.fill(k);
      Put(*rows.row, *member.members_of_type, nullptr);
    }
    json_.EndArray();
  }

  absl::node_hash_map<const Descriptor*, Members> types_;
  JsonWriter json_;
};

}  // namespace

std::string JsonOf(const Message& message) { return Printer().Print(message); }

std::string JsonOf(const Message& message, const JsonRows& rows) {
  return Printer().Print(message, &rows);
}

std::string JsonLines(Message* row, size_t size, const std::function<void(size_t)>& fill) {
  Printer printer;
  std::string lines;
  for (size_t k = 0; k < size; ++k) {
    row->Clear();
    fill(k);
    absl::StrAppend(&lines, printer.Print(*row), "\n");
  }
  return lines;
}

}  // namespace tessera::text
