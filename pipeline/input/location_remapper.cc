#include "tessera/pipeline/input/location_remapper.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/unread_module.h"
#include "tessera/text/diagnostic.h"
#include "tessera/text/error_list.h"

namespace tessera::pipeline {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::SourceRange;

constexpr size_t kSameText = 24;  // bytes that tell a place in an instruction

absl::string_view TextOf(const Module& module, SourceRange range) {
  return module.text()->text().substr(range.begin, range.size());
}

absl::string_view StemOf(absl::string_view name) { return name.substr(0, name.find('.')); }

class PlaceFinder {
 public:
  PlaceFinder(const Module& cleaned, const Module& input) : cleaned_(cleaned), input_(input) {
    for (InstructionId id = 0; id < input.num_instructions(); ++id) {
      by_name_.try_emplace(input.instruction(id).name, id);
    }
    for (InstructionId id = 0; id < cleaned.num_instructions(); ++id) {
      if (!cleaned.instruction(id).source.empty()) in_order_.push_back(id);
    }
    std::sort(in_order_.begin(), in_order_.end(),
              [&](InstructionId a, InstructionId b) { return BeginOf(a) < BeginOf(b); });
  }

  // Offset in the input's text; the beginning of the module for what no instruction says.
  size_t Find(size_t offset) const {
    const InstructionId id = InstructionAt(offset);
    const InstructionId original = id == hlo::kNoId ? id : OriginalOf(id);
    if (original != hlo::kNoId) {
      return FindText(offset, cleaned_.instruction(id).source, input_.instruction(original).source);
    }
    const SourceRange header = cleaned_.source();
    return FindText(std::max<size_t>(offset, header.begin), header, input_.source());
  }

 private:
  uint32_t BeginOf(InstructionId id) const { return cleaned_.instruction(id).source.begin; }

  // The instruction whose text has the offset; kNoId for none.
  InstructionId InstructionAt(size_t offset) const {
    const auto after =
        std::upper_bound(in_order_.begin(), in_order_.end(), offset,
                         [&](size_t at, InstructionId id) { return at < BeginOf(id); });
    if (after == in_order_.begin()) return hlo::kNoId;
    const InstructionId id = *(after - 1);
    return offset < cleaned_.instruction(id).source.end ? id : hlo::kNoId;
  }

  // By its name, by a name that it may have been made from, or by what else a copy keeps.
  InstructionId OriginalOf(InstructionId id) const {
    absl::string_view name = cleaned_.instruction(id).name;
    while (true) {
      const auto found = by_name_.find(name);
      if (found != by_name_.end() && IsMadeFrom(id, found->second)) return found->second;
      const size_t dot = name.rfind('.');
      if (dot == absl::string_view::npos) break;
      name = name.substr(0, dot);
    }
    for (InstructionId other = 0; other < input_.num_instructions(); ++other) {
      if (StemOf(input_.instruction(other).name) == name && IsMadeFrom(id, other) &&
          cleaned_.shape(id).WithoutLayout() == input_.shape(other).WithoutLayout()) {
        return other;
      }
    }
    return hlo::kNoId;
  }

  // A copy has the opcode, and its op_name after that of the call.
  bool IsMadeFrom(InstructionId id, InstructionId original) const {
    return cleaned_.instruction(id).opcode == input_.instruction(original).opcode &&
           absl::EndsWith(hlo::GetOpName(cleaned_, id), hlo::GetOpName(input_, original));
  }

  size_t FindText(size_t offset, SourceRange from, SourceRange to) const {
    if (offset == from.begin) return to.begin;
    const absl::string_view text = TextOf(cleaned_, from);
    const size_t found = TextOf(input_, to).find(text.substr(offset - from.begin, kSameText));
    return found == absl::string_view::npos ? to.begin : to.begin + found;
  }

  const Module& cleaned_;
  const Module& input_;
  absl::flat_hash_map<absl::string_view, InstructionId> by_name_;  // of the input
  std::vector<InstructionId> in_order_;                            // of the cleaned module's text
};

// The mistakes with offsets in the input's text.
absl::Status InInput(const absl::Status& status, const Module& cleaned, const Module& input) {
  const PlaceFinder places(cleaned, input);
  absl::Status moved;
  for (const text::Diagnostic& error : text::ErrorList(status)) {
    const size_t offset = error.offset == 0 ? 0 : places.Find(error.offset);
    text::Collect(text::ErrorAt(offset, error.message), &moved);
  }
  return moved;
}

bool HasPlaces(const absl::Status& status) {
  const std::vector<text::Diagnostic> errors = text::ErrorList(status);
  return std::any_of(errors.begin(), errors.end(),
                     [](const text::Diagnostic& error) { return error.offset > 0; });
}

// Keeps a cleaned text alive, and beside it the module that it was made of.
struct TextWithInput {
  std::shared_ptr<const text::Source> cleaned;
  hlo::UnreadModule input;

  void operator()(const text::Source*) { cleaned = nullptr; }
};

absl::Status LocatedIn(const hlo::UnreadModule& input, const absl::Status& status,
                       const Module& cleaned);

// In the module that `module` was made of, if that is remembered.
absl::Status LocatedInText(const absl::Status& status, const Module& module) {
  const auto* const remembered = std::get_deleter<TextWithInput>(module.text());
  if (remembered != nullptr) return LocatedIn(remembered->input, status, module);
  return text::LocatedAll(status, *module.text());
}

absl::Status LocatedIn(const hlo::UnreadModule& input, const absl::Status& status,
                       const Module& cleaned) {
  const Module read = input.Read();
  if (read.text() == nullptr) return status;
  const bool is_same = cleaned.text() == read.text();
  return LocatedInText(is_same ? status : InInput(status, cleaned, read), read);
}

}  // namespace

absl::Status LocatedInInput(const absl::Status& status, const Module& cleaned,
                            const std::optional<hlo::UnreadModule>& input) {
  if (!HasPlaces(status) || cleaned.text() == nullptr) return status;
  return input.has_value() ? LocatedIn(*input, status, cleaned) : LocatedInText(status, cleaned);
}

void RememberInput(hlo::UnreadModule input, Module* cleaned) {
  const text::Source* const text = cleaned->text().get();
  cleaned->SetSource({text, TextWithInput{cleaned->text(), std::move(input)}}, cleaned->source());
}

}  // namespace tessera::pipeline
