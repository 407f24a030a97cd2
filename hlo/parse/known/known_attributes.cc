#include "tessera/hlo/parse/known/known_attributes.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "absl/algorithm/container.h"
#include "tessera/hlo/parse/scanner.h"
#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {
namespace {

constexpr absl::string_view kMetadata = ", metadata={";

// What is known stays small where no two lists are alike, and numbers do.
constexpr size_t kMaxLists = 0xffff - KnownAttributes::kNothing;

// Longer lists are read each time: of a text without line feeds, all that is left would be one.
constexpr size_t kLongest = 4096;

bool IsMetadata(const char* p) { return std::memcmp(p, kMetadata.data(), kMetadata.size()) == 0; }

struct Ends {
  const char* list;     // the first `, metadata={`, line feed or zero
  const char* percent;  // the last '%' before that; null if there is none
};

// `list` is somewhere after kLongest bytes if it is not among them. After the text stand enough
// bytes to read on (scanner.h).
Ends FindEnds(const char* p) {
  const char* const last = p + kLongest;
  const char* percent = nullptr;
#ifdef __SSE2__
  for (; p <= last; p += 16) {
    const auto load = [](const char* at) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    };
    const auto is = [](__m128i bytes, char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i bytes = load(p);
    const __m128i begins = _mm_and_si128(is(bytes, ','), is(load(p + 2), 'm'));
    const __m128i ends = _mm_or_si128(is(bytes, '\n'), is(bytes, '\0'));
    const __m128i found = _mm_or_si128(_mm_or_si128(begins, ends), is(bytes, '%'));
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    for (; mask != 0; mask &= mask - 1) {
      const char* const at = p + __builtin_ctz(mask);
      if (*at == '%') {
        percent = at;
      } else if (*at != ',' || IsMetadata(at)) {
        return {at, percent};
      }
    }
  }
#else
  for (; p <= last && *p != '\n' && *p != '\0' && (*p != ',' || !IsMetadata(p)); ++p) {
    if (*p == '%') percent = p;
  }
#endif
  return {p, percent};
}

// 7 of `, channel_id=7` at `p`: at most nine digits, none of them a zero in front.
absl::string_view ChannelAt(const char* p) {
  constexpr absl::string_view kChannel = ", channel_id=";
  if (p[2] != 'c' || std::memcmp(p, kChannel.data(), kChannel.size()) != 0) return {};
  const char* const begin = p + kChannel.size();
  const char* end = begin;
  while (HasClass(*end, kDigitChar) && end - begin < 10) ++end;
  return *begin == '0' || end - begin > 9 ? absl::string_view() : Between(begin, end);
}

// Those without which the opcode is refused. What a conditional and a broadcast need depends on an
// operand.
bool HasRequired(Opcode opcode, const AttributeNameSet& names) {
  const auto has = [&](AttributeName name) { return names[static_cast<size_t>(name)]; };
  if (opcode == Opcode::kConditional) return false;
  if (opcode == Opcode::kBroadcast && !has(AttributeName::kDimensions)) return false;
  return absl::c_all_of(OpcodeAttributes(opcode),
                        [&](const OpcodeAttribute& own) { return !own.required || has(own.name); });
}

}  // namespace

ListFacts FactsOfList(Opcode opcode, const AttributeNameSet& names,
                      const CanonicalFormTracker& form) {
  const auto has = [&](AttributeName name) { return names[static_cast<size_t>(name)]; };
  constexpr absl::string_view kName = "metadata";
  const Attribute metadata(AttributeName::kMetadata, {}, kName.size() + 1);
  ListFacts facts;
  facts.is_complete = HasRequired(opcode, names) && !has(AttributeName::kMetadata) &&
                      !has(AttributeName::kParameterReplication);
  CanonicalFormTracker alone = form, with_metadata = form;
  facts.alone = alone.Finish(opcode);
  with_metadata.Attribute(opcode, metadata, kName.size(), SpellingState::kPrinted);
  facts.with_metadata = with_metadata.Finish(opcode);
  return facts;
}

KnownAttributes::Guessed KnownAttributes::Guess(absl::string_view rest) {
  const Ends ends = FindEnds(rest.data());
  Guessed guess;
  const char* begin = rest.data();
  const char* end = ends.list;
  if (static_cast<size_t>(end - begin) > kLongest) return guess;
  guess.list = rest.substr(0, static_cast<size_t>(end - begin));
  guess.before_metadata = *end == ',' && guess.list.size() < rest.size();
  guess.channel = ChannelAt(begin);
  if (!guess.channel.empty()) begin = guess.channel.end();
  const char* const name = ends.percent;
  const bool is_callee = name != nullptr && name[-1] == '=' && HasClass(name[1], kNameStart) &&
                         NameCharsEnd(name + 1, end) == end;
  if (is_callee) guess.callee = Between(name, end);
  guess.text = Between(begin, is_callee ? name : end);
  return guess;
}

const KnownAttributes::List* KnownAttributes::Add(Opcode opcode, const Guessed& guess,
                                                  absl::Span<const Attribute> attributes,
                                                  const AttributeNameSet& names,
                                                  const CanonicalFormTracker& form) {
  if (lists_.size() == kMaxLists) return nullptr;
  if (!guess.channel.empty()) attributes.remove_prefix(1);
  numbers_.Add(guess.text, HashText(guess.text), KindOf(opcode, guess));
  lists_.push_back({guess.text, static_cast<uint32_t>(attributes_.size()),
                    static_cast<uint32_t>(attributes.size()), names, form,
                    FactsOfList(opcode, names, form)});
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  return &lists_.back();
}

}  // namespace tessera::hlo
