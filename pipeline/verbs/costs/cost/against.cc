#include "tessera/pipeline/verbs/costs/cost/against.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

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
                 LineOf(kernel.location, kernel.op_name),
                 kernel.part.runs,
                 kernel.part.seconds(),
                 Find(trace, kernel.name),
                 0};
    if (part.op != nullptr) part.once_s = part.op->Median();
    parts.push_back(std::move(part));
  }
  for (const CostCollective& one : bill.collectives) {
    Part part = {one.name,
                 LineOf(one.line.location, one.line.op_name),
                 one.runs,
                 one.links_s(),
                 Find(trace, one.name),
                 0};
    if (part.op != nullptr) part.once_s = part.op->Shortest();
    parts.push_back(std::move(part));
  }
  return parts;
}

// What half of the instructions say at most.
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

void SortByMeasured(std::vector<MeasuredPart>* parts) {
  std::stable_sort(parts->begin(), parts->end(), [](const MeasuredPart& a, const MeasuredPart& b) {
    return a.measured_s > b.measured_s;
  });
}

}  // namespace

Against CompareWithTrace(const CostBill& bill, const cost::Trace& trace) {
  const std::vector<Part> parts = PartsOf(bill, trace);
  Against against;
  against.runs = RunsOfProgram(parts);
  absl::flat_hash_map<std::string, size_t> lines;
  double wrong = 0;
  for (const Part& part : parts) {
    if (part.op == nullptr || !(part.once_s > 0)) {
      ++against.not_measured;
      against.not_measured_s += part.predicted_s;
      continue;
    }
    const double measured =
        part.once_s * static_cast<double>(part.op->seconds.size()) / against.runs;
    const auto [place, is_new] = lines.try_emplace(part.line, against.by_line.size());
    if (is_new) against.by_line.push_back({part.line, 0, 0, 0});
    MeasuredPart& line = against.by_line[place->second];
    ++line.count;
    line.predicted_s += part.predicted_s;
    line.measured_s += measured;
    against.each.push_back({part.name, 1, part.predicted_s, measured});
    against.predicted_s += part.predicted_s;
    against.measured_s += measured;
    if (part.predicted_s > 0) wrong += measured * std::fabs(std::log(part.predicted_s / measured));
  }
  if (against.measured_s > 0) against.factor = std::exp(wrong / against.measured_s);
  SortByMeasured(&against.by_line);
  SortByMeasured(&against.each);
  return against;
}

}  // namespace tessera::pipeline
