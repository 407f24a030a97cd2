#include "tessera/hlo/values/values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tessera::hlo {

namespace {

// `{0,1,2}`, of digits and commas alone, as most lists are; nothing is read of any other.
bool ReadPlainInts(Reader& in, IntList* values) {
  constexpr std::ptrdiff_t kDigitsThatFit = 18;
  const absl::string_view rest = in.Rest();
  const char* p = rest.data();
  const char* const end = p + rest.size();
  if (rest.empty() || *p != '{') return false;
  const size_t count = values->size();
  const char* digits = nullptr;
  do {
    digits = ++p;
    uint64_t value = 0;
    for (; p - digits < kDigitsThatFit; ++p) {
      const unsigned digit = static_cast<unsigned>(*p - '0');
      if (digit > 9) break;
      value = 10 * value + digit;
    }
    if (p == digits) break;
    values->push_back(static_cast<int64_t>(value));
  } while (*p == ',' && p < end);
  if (*p == '}' && p < end && p != digits) {
    in.AdvanceTo(p + 1);
    return true;
  }
  values->resize(count);
  return false;
}

}  // namespace

bool ReadInts(Reader& in, IntList* values) {
  if (ReadPlainInts(in, values)) return true;
  if (!in.Expect('{', "to start a list of integers")) return false;
  if (in.Eat('}')) return true;
  do {
    int64_t value = 0;
    if (!in.ReadIntInList(&value)) return in.Fail("expected an integer");
    values->push_back(value);
  } while (in.Eat(','));
  return in.Expect('}', "to end a list of integers");
}

bool ReadIntLists(Reader& in, std::vector<IntList>* lists) {
  if (!in.Expect('{', "to start a list of lists")) return false;
  if (in.Eat('}')) return true;
  do {
    lists->emplace_back();
    if (!ReadInts(in, &lists->back())) return false;
  } while (in.Eat(','));
  return in.Expect('}', "to end a list of lists");
}

bool ReadInt32(Reader& in, int64_t* value) {
  const char* at = in.at();
  if (!in.ExpectInt(value)) return false;
  if (*value >= std::numeric_limits<int32_t>::min() &&
      *value <= std::numeric_limits<int32_t>::max()) {
    return true;
  }
  return in.FailAt(at, absl::StrCat(*value, " does not fit 32 bits"));
}

bool ReadBool(Reader& in, bool* value) {
  *value = in.PeekWord("true");
  return in.EatWord(*value ? "true" : "false") || in.Fail("expected true or false");
}

bool ReadFloat(Reader& in, double* value) {
  const char* at = in.at();
  absl::string_view token;
  if (!in.ReadNumber(&token)) return in.Fail("expected a number");
  *value = std::strtod(std::string(token).c_str(), nullptr);
  if (std::isnan(*value) || std::abs(*value) <= std::numeric_limits<float>::max()) return true;
  return in.FailAt(at, absl::StrCat(token, " does not fit a float"));
}

bool ReadEnumeration(Reader& in, absl::Span<const absl::string_view> words, bool ignore_case,
                     absl::string_view what, absl::string_view* word) {
  const char* at = in.at();
  absl::string_view text;
  if (in.ReadIdentifier(&text)) {
    for (absl::string_view known : words) {
      if (text != known && !(ignore_case && absl::EqualsIgnoreCase(text, known))) continue;
      *word = known;
      return true;
    }
  }
  return in.FailAt(
      at, absl::StrCat("expected a value of ", what, ", one of ", absl::StrJoin(words, ", "),
                       text.empty() ? "" : absl::StrCat(", but got ", text)));
}

bool ReadBools(Reader& in, std::vector<bool>* values) {
  if (!in.Expect('{', "to start a list of true and false")) return false;
  if (in.Eat('}')) return true;
  do {
    const bool value = in.PeekWord("true");
    if (!in.EatWord(value ? "true" : "false")) {
      return in.FailAtName("expected a list of true and false");
    }
    values->push_back(value);
  } while (in.Eat(','));
  return in.Expect('}', "to end a list of true and false");
}

