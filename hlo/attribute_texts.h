// File: attribute_texts.h
//
// Printed attributes, each distinct one made once: a module repeats few.
//
//   AttributeTexts texts(module, options);
//   const std::string* text = texts.Get(id, AttributeName::kDimensions);   // "dimensions={1,0}"

#ifndef TESSERA_HLO_ATTRIBUTE_TEXTS_H_
#define TESSERA_HLO_ATTRIBUTE_TEXTS_H_

#include <optional>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

class AttributeTexts {
 public:
  AttributeTexts(const Module& module, const PrintOptions& options)
      : module_(module), options_(options) {}

  // `name=value`; null when nothing is printed. Good until the next call.
  const std::string* Get(InstructionId id, AttributeName name);
  // The printed value of a constant.
  const std::string& SmallLiteral(InstructionId id);

 private:
  using Key = std::tuple<absl::string_view, AttributeName, Opcode, ShapeId>;

  const Module& module_;
  const PrintOptions& options_;
  absl::flat_hash_map<Key, std::optional<std::string>> texts_;
  absl::flat_hash_map<std::pair<absl::string_view, ShapeId>, std::string> literals_;
  std::optional<std::string> absent_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ATTRIBUTE_TEXTS_H_
