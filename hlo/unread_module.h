// The original module, kept as its source text and parsed again on demand.
//
//   UnreadModule input(module);
//   ...                                       // `module` is changed or destroyed
//   const Module before = input.Read();       // the module as parsed
//
// Costs nothing until it is read. A module without a source text is copied. The text can be stored as
// a line delta against another text that stays in memory:
//
//   input.KeepBeside(changed.text());

#ifndef TESSERA_HLO_UNREAD_MODULE_H_
#define TESSERA_HLO_UNREAD_MODULE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "tessera/hlo/module.h"
#include "tessera/text/source.h"
#include "tessera/text/text_difference.h"

namespace tessera::hlo {

class UnreadModule {
 public:
  explicit UnreadModule(const Module& module);

  // The whole file; null for a module made by hand.
  std::shared_ptr<const text::Source> text() const;
  // As slow as the first parse.
  Module Read() const;
  // Linear in both texts. No effect if another owner holds the text, or the two have little in common.
  void KeepBeside(std::shared_ptr<const text::Source> other);

 private:
  // The text as a line delta against another text.
  struct Difference {
    std::string name;
    std::shared_ptr<const text::Source> other;
    text::TextDifference text;
  };

  std::shared_ptr<const text::Source> text_;  // or
  std::optional<Difference> difference_;
  SourceRange source_;
  size_t instructions_ = 0;
  std::optional<Module> copy_;  // if there is no text
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_UNREAD_MODULE_H_
