#include "tessera/pipeline/verbs/search/sweep/sweep_part.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/sweep/parallel.h"
#include "tessera/pipeline/input/session.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/text/fingerprint.h"
#include "tessera/text/status_macros.h"

namespace tessera::pipeline {
namespace {

// Flags by which figures of a variant are no others: they choose variants, rows or a form.
constexpr absl::string_view kWithoutFigures[] = {
    "mesh", "annotate", "try",  "grid",   "by",           "top",  "part",   "only",
    "plan", "merge",    "json", "module", "result-names", "jobs", "config", "memory-limit"};

// A machine file may change under its name.
std::string MachineText(const Arguments& arguments, const std::string& name) {
  const auto file = ReadFile(arguments, name);
  return file.ok() ? std::string((*file)->text()) : name;
}

struct Part {
  size_t part = 0, parts = 1;
};

absl::StatusOr<Part> ReadPart(const std::string& text) {
  const std::pair<absl::string_view, absl::string_view> words = absl::StrSplit(text, '/');
  Part part;
  if (!absl::SimpleAtoi(words.first, &part.part) || !absl::SimpleAtoi(words.second, &part.parts) ||
      part.part < 1 || part.part > part.parts) {
    return absl::InvalidArgumentError(
        absl::StrCat("--part=", text, ": expected K/N with K from 1 to N, as in 2/8"));
  }
  --part.part;
  return part;
}

// Distinct keys are dealt out in the order in which they come.
std::vector<size_t> VariantsOf(const Part& part, const SweepGrid& grid, const SweepKeys& keys) {
  const std::vector<absl::uint128> all =
      keys.OfAll(grid.size(), [&](size_t k) { return grid.Of(k); });
  absl::flat_hash_map<absl::uint128, size_t> order;
  std::vector<size_t> numbers;
  for (size_t k = 0; k < all.size(); ++k) {
    const size_t place = order.try_emplace(all[k], order.size()).first->second;
    if (place % part.parts == part.part) numbers.push_back(k);
  }
  return numbers;
}

absl::StatusOr<std::vector<size_t>> ReadOnly(const std::string& text, size_t size) {
  std::vector<size_t> numbers;
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    size_t number = 0;
    if (!absl::SimpleAtoi(word, &number) || number >= size) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--only=", text, ": the sweep has ", size, size == 1 ? " variant" : " variants",
          "; expected ", size == 1 ? "0" : absl::StrCat("numbers from 0 to ", size - 1), ": ",
          "--plan lists them"));
    }
    numbers.push_back(number);
  }
  absl::c_sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

}  // namespace

SweepKeys::SweepKeys(const Arguments& arguments, const std::vector<Flag>& flags,
                     const hlo::Module& module, const VariantCosts& costs)
    : costs_(costs) {
  std::vector<std::string> words = {std::string(module.source_text())};
  for (const Flag& flag : flags) {
    if (!arguments.Has(flag.name) || absl::c_linear_search(kWithoutFigures, flag.name)) continue;
    words.push_back(absl::StrCat("--", flag.name));
    for (const std::string& value : arguments.All(flag.name)) {
      words.push_back(flag.name == "target" ? MachineText(arguments, value) : value);
    }
  }
  sweep_ = text::FingerprintText(text::Fingerprint({words.begin(), words.end()}));
}

absl::uint128 SweepKeys::Of(const Variant& variant) const {
  const std::optional<std::string> key = costs_.KeyOf(variant);
  if (key.has_value()) return text::Fingerprint({sweep_, *key});
  return text::Fingerprint({sweep_, "refused", VariantText(variant)});
}

std::vector<absl::uint128> SweepKeys::OfAll(size_t count,
                                            const std::function<Variant(size_t)>& variant) const {
  std::vector<absl::uint128> keys(count);
  cost::ForEachIndex(count, costs_.threads(), [&](size_t k) { keys[k] = Of(variant(k)); });
  return keys;
}

std::vector<Flag> PartFlags() {
  return {{"part", "K/N",
           "run only the K-th of N parts; equal variants are in one part, and N such runs are the "
           "whole sweep",
           "", false},
          {"only", "NUMBERS", "run only the variants with these numbers, as in 0,5,7", "", false}};
}

absl::StatusOr<std::vector<size_t>> VariantsOfRun(const Arguments& arguments, const SweepGrid& grid,
                                                  const SweepKeys& keys) {
  if (arguments.Has("only")) return ReadOnly(arguments.Get("only"), grid.size());
  if (arguments.Has("part")) {
    TESSERA_ASSIGN_OR_RETURN(const Part part, ReadPart(arguments.Get("part")));
    return VariantsOf(part, grid, keys);
  }
  std::vector<size_t> all(grid.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

}  // namespace tessera::pipeline
