#include "tessera/hlo/unread_module.h"

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

UnreadModule::UnreadModule(const Module& module)
    : text_(module.text()), source_(module.source()), instructions_(module.num_instructions()) {
  if (text_ == nullptr) copy_ = module;
}

Module UnreadModule::Read() const {
  if (copy_.has_value()) return *copy_;
  text::Diagnostics none;  // it was read without any
  ModuleParser parser(text_, source_.begin, source_.end, &none);
  parser.Expect(instructions_);
  return parser.Parse(/*several=*/true);
}

}  // namespace tessera::hlo
