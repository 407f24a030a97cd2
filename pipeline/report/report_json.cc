#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "google/protobuf/repeated_field.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/pipeline/explain/surprises.h"
#include "tessera/pipeline/report/device_rows.h"
#include "tessera/pipeline/report/flow_edges.h"
#include "tessera/pipeline/report/report_data.h"
#include "tessera/pipeline/schema/report_answer.pb.h"
#include "tessera/pipeline/verbs/module/shardings_answer.h"
#include "tessera/pipeline/version.h"
#include "tessera/text/interner.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using google::protobuf::RepeatedField;

class ReportFiller {
 public:
  explicit ReportFiller(const ReportData& data)
      : data_(data), table_(*data.table), module_(data.explained.sharded->module) {
    texts_.Intern("");
  }

  void Fill(answers::ReportData* to) {
    to->set_module(std::string(module_.header().name));
    to->set_file(data_.request.file);
    to->set_version(absl::StrCat("tessera ", kVersion, ", shardings as of jaxlib ",
                                 data_.request.options.reference.version));
    *to->mutable_notes() = {data_.notes.begin(), data_.notes.end()};
    FillMeshes(data_.explained.sharded->program->meshes(), to->mutable_meshes());
    FillTensors(to);
    if (data_.device.has_value()) {
      FillDevice(*data_.device, data_.input, table_, &texts_, to->mutable_device());
    }
    for (uint32_t k = 0; k < texts_.size(); ++k) to->add_texts(texts_[k]);
    FillEdges(to->mutable_edges());
    FillCollectives(to);
    FillMemory(to);
    FillSurprises(to);
    FillExplanations(data_.explained, table_, data_.request.refused, data_.request.source_lines,
                     to->mutable_explanations());
  }

 private:
  // A column of numbers of texts.
  void TextColumn(absl::FunctionRef<std::string(int row)> text, RepeatedField<int32_t>* to) {
    for (int row = 0; row < table_.size(); ++row) {
      to->Add(static_cast<int32_t>(texts_.Intern(text(row))));
    }
  }

  const Tensor& At(int row) const { return table_.tensors()[static_cast<size_t>(row)]; }
  const hlo::Instruction& InstructionAt(int row) const {
    return module_.instruction(At(row).instruction);
  }

  void FillTensors(answers::ReportData* to) {
    answers::ReportTensors* tensors = to->mutable_tensors();
    TextColumn(
        [&](int row) {
          return std::string(module_.computation(InstructionAt(row).computation).name);
        },
        tensors->mutable_computation());
    TextColumn(
        [&](int row) {
          return table_.is_result(row) ? "result"
                                       : std::string(hlo::OpcodeName(InstructionAt(row).opcode));
        },
        tensors->mutable_opcode());
    TextColumn([&](int row) { return layout::ShapeToString(At(row).shape->WithoutLayout()); },
               tensors->mutable_shape());
    TextColumn([&](int row) { return At(row).op_name; }, tensors->mutable_op_name());
    TextColumn([&](int row) { return At(row).location; }, tensors->mutable_location());
    TextColumn(
        [&](int row) { return absl::StrCat("[", absl::StrJoin(ShareOf(At(row)).sizes, ","), "]"); },
        tensors->mutable_local_shape());
    to->add_shardings();
    for (int row = 0; row < table_.size(); ++row) {
      tensors->add_name(At(row).name);
      tensors->add_sharding(ShardingOf(At(row), to));
      tensors->add_bytes(ShareOf(At(row)).bytes);
    }
  }

  // Its number in `shardings`.
  int ShardingOf(const Tensor& tensor, answers::ReportData* to) {
    if (tensor.sharding == nullptr && tensor.manual_axes.empty()) return 0;
    const sharding::MeshId mesh =
        tensor.sharding == nullptr ? sharding::kNoMesh : tensor.sharding->mesh_id();
    const auto [it, is_new] =
        shardings_.try_emplace({mesh, SpecWithManual(tensor)}, to->shardings_size());
    if (!is_new) return it->second;
    answers::TensorSharding* const sharding = to->add_shardings();
    if (tensor.sharding != nullptr) FillSharding(tensor, sharding);
    sharding->set_sharding(SpecWithManual(tensor));
    return it->second;
  }

  void FillEdges(answers::ReportEdges* to) {
    for (const FlowEdge& edge : FlowEdges(module_, table_)) {
      to->add_from(edge.from);
      to->add_to(edge.to);
    }
  }

  // A message with ends has those that stand on the page.
  template <typename Message>
  static void FillEnds(int from, int to, Message* message) {
    if (from != kNoRow) message->set_from(from);
    if (to != kNoRow) message->set_to(to);
  }

