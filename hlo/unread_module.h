// File: unread_module.h
//
// A module as no more than its text: what is needed of an input that was taken on and changed, and
// that somebody may still ask about.
//
//   UnreadModule input(module);
//   ...                                       // `module` is changed, or goes
//   const Module before = input.Read();       // as it was, but for what was set by hand
//
// Costs nothing until it is read. A module without a text is kept as a copy. Where the text of what
// the module became stays, that of the input may be kept as what differs from it:
//
//   input.KeepBeside(changed.text());         // `input` holds the text alone: little is left of it

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
  // Takes as long as parsing it did.
  Module Read() const;
  // Linear in both texts. Does nothing where that would spare nothing: somebody else holds the text,
  // or the two have little in common.
  void KeepBeside(std::shared_ptr<const text::Source> other);

 private:
  // The text, as what another one has not.
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
