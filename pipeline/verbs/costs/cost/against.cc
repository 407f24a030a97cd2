#include "tessera/pipeline/verbs/costs/cost/against.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"

namespace tessera::pipeline {
namespace {

// A kernel or a collective beside its events.
struct Part {
  std::string name, line;
  double runs = 1;         // predicted, of a step
  double predicted_s = 0;  // in a step
  const cost::TraceOp* op = nullptr;
  double once_s = 0;  // measured
};

const cost::TraceOp* Find(const cost::Trace& trace, absl::string_view name) {
  const auto found = trace.ops.find(name);
  return found == trace.ops.end() ? nullptr : &found->second;
}

std::vector<Part> PartsOf(const CostBill& bill, const cost::Trace& trace) {
  std::vector<Part> parts;
  for (const CostKernel& kernel : bill.kernels) {
    Part part = {kernel.name,
                 SourceText(kernel.location, kernel.op_name),
                 kernel.part.runs,
                 kernel.part.seconds(),
                 Find(trace, kernel.name),
                 0};
    if (part.op != nullptr) part.once_s = part.op->Median();
    parts.push_back(std::move(part));
  }
  for (const CostCollective& one : bill.collectives) {
    Part part = {one.name, SourceText(one.line), one.runs, one.links_s(), Find(trace, one.name), 0};
    if (part.op != nullptr) part.once_s = part.op->Shortest();
    parts.push_back(std::move(part));
  }
  return parts;
}

// How often the program ran: the median over its instructions.
double RunsOfProgram(const std::vector<Part>& parts) {
  std::vector<double> runs;
  for (const Part& part : parts) {
    if (part.op == nullptr || !(part.runs > 0)) continue;
    runs.push_back(static_cast<double>(part.op->seconds.size()) / part.runs);
  }
  if (runs.empty()) return 0;
  const auto middle = runs.begin() + static_cast<std::ptrdiff_t>(runs.size() / 2);
  std::nth_element(runs.begin(), middle, runs.end());
  return *middle;
}

using Measured = google::protobuf::RepeatedPtrField<answers::CostMeasured>;

answers::CostMeasured* Add(const std::string& name, Measured* to) {
  answers::CostMeasured* one = to->Add();
  one->set_name(name);
  return one;
}

void Count(double predicted, double measured, answers::CostMeasured* sum) {
  sum->set_count(sum->count() + 1);
  sum->set_predicted_s(sum->predicted_s() + predicted);
  sum->set_measured_s(sum->measured_s() + measured);
}

void SortByMeasured(Measured* parts) {
  std::stable_sort(parts->begin(), parts->end(),
                   [](const auto& a, const auto& b) { return a.measured_s() > b.measured_s(); });
}

}  // namespace

answers::CostAgainst CompareWithTrace(const CostBill& bill, const cost::Trace& trace) {
  const std::vector<Part> parts = PartsOf(bill, trace);
  answers::CostAgainst against;
  const double runs = RunsOfProgram(parts);
  absl::flat_hash_map<std::string, answers::CostMeasured*> lines;
  double wrong = 0, predicted = 0, measured = 0, not_measured = 0;
  int64_t num_not_measured = 0;
  for (const Part& part : parts) {
    if (part.op == nullptr || !(part.once_s > 0)) {
      ++num_not_measured;
      not_measured += part.predicted_s;
      continue;
    }
    const double seconds = part.once_s * static_cast<double>(part.op->seconds.size()) / runs;
    const auto [place, is_new] = lines.try_emplace(part.line, nullptr);
    if (is_new) place->second = Add(part.line, against.mutable_by_line());
    Count(part.predicted_s, seconds, place->second);
    Count(part.predicted_s, seconds, Add(part.name, against.mutable_each()));
    predicted += part.predicted_s;
    measured += seconds;
    if (part.predicted_s > 0) wrong += seconds * std::fabs(std::log(part.predicted_s / seconds));
  }
  against.set_runs(runs);
  against.set_predicted_s(predicted);
  against.set_measured_s(measured);
  against.set_factor(measured > 0 ? std::exp(wrong / measured) : 1);
  against.set_not_measured(num_not_measured);
  against.set_not_measured_s(not_measured);
  SortByMeasured(against.mutable_by_line());
  SortByMeasured(against.mutable_each());
  return against;
}

}  // namespace tessera::pipeline