bool ReadAliasing(Reader& in, std::vector<OperandAlias>* aliases) {
  if (!in.Expect('{', "to start the aliasing")) return false;
  if (in.Eat('}')) return true;
  do {
    OperandAlias& alias = aliases->emplace_back();
    if (!ReadInts(in, &alias.output_index) || !in.Expect(':') || !in.Expect('(') ||
        !in.ExpectInt(&alias.operand) || !in.Expect(',') || !ReadInts(in, &alias.operand_index) ||
        !in.Expect(')')) {
      return false;
    }
  } while (in.Eat(','));
  return in.Expect('}', "to end the aliasing");
}

bool ReadBalanced(Reader& in, absl::string_view* token) {
  const char* begin = in.at();
  if (in.Peek() != '{') return in.Fail("expected '{'");
  int64_t depth = 0;
  do {
    absl::string_view string;
    if (in.AtEnd()) return in.Fail("expected '}'");
    if (in.Eat('{')) {
      ++depth;
    } else if (in.Eat('}')) {
      --depth;
    } else if (in.Peek() == '"' || in.Peek() == '\'') {
      if (!in.ExpectString(&string)) return false;
    } else {
      in.AdvanceTo(in.at() + 1);
    }
  } while (depth > 0);
  *token = in.TextFrom(begin);
  return true;
}

bool ReadNumberedFields(Reader& in, absl::string_view names) {
  const char* open = in.at();
  const std::vector<absl::string_view> wanted = absl::StrSplit(names, ' ');
  std::vector<bool> seen(wanted.size());
  if (!in.Expect('{', "to start the fields")) return false;
  while (!in.Eat('}')) {
    in.Eat(',');
    const char* at = in.at();
    absl::string_view name;
    int64_t value = 0;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected a field and '='");
    const auto found = std::find(wanted.begin(), wanted.end(), name);
    if (found == wanted.end()) return in.FailAt(at, absl::StrCat("unknown field '", name, "'"));
    if (seen[found - wanted.begin()]) return in.FailAt(at, absl::StrCat("second '", name, "'"));
    seen[found - wanted.begin()] = true;
    if (!ReadInt32(in, &value)) return false;
  }
  const auto missing = std::find(seen.begin(), seen.end(), false);
  if (missing == seen.end()) return true;
  return in.FailAt(open,
                   absl::StrCat("the field '", wanted[missing - seen.begin()], "' is missing"));
}

namespace {

template <typename T, bool (*Read)(Reader&, T*)>
bool Check(Reader& in) {
  T value;
  return Read(in, &value);
}

struct RareRow {
  AttributeSyntax syntax;
  bool (*read)(Reader&);
};

constexpr RareRow kRareRows[] = {
    {AttributeSyntax::kIntLists, Check<std::vector<IntList>, ReadIntLists>},
    {AttributeSyntax::kBools, Check<std::vector<bool>, ReadBools>},
    {AttributeSyntax::kFrontendAttributes,
     Check<std::vector<FrontendEntry>, ReadFrontendAttributes>},
    {AttributeSyntax::kStatistics, Check<Statistics, ReadStatistics>},
    {AttributeSyntax::kOrigin, Check<OriginTree, ReadOrigin>},
    {AttributeSyntax::kWindow, Check<Window, ReadWindow>},
    {AttributeSyntax::kDimLabels, Check<ConvolutionDimensions, ReadConvolutionDimensions>},
    {AttributeSyntax::kPadding, Check<std::vector<PaddingDimension>, ReadPadding>},
    {AttributeSyntax::kSlice, Check<std::vector<SliceDimension>, ReadSlice>},
    {AttributeSyntax::kReplicaGroups, Check<ReplicaGroups, ReadReplicaGroups>},
    {AttributeSyntax::kAliasing, Check<std::vector<OperandAlias>, ReadAliasing>},
    {AttributeSyntax::kDomain, Check<Domain, ReadDomain>},
    {AttributeSyntax::kResultAccuracy, Check<ResultAccuracy, ReadResultAccuracy>},
    {AttributeSyntax::kSparsity, Check<SparsityConfig, ReadSparsity>},
};

}  // namespace

bool ParseStructuredValue(Reader& in, AttributeSyntax syntax) {
  for (const RareRow& row : kRareRows) {
    if (row.syntax == syntax) return row.read(in);
  }
  return in.Fail("a value that cannot be read");
}

}  // namespace tessera::hlo
