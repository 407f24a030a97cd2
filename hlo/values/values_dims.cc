// Values of attributes with numbers for each dimension.
//
//   window={size=3x3 pad=1_1x0_0}    a field for each property; each has as many entries as size=
//   padding=1_1x0_0_2                low, high and, if it is not 0, interior
//   slice={[0:8:2], [4:5]}           start, limit and, if it is not 1, stride
//   dim_labels=b01f_01io->b01f       at each place the dimension that stands there
//
// The scanner takes 3x3 and 1_1x0_0 as one word by their characters; here it is cut at x and _. A part
// which does not fit 64 bits is an error with its place. Cost: linear. Tested by values_test.cc.

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

// Splits `token` at each `separator` and reads the integers; false if one does not fit 64 bits.
bool SplitInts(absl::string_view token, char separator, IntList* values) {
  while (true) {
    const size_t size =
        static_cast<size_t>(std::find(token.begin(), token.end(), separator) - token.begin());
    const auto value = ParseIntToken(token.substr(0, size));
    if (!value.has_value()) return false;
    values->push_back(*value);
    if (size == token.size()) return true;
    token.remove_prefix(size + 1);
  }
}

// `1_1x0_0` or `1_1_0x..`: the numbers of one dimension each.
using PadNumbers = absl::InlinedVector<IntList, 4>;

bool ReadPadNumbers(Reader& in, PadNumbers* dims) {
  absl::string_view token;
  const char* at = in.at();
  if (!in.ReadPad(&token)) return in.Fail("expected padding such as 0_0x3_3");
  while (true) {
    const size_t x = token.find('x');
    if (!SplitInts(token.substr(0, x), '_', &dims->emplace_back())) {
      return in.FailAt(at, "padding does not fit 64 bits");
    }
    if (x == absl::string_view::npos) return true;
    token.remove_prefix(x + 1);
  }
}

struct WindowField {
  absl::string_view name;
  int64_t WindowDimension::*member;
};

constexpr WindowField kWindowFields[] = {
    {"size", &WindowDimension::size},
    {"stride", &WindowDimension::stride},
    {"lhs_dilate", &WindowDimension::base_dilation},
    {"rhs_dilate", &WindowDimension::window_dilation},
    {"rhs_reversal", nullptr},
    {"pad", nullptr},
};
constexpr int kPadField = 5;
constexpr int kNumWindowFields = 6;

// The numbers of each field as written; a field that is not there has none.
struct WindowNumbers {
  IntList fields[kNumWindowFields];
  PadNumbers pad;
  bool seen[kNumWindowFields] = {};
};

bool ReadWindowField(Reader& in, WindowNumbers* numbers) {
  const char* at = in.at();
  absl::string_view name, token;
  if (!in.ReadAttributeName(&name)) return in.Fail("expected a field of a window");
  const auto* field = std::find_if(std::begin(kWindowFields), std::end(kWindowFields),
                                   [&](const WindowField& f) { return f.name == name; });
  const int number = static_cast<int>(field - kWindowFields);
  if (number == kNumWindowFields) {
    return in.FailAt(at, absl::StrCat("a window has no field '", name, "'"));
  }
  if (numbers->seen[number]) return in.Fail(absl::StrCat("second '", name, "=' in a window"));
  numbers->seen[number] = true;
  const char* value = in.at();
  if (number == kPadField) {
    if (!ReadPadNumbers(in, &numbers->pad)) return false;
    for (const IntList& dim : numbers->pad) {
      if (dim.size() != 2) return in.FailAt(value, "expected low_high padding of a window");
    }
    return true;
  }
  if (!in.ReadIntOrDxD(&token)) return in.Fail("expected sizes such as 3 or 3x3");
  if (SplitInts(token, 'x', &numbers->fields[number])) return true;
  return in.FailAt(value, "size does not fit 64 bits");
}

Window MakeWindow(const WindowNumbers& numbers) {
  Window window(numbers.fields[0].size());
  for (size_t i = 0; i < window.size(); ++i) {
    for (int f = 0; f < 4; ++f) {
      if (numbers.seen[f]) window[i].*kWindowFields[f].member = numbers.fields[f][i];
    }
    if (numbers.seen[4]) window[i].reversal = numbers.fields[4][i] == 1;
    if (!numbers.seen[kPadField]) continue;
    window[i].padding_low = numbers.pad[i][0];
    window[i].padding_high = numbers.pad[i][1];
  }
  return window;
}

}  // namespace

