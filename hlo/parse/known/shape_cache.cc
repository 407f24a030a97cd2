// A guess at the end of a shape is enough to look it up: the guess is a key of the table only if an
// earlier parse ended exactly there. An array is guessed to end at the next blank, comma or closing
// round bracket outside of its own brackets. A tuple is guessed to end at the bracket that matches
// its first one, in the same line. A wrong guess finds nothing and the shape is parsed.

#include "tessera/hlo/parse/known/shape_cache.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "tessera/hlo/parse/find_in_line.h"
#include "tessera/layout/error.h"
#include "tessera/layout/shape_text.h"
#include "tessera/layout/validate.h"
#include "tessera/text/cursor.h"
#include "tessera/text/diagnostic.h"

namespace tessera::hlo {
namespace {

// `type[..]{..}`: up to the blank; both brackets may hold commas.
const char* GuessArrayEnd(const char* p) {
  p = FindInLine(p, ']');
  if (*p == ']') ++p;
  if (*p != '{') return p;
  p = FindInLine(p, '}');
  return *p == '}' ? p + 1 : p;
}

// Not beyond the line: a bracket that nothing closes would have every such guess read to the end of
// the text. Round brackets are few; the text is padded, so that reading to the end of a block is
// safe.
const char* GuessTupleEnd(const char* p, const char* end) {
  int64_t depth = 0;
#ifdef __SSE2__
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto is = [&](char c) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
    const __m128i found = _mm_or_si128(_mm_or_si128(is('('), is(')')), is('\n'));
    unsigned mask = static_cast<unsigned>(_mm_movemask_epi8(found));
    for (; mask != 0; mask &= mask - 1) {
      const char* at = p + __builtin_ctz(mask);
      if (*at == '\n') return at;
      depth += *at == '(' ? 1 : -1;
      if (depth == 0) return at + 1;
    }
  }
#endif
  for (; p < end && *p != '\n'; ++p) {
    if (*p == '(') ++depth;
    if (*p == ')' && --depth == 0) return p + 1;
  }
  return p;
}

// XLA looks at a physical shape when it has read the whole layout.
bool FailAfterLayout(Reader& in, const absl::Status& status) {
  const char* close = FindInLine(in.at() + text::ErrorOffset(status), '}');
  if (*close == '}') in.AdvanceTo(close + 1);
  return in.Fail(status.message());
}

// `f32[2] {0}`: the layout may stand apart. After `-> f32[2] {` stands a body, which begins with a
// name.
bool HasLayoutApart(const Reader& in) {
  if (in.Peek() != '{') return false;
  const char* next = in.at() + 1;
  while (*next == ' ' || *next == '\t' || *next == '\r' || *next == '\n') ++next;
  return next < in.end() && *next != '%' && !HasClass(*next, kNameStart);
}

}  // namespace

bool ShapeCache::Starts(const Reader& in) {
  if (in.Peek() == '(') return true;
  if (!HasClass(in.Peek(), kNameStart)) return false;
  const char* end = NameCharsEnd(in.at(), in.at() + in.Rest().size());
  if (*end == '[') return true;
  if (*end == '(') return in.Peek() == 'b' && end == in.at() + 1;
  return in.PeekType();
}

bool ShapeCache::Read(Reader& in, ShapeId* shape) {
  const char* begin = in.at();
  const bool tuple = *begin == '(';
  const char* end = tuple ? GuessTupleEnd(begin, begin + in.Rest().size()) : GuessArrayEnd(begin);
  const absl::string_view guess(begin, static_cast<size_t>(end - begin));
  const uint32_t hash = HashText(guess);
  const uint32_t number = numbers_.Find(guess, hash);
  if (number != TextNumbers::kNone) {
    in.AdvanceTo(end);
    if (tuple || end[-1] == '}' || !HasLayoutApart(in)) {
      *shape = known_[number].shape;
      last_is_printed_ = known_[number].is_printed;
      return true;
    }
    in.Rewind(begin);
  }
  last_is_printed_ = false;
  if (!Parse(in, shape)) return false;
  if (number == TextNumbers::kNone && in.last_end() == end) {
    last_is_printed_ = layout::ShapeToString(module_->interned_shape(*shape)) == guess;
    numbers_.Add(guess, hash);
    known_.push_back({*shape, last_is_printed_});
  }
  return true;
}

bool ShapeCache::Parse(Reader& in, ShapeId* shape) {
  text::Cursor cursor(in.Rest());
  const auto parsed = layout::ParseShape(cursor);
  if (!parsed.ok()) {
    const absl::Status& status = parsed.status();
    if (layout::ErrorCode(status) == "E_PHYSICAL") return FailAfterLayout(in, status);
    return in.FailAt(in.offset() + static_cast<uint32_t>(text::ErrorOffset(status)),
                     status.message());
  }
  // Invalid shapes parse, except inside a tuple, as in XLA.
  if (parsed->is_tuple()) {
    const absl::Status status = layout::Validate(*parsed);
    if (!status.ok()) return in.Fail(status.message());
  }
  in.AdvanceTo(in.at() + cursor.offset());
  *shape = module_->InternShape(*parsed);
  return true;
}

}  // namespace tessera::hlo