  void FillCollectives(answers::ReportData* to) {
    if (!data_.partitioned.ok()) {
      return to->set_no_collectives(std::string(data_.partitioned.message()));
    }
    to->set_has_collectives(true);
    for (const CollectiveLine& line : data_.collectives) {
      FillCollective(line, to->add_collectives());
    }
    for (const Reshard& reshard : data_.reshards.list) FillReshard(reshard, to->add_reshards());
  }

  // Reshards name instructions of what was propagated.
  int RowOfEnd(hlo::InstructionId id) const {
    return id == hlo::kNoId ? kNoRow : table_.row(id, 0);
  }

  void FillReshard(const Reshard& reshard, answers::ReportReshard* to) const {
    to->set_kind(KindText(reshard.kind));
    to->set_value(reshard.value);
    to->set_consumer(reshard.consumer);
    to->set_shape(reshard.shape);
    to->set_before(reshard.from);
    to->set_after(reshard.to);
    to->set_total(reshard.total);
    to->set_alike(static_cast<int32_t>(reshard.ends.size()));
    for (const CollectiveLine& line : reshard.collectives) to->add_ops(line.op);
    to->set_location(reshard.location);
    to->set_rematerialized(reshard.rematerialized);
    for (const ReshardEnds& ends : reshard.ends) {
      FillEnds(RowOfEnd(ends.producer), RowOfEnd(ends.consumer), to->add_ends());
    }
  }

  void FillCollective(const CollectiveLine& line, answers::ReportCollective* to) const {
    to->set_op(line.op);
    to->set_shape(line.shape);
    if (line.over->axes.has_value()) {
      to->set_has_axes(true);
      *to->mutable_axes() = {line.over->axis_names.begin(), line.over->axis_names.end()};
    } else {
      to->set_devices(line.over->devices);
    }
    to->set_sent(line.sent);
    to->set_runs(line.runs);
    to->set_unknown_runs(line.unknown_runs);
    FillEnds(data_.RowOf(line.made.producer), data_.RowOf(line.made.cause), to);
    to->set_producer(line.producer);
    to->set_consumer(line.consumer);
    to->set_location(line.location);
    to->set_reduction(line.reduction);
    to->set_given(line.given);
  }

  void FillMemory(answers::ReportData* to) const {
    if (!data_.measured.ok()) return to->set_no_memory(std::string(data_.measured.message()));
    const cost::DeviceMemory& m = data_.memory;
    answers::ReportMemory* memory = to->mutable_memory();
    memory->set_arguments(m.arguments);
    memory->set_results(m.results);
    memory->set_aliased(m.aliased);
    memory->set_constants(m.constants);
    memory->set_temporaries(m.temporaries);
    memory->mutable_steps()->Add(data_.timeline.steps.begin(), data_.timeline.steps.end());
    for (const auto& lifetime : data_.timeline.lifetimes) {
      answers::MemoryLifetime* one = memory->add_lifetimes();
      one->set_name(lifetime.name);
      one->set_first(static_cast<int32_t>(lifetime.first));
      one->set_last(static_cast<int32_t>(lifetime.last));
      one->set_bytes(lifetime.bytes);
      const int row = table_.row(absl::string_view(lifetime.name));
      if (row != kNoRow) one->set_row(row);
    }
  }

  int RowOfSlot(sharding::explain::SlotId slot) const {
    const auto& log = *data_.explained.log;
    if (log.IsOutput(slot)) return table_.result_row(log.OutputOf(slot));
    const auto& name = data_.explained.names->Of(slot);
    return name.instruction == hlo::kNoId ? kNoRow : table_.row(name.instruction, name.leaf);
  }

  void FillSurprises(answers::ReportData* to) const {
    const Labels labels(data_.explained);
    for (const Surprise& s : FindSurprises(data_.explained)) {
      answers::ReportSurprise* one = to->add_surprises();
      one->set_what(SurpriseInWords(labels, s));
      const int row = RowOfSlot(s.slot);
      if (row != kNoRow) one->set_row(row);
      one->set_bytes(s.bytes);
      one->set_alike(s.alike);
      if (s.verdict.has_value()) {
        one->set_why(RefusalMessage(data_.explained, labels, s.verdict->headline));
      }
    }
  }

  const ReportData& data_;
  const TensorTable& table_;
  const hlo::Module& module_;
  text::Interner<std::string> texts_;
  absl::flat_hash_map<std::pair<sharding::MeshId, std::string>, int> shardings_;
};

}  // namespace

std::string ReportJson(const ReportData& data) {
  answers::ReportData answer;
  ReportFiller(data).Fill(&answer);
  return text::JsonOf(answer);
}

}  // namespace tessera::pipeline
