#include <string>

#include "tessera/pipeline/verbs/costs/collective_words.h"
#include "tessera/pipeline/verbs/costs/cost/cost_answer.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {
namespace {

using text::JsonWriter;

void PutSums(absl::string_view key, const std::vector<CostSum>& sums, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const CostSum& sum : sums) {
    json->BeginObject().Key("name").String(sum.name).Key("count").Int(sum.count);
    json->Key("seconds").Double(sum.seconds).EndObject();
  }
  json->EndArray();
}

void PutAxes(const CostBill& bill, JsonWriter* json) {
  json->Key("by_axis").BeginArray();
  for (const AxisSum& sum : bill.by_axis) {
    json->BeginObject().Key("name").String(sum.name).Key("count").Int(sum.count);
    json->Key("sent").Int(sum.sent).Key("links_s").Double(sum.links_s);
    json->Key("exposed_s").Double(sum.exposed_s).EndObject();
  }
  json->EndArray();
}

void PutCollective(const CostCollective& one, JsonWriter* json) {
  const CollectiveLine& line = one.line;
  json->BeginObject();
  json->TextUnlessEmpty("op", line.op);
  json->TextUnlessEmpty("shape", line.shape);
  json->TextUnlessEmpty("axes", AxesText(line));
  json->Key("sent").Int(line.sent).Key("runs").Double(one.runs);
  if (one.once.seconds.has_value()) json->Key("seconds_once").Double(*one.once.seconds);
  json->Key("links_s").Double(one.links_s()).Key("exposed_s").Double(one.exposed_s());
  json->Key("asynchronous").Bool(one.once.is_hidden_by_kernels);
  json->TextUnlessEmpty("formula", one.once.formula);
  json->TextUnlessEmpty("why_unknown", one.once.why_unknown);
  json->TextUnlessEmpty("op_name", line.op_name);
  json->TextUnlessEmpty("location", line.location);
  json->EndObject();
}

void PutKernel(const CostKernel& kernel, JsonWriter* json) {
  const cost::KernelPart& part = kernel.part;
  json->BeginObject().Key("name").String(kernel.name).Key("kind").String(kernel.kind);
  json->TextUnlessEmpty("op_name", kernel.op_name);
  json->TextUnlessEmpty("location", kernel.location);
  json->Key("runs").Double(part.runs).Key("seconds_once").Double(part.once.seconds);
  json->Key("seconds").Double(part.seconds());
  if (part.stated_s.has_value()) json->Key("stated_s").Double(*part.stated_s);
  json->Key("flops_once").Double(part.flops).Key("bytes_once").Double(part.bytes);
  json->Key("bound").String(kernel.bound).EndObject();
}

void PutStep(const CostBill& bill, JsonWriter* json) {
  const cost::TargetStep& step = bill.step;
  json->Key("total_s").Double(step.total_s()).Key("device_s").Double(step.device_s);
  json->Key("links_s").Double(step.links_s).Key("exposed_s").Double(step.exposed_s);
  json->Key("least_s").Double(step.least_s()).Key("most_s").Double(step.most_s());
  json->Key("sent").Int(bill.sent);
  json->Key("matrix_units_s").Double(step.products_s).Key("memory_s").Double(step.memory_s);
  json->Key("flops").Double(step.flops).Key("bytes").Double(step.bytes);
  if (bill.peak_flops > 0) json->Key("peak_flops_per_s").Double(bill.peak_flops);
}

void PutMeasured(absl::string_view key, const std::vector<MeasuredPart>& parts, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const MeasuredPart& part : parts) {
    json->BeginObject().Key("name").String(part.name).Key("count").Int(part.count);
    json->Key("predicted_s").Double(part.predicted_s);
    json->Key("measured_s").Double(part.measured_s).EndObject();
  }
  json->EndArray();
}

void PutAgainst(const Against& against, JsonWriter* json) {
  json->Key("against").BeginObject().Key("runs").Double(against.runs);
  json->Key("predicted_s").Double(against.predicted_s);
  json->Key("measured_s").Double(against.measured_s).Key("factor").Double(against.factor);
  json->Key("not_measured").Int(against.not_measured);
  json->Key("not_measured_s").Double(against.not_measured_s);
  PutMeasured("by_line", against.by_line, json);
  PutMeasured("each", against.each, json);
  json->EndObject();
}

}  // namespace

std::string CostJson(const CostBill& bill, const std::optional<Against>& against) {
  JsonWriter json;
  json.BeginObject().Key("target").String(bill.target).Key("is_final").Bool(bill.is_final);
  PutStep(bill, &json);
  if (bill.memory.has_value()) {
    json.Key("memory").Int(bill.memory->bytes);
    if (bill.memory->of_device.has_value())
      json.Key("memory_of_device").Int(*bill.memory->of_device);
  }
  json.Key("unknown")
      .Strings(bill.unknown)
      .Key("collectives_without_time")
      .Int(bill.step.without_time);
  json.Key("loops_counted_once").Int(bill.step.loops_counted_once);
  PutSums("by_bound", bill.by_bound, &json);
  PutSums("by_op", bill.by_op, &json);
  PutSums("by_line", bill.by_line, &json);
  PutAxes(bill, &json);
  json.Key("collectives").BeginArray();
  for (const CostCollective& one : bill.collectives) PutCollective(one, &json);
  json.EndArray().Key("kernels").BeginArray();
  for (const CostKernel& kernel : bill.kernels) PutKernel(kernel, &json);
  json.EndArray();
  if (against.has_value()) PutAgainst(*against, &json);
  json.EndObject();
  return json.text() + "\n";
}

}  // namespace tessera::pipeline
