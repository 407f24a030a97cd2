#include <string>

#include "tessera/pipeline/schema/cost_answer.pb.h"
#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

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
  FillMade(line, to);
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

}  // namespace

std::string CostJson(const CostBill& bill, const std::optional<answers::CostAgainst>& against) {
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
  *answer.mutable_by_bound() = {bill.by_bound.begin(), bill.by_bound.end()};
  *answer.mutable_by_op() = {bill.by_op.begin(), bill.by_op.end()};
  *answer.mutable_by_line() = {bill.by_line.begin(), bill.by_line.end()};
  *answer.mutable_by_axis() = {bill.by_axis.begin(), bill.by_axis.end()};
  for (const CostCollective& one : bill.collectives) FillCollective(one, answer.add_collectives());
  for (const CostKernel& kernel : bill.kernels) FillKernel(kernel, answer.add_kernels());
  if (against.has_value()) *answer.mutable_against() = *against;
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
