#include "tessera/hlo/attribute_name.h"

#include "tessera/hlo/schema/name_table.h"

namespace tessera::hlo {
namespace {

constexpr NameTable<kNumAttributeNames> kAttributeNames({
#define TESSERA_HLO_ATTRIBUTE_TEXT(id, name) name,
    TESSERA_HLO_ATTRIBUTES(TESSERA_HLO_ATTRIBUTE_TEXT)
#undef TESSERA_HLO_ATTRIBUTE_TEXT
});

}  // namespace

absl::string_view AttributeText(AttributeName name) {
  return kAttributeNames.name(static_cast<size_t>(name));
}

std::optional<AttributeName> AttributeNameFromText(absl::string_view text) {
  const int index = kAttributeNames.Find(text);
  if (index < 0) return std::nullopt;
  return static_cast<AttributeName>(index);
}

}  // namespace tessera::hlo
