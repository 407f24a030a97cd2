#include "tessera/testing/pairs/spelling.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tessera/testing/pairs/dump.h"

namespace tessera::testing::pairs {
namespace {

using absl::string_view;

std::vector<int64_t> Numbers(string_view text) {
  std::vector<int64_t> numbers;
  for (string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    int64_t value = 0;
    if (absl::SimpleAtoi(part, &value)) numbers.push_back(value);
  }
  return numbers;
}

// Takes "[1,2]" off the front of `text`.
std::vector<int64_t> TakeList(string_view& text, char close) {
  const size_t end = text.find(close);
  if (end == string_view::npos) return {};
  std::vector<int64_t> numbers = Numbers(text.substr(1, end - 1));
  text.remove_prefix(end + 1);
  return numbers;
}

// Devices of iota(reshape) transposed by `order`, row-major.
std::vector<int64_t> IotaDevices(const std::vector<int64_t>& reshape,
                                 const std::vector<int64_t>& order) {
  std::vector<int64_t> strides(reshape.size(), 1);
  for (size_t i = reshape.size(); i-- > 1;) strides[i - 1] = strides[i] * reshape[i];
  std::vector<int64_t> devices = {0};
  for (int64_t axis : order) {
    std::vector<int64_t> longer;
    longer.reserve(devices.size() * reshape[axis]);
    for (int64_t device : devices) {
      for (int64_t i = 0; i < reshape[axis]; ++i) longer.push_back(device + i * strides[axis]);
    }
    devices = std::move(longer);
  }
  return devices;
}

std::string SpellTiles(string_view text) {
  const std::vector<int64_t> dims = TakeList(text, ']');
  std::vector<int64_t> devices;
  if (absl::ConsumePrefix(&text, "<=")) {
    const std::vector<int64_t> reshape = TakeList(text, ']');
    std::vector<int64_t> order(reshape.size());
    std::iota(order.begin(), order.end(), 0);
    if (absl::ConsumePrefix(&text, "T")) order = TakeList(text, ')');
    devices = IotaDevices(reshape, order);
  } else {
    const size_t end = std::min(text.find(' '), text.size());
    devices = Numbers(text.substr(0, end));
    text.remove_prefix(end);
  }
  return absl::StrCat("{devices=[", absl::StrJoin(dims, ","), "]", absl::StrJoin(devices, ","), " ",
                      absl::StripAsciiWhitespace(text), "}");
}

}  // namespace

bool IsTupleSharding(string_view sharding) {
  if (sharding.size() < 2) return false;
  const string_view inner =
      absl::StripLeadingAsciiWhitespace(sharding.substr(1, sharding.size() - 2));
  return inner.empty() || inner[0] == '{';
}

std::string Spellings::Spell(string_view sharding) {
  if (sharding.size() < 2) return std::string(sharding);
  string_view inner = absl::StripAsciiWhitespace(sharding.substr(1, sharding.size() - 2));
  if (IsTupleSharding(sharding)) {
    std::string joined = "{";
    for (string_view part : SplitTopLevel(inner)) absl::StrAppend(&joined, Canonical(part), ",");
    return joined + "}";
  }
  if (absl::ConsumePrefix(&inner, "devices=")) return SpellTiles(inner);
  return absl::StrCat("{", inner, "}");
}

const std::string& Spellings::Canonical(string_view sharding) {
  const auto found = known_.find(sharding);
  if (found != known_.end()) return found->second;
  std::string spelled = Spell(sharding);
  return known_.emplace(std::string(sharding), std::move(spelled)).first->second;
}

}  // namespace tessera::testing::pairs
