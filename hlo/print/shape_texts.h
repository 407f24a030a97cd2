// Printed shapes, each distinct one made once.
//
//   ShapeTexts texts(module, layout::PrintOptions());
//   texts.Of(module.shape_id(id));      // "f32[8,128]{1,0}"

#ifndef TESSERA_HLO_PRINT_SHAPE_TEXTS_H_
#define TESSERA_HLO_PRINT_SHAPE_TEXTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

class ShapeTexts {
 public:
  ShapeTexts(const Module& module, const layout::PrintOptions& options)
      : module_(module), options_(options), texts_(module.num_shapes()) {}

  absl::string_view Of(ShapeId id) {
    std::string& text = texts_[id];
    if (text.empty()) layout::AppendShape(module_.interned_shape(id), options_, &text);
    return text;
  }

 private:
  const Module& module_;
  const layout::PrintOptions options_;
  std::vector<std::string> texts_;  // by ShapeId; empty: not made yet
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_SHAPE_TEXTS_H_
