// File: unread_module.h
//
// A module as no more than its text: what is needed of an input that was taken on and changed, and
// that somebody may still ask about.
//
//   UnreadModule input(module);
//   ...                                       // `module` is changed, or goes
//   const Module before = input.Read();       // as it was, but for what was set by hand
//
// Costs nothing until it is read. A module without a text is kept as a copy.

#ifndef TESSERA_HLO_UNREAD_MODULE_H_
#define TESSERA_HLO_UNREAD_MODULE_H_

#include <cstddef>
#include <memory>
#include <optional>

#include "tessera/hlo/module.h"
#include "tessera/text/source.h"

namespace tessera::hlo {

class UnreadModule {
 public:
  explicit UnreadModule(const Module& module);

  // The whole file; null for a module made by hand.
  const std::shared_ptr<const text::Source>& text() const { return text_; }
  // Takes as long as parsing it did.
  Module Read() const;

 private:
  std::shared_ptr<const text::Source> text_;
  SourceRange source_;
  size_t instructions_ = 0;
  std::optional<Module> copy_;  // if there is no text
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_UNREAD_MODULE_H_
