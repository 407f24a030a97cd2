#include "tessera/pipeline/report/explanations.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/report/pack.h"
#include "tessera/pipeline/verbs/shardings_answer.h"

namespace tessera::pipeline {
namespace {

constexpr int kBlock = 128;

// Whether each row is among the `most` largest; results are always.
std::vector<bool> Largest(const TensorTable& table, int64_t most) {
  std::vector<int64_t> bytes;
  for (const Tensor& tensor : table.tensors()) bytes.push_back(ShareOf(tensor).bytes);
  std::vector<size_t> rows(bytes.size());
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    const bool result_a = table.is_result(static_cast<int>(a));
    const bool result_b = table.is_result(static_cast<int>(b));
    return result_a != result_b ? result_a : bytes[a] > bytes[b];
  });
  rows.resize(std::min(rows.size(), static_cast<size_t>(std::max<int64_t>(most, 0))));
  std::vector<bool> is_largest(bytes.size());
  for (const size_t row : rows) is_largest[row] = true;
  return is_largest;
}

std::string TextOf(const Explained& explained, const Labels& labels,
                   sharding::explain::SlotId slot) {
  if (slot == sharding::explain::kNoIndex) return "propagation never saw this tensor\n";
  const auto explanation = Explain(explained, labels, slot, {});
  return explanation.ok() ? ExplanationText(explained, labels, *explanation, {})
                          : std::string(explanation.status().message());
}

}  // namespace

void WriteExplanations(const Explained& explained, const TensorTable& table, int64_t most,
                       text::JsonWriter* json) {
  const Labels labels(explained);
  const std::vector<bool> is_wanted = Largest(table, most);
  json->BeginObject().Key("block").Int(kBlock).Key("packed").BeginArray();
  for (int begin = 0; begin < table.size(); begin += kBlock) {
    text::JsonWriter texts;
    texts.BeginArray();
    for (int row = begin; row < std::min(begin + kBlock, table.size()); ++row) {
      texts.String(is_wanted[static_cast<size_t>(row)]
                       ? TextOf(explained, labels, table.SlotOf(explained, row))
                       : "");
    }
    texts.EndArray();
    json->String(Pack(texts.text()));
  }
  json->EndArray();
  if (most < table.size()) json->Key("explained").Int(most);
  json->EndObject();
}

}  // namespace tessera::pipeline
