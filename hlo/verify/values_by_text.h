// Values of one attribute, each text of it read once: in a module few are different.
//
//   ValuesByText<Window> windows;
//   const Window& window = windows.Of(module, id, AttributeName::kWindow, GetWindow);

#ifndef TESSERA_HLO_VERIFY_VALUES_BY_TEXT_H_
#define TESSERA_HLO_VERIFY_VALUES_BY_TEXT_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/values/hash.h"
#include "tessera/hlo/values/text_numbers.h"

namespace tessera::hlo {

template <typename Value>
class ValuesByText {
 public:
  // The result of `read(module, id)` for an attribute of this text, or for none. Good until the
  // next call.
  template <typename Read>
  const Value& Of(const Module& module, InstructionId id, AttributeName name, Read read) {
    const absl::string_view text = module.FindAttribute(id, name).value_or(absl::string_view());
    const uint32_t hash = HashText(text);
    const uint32_t number = texts_.Find(text, hash);
    if (number != TextNumbers::kNone) return values_[number];
    texts_.Add(text, hash);
    return values_.emplace_back(read(module, id));
  }

 private:
  TextNumbers texts_;
  std::vector<Value> values_;  // by number
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VERIFY_VALUES_BY_TEXT_H_
