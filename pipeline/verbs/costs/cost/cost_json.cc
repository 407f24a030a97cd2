#include <string>

#include "google/protobuf/repeated_field.h"
#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

template <typename Message>
using List = google::protobuf::RepeatedPtrField<Message>;

void FillSums(const std::vector<CostSum>& sums, List<answers::CostSum>* to) {
  for (const CostSum& sum : sums) {
    answers::CostSum* one = to->Add();
    one->set_name(sum.name);
    one->set_count(sum.count);
    one->set_seconds(sum.seconds);
  }
}

void FillAxis(const AxisSum& sum, answers::CostAxis* to) {
  to->set_name(sum.name);
  to->set_count(sum.count);
  to->set_sent(sum.sent);
  to->set_links_s(sum.links_s);
  to->set_exposed_s(sum.exposed_s);
}

void FillCollective(const CostCollective& one, answers::CostCollective* to) {
  const CollectiveLine& line = one.line;
  FillCall(line, to);
  to->set_runs(one.runs);
  if (one.once.seconds.has_value()) to->set_seconds_once(*one.once.seconds);
  to->set_links_s(one.links_s());
  to->set_exposed_s(one.exposed_s());
  to->set_asynchronous(one.once.is_hidden_by_kernels);
  to->set_formula(one.once.formula);
  to->set_why_unknown(one.once.why_unknown);
  to->set_op_name(line.op_name);
  to->set_location(line.location);
}

void FillKernel(const CostKernel& kernel, answers::CostKernel* to) {
  const cost::KernelPart& part = kernel.part;
  to->set_name(kernel.name);
  to->set_kind(kernel.kind);
  to->set_op_name(kernel.op_name);
  to->set_location(kernel.location);
  to->set_runs(part.runs);
  to->set_seconds_once(part.once.seconds);
  to->set_seconds(part.seconds());
  if (part.stated_s.has_value()) to->set_stated_s(*part.stated_s);
  to->set_flops_once(part.flops);
  to->set_bytes_once(part.bytes);
  to->set_bound(kernel.bound);
}

void FillStep(const cost::TargetStep& step, answers::CostAnswer* answer) {
  answer->set_total_s(step.total_s());
  answer->set_device_s(step.device_s);
  answer->set_links_s(step.links_s);
  answer->set_exposed_s(step.exposed_s);
  answer->set_least_s(step.least_s());
  answer->set_most_s(step.most_s());
  answer->set_matrix_units_s(step.products_s);
  answer->set_memory_s(step.memory_s);
  answer->set_flops(step.flops);
  answer->set_bytes(step.bytes);
  answer->set_collectives_without_time(step.without_time);
  answer->set_loops_counted_once(step.loops_counted_once);
}

void FillMeasured(const std::vector<MeasuredPart>& parts, List<answers::CostMeasured>* to) {
  for (const MeasuredPart& part : parts) {
    answers::CostMeasured* one = to->Add();
    one->set_name(part.name);
    one->set_count(part.count);
    one->set_predicted_s(part.predicted_s);
    one->set_measured_s(part.measured_s);
  }
}

void FillAgainst(const Against& against, answers::CostAgainst* to) {
  to->set_runs(against.runs);
  to->set_predicted_s(against.predicted_s);
  to->set_measured_s(against.measured_s);
  to->set_factor(against.factor);
  to->set_not_measured(against.not_measured);
  to->set_not_measured_s(against.not_measured_s);
  FillMeasured(against.by_line, to->mutable_by_line());
  FillMeasured(against.each, to->mutable_each());
}

}  // namespace

std::string CostJson(const CostBill& bill, const std::optional<Against>& against) {
  answers::CostAnswer answer;
  answer.set_target(bill.target);
  answer.set_is_final(bill.is_final);
  FillStep(bill.step, &answer);
  answer.set_sent(bill.sent);
  if (bill.peak_flops > 0) answer.set_peak_flops_per_s(bill.peak_flops);
  if (bill.memory.has_value()) {
    answer.set_memory(bill.memory->bytes);
    if (bill.memory->of_device.has_value()) answer.set_memory_of_device(*bill.memory->of_device);
  }
  *answer.mutable_unknown() = {bill.unknown.begin(), bill.unknown.end()};
  FillSums(bill.by_bound, answer.mutable_by_bound());
  FillSums(bill.by_op, answer.mutable_by_op());
  FillSums(bill.by_line, answer.mutable_by_line());
  for (const AxisSum& sum : bill.by_axis) FillAxis(sum, answer.add_by_axis());
  for (const CostCollective& one : bill.collectives) FillCollective(one, answer.add_collectives());
  for (const CostKernel& kernel : bill.kernels) FillKernel(kernel, answer.add_kernels());
  if (against.has_value()) FillAgainst(*against, answer.mutable_against());
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
