#include "tessera/hlo/unread_module.h"

#include <utility>

#include "tessera/hlo/parse/module_parser.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {

UnreadModule::UnreadModule(const Module& module)
    : text_(module.text()), source_(module.source()), instructions_(module.num_instructions()) {
  if (text_ == nullptr) copy_ = module;
}

std::shared_ptr<const text::Source> UnreadModule::text() const {
  if (!difference_.has_value()) return text_;
  std::string text = difference_->text.Restore(difference_->other->text());
  return text::Source::FromBuffer(difference_->name, std::move(text));
}

void UnreadModule::KeepBeside(std::shared_ptr<const text::Source> other) {
  if (other == nullptr || text_.use_count() != 1) return;
  auto difference = text::TextDifference::Between(text_->text(), other->text());
  if (difference.bytes() > text_->text().size() / 2) return;
  difference_ = {std::string(text_->name()), std::move(other), std::move(difference)};
  text_ = nullptr;
}

Module UnreadModule::Read() const {
  if (copy_.has_value()) return *copy_;
  text::Diagnostics none;  // it was read without any
  ModuleParser parser(text(), source_.begin, source_.end, &none);
  parser.Expect(instructions_);
  return parser.Parse(/*several=*/true);
}

}  // namespace tessera::hlo