bool ReadWindow(Reader& in, Window* window) {
  const char* open = in.at();
  if (!in.Expect('{', "to start a window")) return false;
  WindowNumbers numbers;
  while (!in.Eat('}')) {
    if (!ReadWindowField(in, &numbers)) return false;
  }
  const size_t rank = numbers.fields[0].size();
  for (int f = 1; f < kNumWindowFields; ++f) {
    const size_t size = f == kPadField ? numbers.pad.size() : numbers.fields[f].size();
    if (numbers.seen[f] && size != rank) {
      return in.FailAt(open, absl::StrCat("'", kWindowFields[f].name, "=' has ", size,
                                          " entries, 'size=' has ", rank));
    }
  }
  *window = MakeWindow(numbers);
  return true;
}

namespace {

// One of the three parts of dimension labels: where the two letters and the spatial dimensions are.
struct LabelPart {
  int64_t first = -1, second = -1;  // positions of the two letters
  IntList spatial;                  // position of spatial dimension k
};

bool ReadLabelPart(Reader& in, const char* at, absl::string_view part, absl::string_view letters,
                   LabelPart* out) {
  const size_t count = static_cast<size_t>(
      std::count_if(part.begin(), part.end(), [](char c) { return HasClass(c, kDigitChar); }));
  out->spatial.assign(count, -1);
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == '?') continue;
    if (HasClass(c, kDigitChar) && static_cast<size_t>(c - '0') >= count) {
      return in.FailAt(
          at, absl::StrCat("'", part, "' has no spatial dimension ", absl::string_view(&c, 1)));
    }
    int64_t& place = c == letters[0]   ? out->first
                     : c == letters[1] ? out->second
                                       : out->spatial[c - '0'];
    if (place >= 0) {
      return in.FailAt(at, absl::StrCat("a label comes twice in '", part, "'"));
    }
    place = static_cast<int64_t>(i);
  }
  if (out->first < 0 || out->second < 0) {
    return in.FailAt(at, absl::StrCat("'", part, "' needs the labels ", letters));
  }
  return true;
}

}  // namespace

bool ReadConvolutionDimensions(Reader& in, ConvolutionDimensions* dims) {
  const char* at = in.at();
  absl::string_view token;
  if (!in.ReadDimLabels(&token)) return in.Fail("expected labels such as b01f_01io->b01f");
  const size_t rhs = token.find('_'), out = token.find("->");
  LabelPart input, kernel, output;
  if (!ReadLabelPart(in, at, token.substr(0, rhs), "bf", &input) ||
      !ReadLabelPart(in, at, token.substr(rhs + 1, out - rhs - 1), "io", &kernel) ||
      !ReadLabelPart(in, at, token.substr(out + 2), "bf", &output)) {
    return false;
  }
  if (input.spatial.size() != kernel.spatial.size() ||
      input.spatial.size() != output.spatial.size()) {
    return in.FailAt(at, absl::StrCat("input, kernel and output have ", input.spatial.size(), ", ",
                                      kernel.spatial.size(), " and ", output.spatial.size(),
                                      " spatial dimensions; they must be equally many"));
  }
  *dims = {input.first,
           input.second,
           kernel.first,
           kernel.second,
           output.first,
           output.second,
           std::move(input.spatial),
           std::move(kernel.spatial),
           std::move(output.spatial)};
  return true;
}

bool ReadPadding(Reader& in, std::vector<PaddingDimension>* padding) {
  PadNumbers dims;
  if (!ReadPadNumbers(in, &dims)) return false;
  padding->reserve(dims.size());
  for (const IntList& d : dims) padding->push_back({d[0], d[1], d.size() > 2 ? d[2] : 0});
  return true;
}

bool ReadSlice(Reader& in, std::vector<SliceDimension>* slice) {
  if (!in.Expect('{', "to start the ranges of a slice")) return false;
  if (in.Eat('}')) return true;
  constexpr size_t kUsualRank = 4;
  slice->reserve(kUsualRank);
  do {
    const char* open = in.at();
    if (!in.Expect('[', "to start a range")) return false;
    IntList numbers;
    do {
      int64_t value = 0;
      if (!in.ReadIntInList(&value)) return in.Fail("expected an integer");
      numbers.push_back(value);
    } while (in.Eat(':'));
    if (!in.Expect(']', "to end a range")) return false;
    if (numbers.size() != 2 && numbers.size() != 3) {
      return in.FailAt(open, absl::StrCat("expected [start:limit] or [start:limit:stride], got ",
                                          numbers.size(), " numbers"));
    }
    slice->push_back({numbers[0], numbers[1], numbers.size() == 3 ? numbers[2] : 1});
  } while (in.Eat(','));
  return in.Expect('}', "to end the ranges of a slice");
}

}  // namespace tessera::hlo
