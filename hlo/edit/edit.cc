// Edits are kept as a list of ranges, their new texts in an arena. A pass that edits a module goes
// through it from front to back but for a few places, so nearly all edits come in order. Those are
// merged with the few others, which are sorted. Applying copies the runs between the edits; without
// edits the output is the input.
//
// Cost: linear in the text and the edits, n log n in those out of order. Tested by edit_test.cc.

#include "tessera/hlo/edit.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/syntax_ranges.h"

namespace tessera::hlo {

using A = AttributeName;

Editor::Editor(const Module& module) : module_(module), text_(module.source_text()) {}

bool Editor::ComesBefore(const Edit& a, const Edit& b) {
  if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
  if (a.range.empty() != b.range.empty()) return a.range.empty();
  return a.order < b.order;
}

std::vector<uint32_t> Editor::InOrder() const {
  std::vector<uint32_t> ordered, late;
  ordered.reserve(edits_.size());
  for (uint32_t i = 0; i < edits_.size(); ++i) {
    const bool is_late = !ordered.empty() && ComesBefore(edits_[i], edits_[ordered.back()]);
    (is_late ? late : ordered).push_back(i);
  }
  if (late.empty()) return ordered;
  const auto comes_before = [&](uint32_t a, uint32_t b) {
    return ComesBefore(edits_[a], edits_[b]);
  };
  if (!std::is_sorted(late.begin(), late.end(), comes_before)) {
    std::stable_sort(late.begin(), late.end(), comes_before);
  }
  // Of equal ones the later edit comes last: the ordered part only grows.
  std::vector<uint32_t> all;
  all.reserve(edits_.size());
  std::merge(ordered.begin(), ordered.end(), late.begin(), late.end(), std::back_inserter(all),
             comes_before);
  return all;
}

// What overlaps makes the text longer than this at most by what it would have taken away.
size_t Editor::ExpectedSize() const {
  size_t added = 0, removed = 0;
  for (const Edit& edit : edits_) {
    added += edit.size;
    removed += edit.range.size();
  }
  return text_.size() + added - std::min(removed, text_.size());
}

std::string Editor::Apply() const {
  std::string out;
  out.reserve(ExpectedSize());
  uint32_t at = 0;
  for (const uint32_t i : InOrder()) {
    const Edit& edit = edits_[i];
    if (edit.range.begin < at || edit.range.end > text_.size()) continue;
    out.append(text_.data() + at, edit.range.begin - at);
    out.append(edit.text, edit.size);
    at = edit.range.end;
  }
  out.append(text_.data() + at, text_.size() - at);
  return out;
}

namespace {

// Place of an attribute in XLA's order; 0 for all that come before sharding.
int PrintRank(A name) {
  static constexpr A kOrder[] = {A::kSharding,   A::kFrontendAttributes, A::kControlPredecessors,
                                 A::kStatistics, A::kResultAccuracy,     A::kOrigin,
                                 A::kMetadata,   A::kBackendConfig};
  const auto* found = std::find(std::begin(kOrder), std::end(kOrder), name);
  return found == std::end(kOrder) ? 0 : static_cast<int>(found - kOrder) + 1;
}

}  // namespace

SourceRange Editor::ValueRange(const Attribute& attribute) const {
  return module_.RangeOf(attribute.value()).value_or(SourceRange());
}

void Editor::SetAttribute(InstructionId id, AttributeName name, absl::string_view value) {
  if (!InSource(id)) return;
  const auto attributes = module_.attributes(id);
  uint32_t place = module_.instruction(id).source.end;
  const int rank = PrintRank(name);
  bool found_place = false;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name() == name) {
      Replace(ValueRange(attributes[i]), value);
      return;
    }
    if (found_place || PrintRank(attributes[i].name()) <= rank) continue;
    place = AttributeRangeWithSeparator(module_, id, i).begin;
    found_place = true;
  }
  Insert(place, absl::StrCat(", ", AttributeText(name), "=", value));
}

void Editor::RemoveAttribute(InstructionId id, AttributeName name) {
  if (!InSource(id)) return;
  const auto attributes = module_.attributes(id);
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name() == name) Delete(AttributeRangeWithSeparator(module_, id, i));
  }
}

// Deletes entries `key=value` with a comma each, so that the remaining ones stay joined.
void Editor::RemoveEntries(absl::string_view value, absl::string_view prefix) {
  const auto entries = ParseFrontendEntries(value);
  bool kept_one = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!absl::StartsWith(entries[i].key, prefix)) {
      kept_one = true;
      continue;
    }
    const SourceRange key = *module_.RangeOf(entries[i].key);
    const uint32_t end = module_.RangeOf(entries[i].value)->end;
    if (kept_one) {
      Delete({module_.RangeOf(entries[i - 1].value)->end, end});
    } else if (i + 1 < entries.size()) {
      Delete({key.begin, module_.RangeOf(entries[i + 1].key)->begin});
    } else {
      Delete({key.begin, end});
    }
  }
}

void Editor::RemoveFrontendAttributes(InstructionId id, absl::string_view prefix) {
  const auto entries = GetFrontendEntries(module_, id);
  const auto matches = [&](const FrontendEntry& e) { return absl::StartsWith(e.key, prefix); };
  if (!InSource(id) || std::none_of(entries.begin(), entries.end(), matches)) return;
  if (std::all_of(entries.begin(), entries.end(), matches)) {
    return RemoveAttribute(id, A::kFrontendAttributes);
  }
  RemoveEntries(*module_.FindAttribute(id, A::kFrontendAttributes), prefix);
}

}  // namespace tessera::hlo
