// Printed attributes, each distinct one made once: a module repeats few.
//
//   AttributeTexts texts(module, options);
//   const std::string* text = texts.Get(id, AttributeName::kDimensions);   // "dimensions={1,0}"

#ifndef TESSERA_HLO_PRINT_ATTRIBUTE_TEXTS_H_
#define TESSERA_HLO_PRINT_ATTRIBUTE_TEXTS_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

class AttributeTexts {
 public:
  AttributeTexts(const Module& module, const PrintOptions& options)
      : module_(module), options_(options), slots_(kFewSlots, kEmpty) {}

  // `name=value`; null when nothing is printed. Good until the next call.
  const std::string* Get(InstructionId id, AttributeName name);
  // Whether the attribute, one of the instruction's, is printed just as its value is written.
  bool PrintsAsWritten(InstructionId id, const Attribute& attribute);
  // The printed value of a constant.
  const std::string& SmallLiteral(InstructionId id);

 private:
  // The sources of the printed form.
  struct Key {
    absl::string_view text;
    ShapeId shape;  // 0 where it takes no part
    AttributeName name;
    Opcode opcode;  // kConstant for the value of a constant
  };
  struct Entry {
    Key key;
    uint32_t hash;
    std::optional<std::string> printed;
  };

  Entry& FindAttribute(InstructionId id, AttributeName name, absl::string_view text);
  // The entry of this key; `added` says that it is new.
  Entry& Find(const Key& key, bool* added);
  void Grow();

  static constexpr size_t kFewSlots = 256;
  static constexpr uint32_t kEmpty = 0xffffffffu;

  const Module& module_;
  const PrintOptions& options_;
  std::deque<Entry> entries_;
  std::vector<uint32_t> slots_;  // open addressing, at most half full: places in entries_
  std::optional<std::string> absent_;
};

// Constants of other shapes print as {...} unless the options print all.
bool IsSmallConstant(const layout::Shape& shape);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_ATTRIBUTE_TEXTS_H_
