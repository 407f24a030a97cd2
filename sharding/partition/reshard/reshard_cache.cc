#include "tessera/sharding/partition/reshard/reshard_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera::sharding::partition {
namespace {

void Append(const hlo::Window& window, std::vector<uint64_t>& out) {
  out.push_back(window.size());
  for (const hlo::WindowDimension& w : window) {
    const int64_t numbers[] = {
        w.size,          w.stride,          w.padding_low,      w.padding_high,
        w.base_dilation, w.window_dilation, int64_t{w.reversal}};
    out.insert(out.end(), std::begin(numbers), std::end(numbers));
  }
}

}  // namespace

bool SameWindow(const hlo::Window& a, const hlo::Window& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.size == y.size && x.stride == y.stride && x.padding_low == y.padding_low &&
           x.padding_high == y.padding_high && x.base_dilation == y.base_dilation &&
           x.window_dilation == y.window_dilation && x.reversal == y.reversal;
  });
}

template <typename Make>
ReshardCache::FormId ReshardCache::Numbered(Numbering::Words words, const Make& make) {
  const auto [number, is_new] = form_numbers_.Of(words);
  if (is_new) forms_.Add(make());
  return static_cast<FormId>(number);
}

ReshardCache::FormId ReshardCache::FormOf(const Tiling& target, const layout::Shape* base,
                                          const Tiling& tiling, int32_t scope) {
  const uint64_t words[] = {0, NumberOf(target), reinterpret_cast<uintptr_t>(base),
                            NumberOf(tiling), static_cast<uint64_t>(scope)};
  return Numbered(words, [&] {
    Form form;
    form.target = target;
    form.base = base;
    form.tiling = tiling;
    form.scope = scope;
    return form;
  });
}

ReshardCache::FormId ReshardCache::FormOf(const Tiling& target, const hlo::Window& window,
                                          const hlo::Window& left, bool slice_output,
                                          const std::vector<TableId>& output_starts) {
  std::vector<uint64_t> words = {1, NumberOf(target), uint64_t{slice_output}};
  constexpr size_t kNumbers = 7;  // of a dimension
  words.reserve(words.size() + kNumbers * (window.size() + left.size()) + output_starts.size() + 2);
  Append(window, words);
  Append(left, words);
  words.insert(words.end(), output_starts.begin(), output_starts.end());
  return Numbered(words, [&] {
    Form form;
    form.target = target;
    form.is_window = true;
    form.window = window;
    form.left = left;
    form.slice_output = slice_output;
    form.output_starts = output_starts;
    return form;
  });
}

void ReshardCache::Put(NodeId node, const Entry& entry) {
  if (Size(first_) <= node) first_.resize(static_cast<size_t>(node) + 1);
  const Form& wanted = form(entry.form);
  int32_t last = kEnd;
  for (int32_t i = First(node); i != kEnd; i = At(links_, i).next) {
    Entry& known = At(links_, i).entry;
    last = i;
    if (wanted.is_window || known.scope != entry.scope || form(known.form).is_window) continue;
    const bool is_same = known.form == entry.form;
    if (!is_same && form(known.form).target != wanted.target) continue;
    const Tiling target = form(known.form).target;  // as it was wished first
    known = entry;
    if (!is_same) known.form = FormOf(target, wanted.base, wanted.tiling, wanted.scope);
    return;
  }
  const int32_t added = static_cast<int32_t>(links_.size());
  links_.push_back({entry, kEnd});
  if (last == kEnd) {
    At(first_, node) = added + 1;
  } else {
    At(links_, last).next = added;
  }
}

}  // namespace tessera::sharding::partition
