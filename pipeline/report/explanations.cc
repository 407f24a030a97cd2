#include "tessera/pipeline/report/explanations.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tessera/pipeline/explain/explanation.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/report/pack.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

constexpr int kBlock = 128;
constexpr size_t kMaxRows = 24;            // of a chain
constexpr int64_t kMaxLinks = 30'000'000;  // of all chains
constexpr int64_t kMaxVisits = 4'000'000;  // rows that all searches for one dimension visit

int64_t Refused(const TensorTable& table, int64_t asked) {
  if (asked != kAsManyAsFast) return asked;
  return std::max<int64_t>(kMaxVisits / std::max(table.size(), 1), 50);
}

// Rows in descending order of their bytes on a device, results first.
std::vector<int> BySize(const TensorTable& table) {
  std::vector<int64_t> bytes;
  for (const Tensor& tensor : table.tensors()) bytes.push_back(ShareOf(tensor).bytes);
  std::vector<int> rows(bytes.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
    if (table.is_result(a) != table.is_result(b)) return table.is_result(a);
    return bytes[static_cast<size_t>(a)] > bytes[static_cast<size_t>(b)];
  });
  return rows;
}

class Explainer {
 public:
  Explainer(const Explained& explained, SourceLines* source_lines)
      : explained_(explained), labels_(explained, source_lines) {}

  void Fill(sharding::explain::SlotId slot, bool why_not, answers::ReportExplanation* to) {
    if (slot == sharding::explain::kNoIndex) {
      return to->add_lines()->set_text("propagation never saw this tensor");
    }
    if (links_ > kMaxLinks) return;
    Question question;
    question.why_not = why_not;
    const auto explanation = Explain(explained_, labels_, slot, question);
    if (!explanation.ok()) {
      return to->add_lines()->set_text(std::string(explanation.status().message()));
    }
    links_ += LinksOf(*explanation);
    TextStyle style;
    style.most_rows = kMaxRows;
    FillExplanation(explained_, labels_, *explanation, style, to);
  }

 private:
  static int64_t LinksOf(const Explanation& explanation) {
    size_t links = 0;
    for (const DimensionAnswer& dim : explanation.dims) {
      for (const AxisAnswer& axis : dim.axes) {
        for (const auto& chain : axis.chains) links += chain.links.size();
      }
    }
    return static_cast<int64_t>(links);
  }

  const Explained& explained_;
  const Labels labels_;
  int64_t links_ = 0;  // so far
};

}  // namespace

void FillExplanations(const Explained& explained, const TensorTable& table, int64_t refused,
                      SourceLines* source_lines, answers::ReportExplanations* to) {
  Explainer explainer(explained, source_lines);
  std::vector<std::string> of_rows(static_cast<size_t>(table.size()));  // as bytes: there are many
  refused = Refused(table, refused);
  int64_t done = 0;
  for (const int row : BySize(table)) {
    answers::ReportExplanation explanation;
    explainer.Fill(table.SlotOf(explained, row), /*why_not=*/done++ < refused, &explanation);
    of_rows[static_cast<size_t>(row)] = explanation.SerializeAsString();
  }
  to->set_block(kBlock);
  for (size_t begin = 0; begin < of_rows.size(); begin += kBlock) {
    answers::ExplanationBlock block;
    const size_t end = std::min(begin + kBlock, of_rows.size());
    for (size_t row = begin; row < end; ++row) block.add_rows()->ParseFromString(of_rows[row]);
    to->add_packed(Pack(text::JsonOf(block)));
  }
  if (refused < table.size()) to->set_refused(refused);
}

}  // namespace tessera::pipeline
