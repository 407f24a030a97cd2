#include "tessera/hlo/proto/proto_header.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/entry_layout.h"
#include "tessera/hlo/proto/values/proto_shape.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

constexpr int kMayAlias = 1;
constexpr int kMustAlias = 2;

template <typename List>
std::string IndexText(const List& index) {
  return absl::StrCat("{", absl::StrJoin(index, ","), "}");
}

std::string AliasText(const pb::InputOutputAliasProto::Entry& e) {
  return absl::StrCat(IndexText(e.output_shape_index()), ": (", e.parameter_number(), ", ",
                      IndexText(e.parameter_shape_index()),
                      e.kind() == kMustAlias ? ", must-alias)" : ", may-alias)");
}

std::string DonorText(const pb::BufferDonorProto::Entry& e) {
  return absl::StrCat("(", e.parameter_number(), ", ", IndexText(e.parameter_shape_index()), ")");
}

// `, name={ a, b }`, nothing for an empty list.
template <typename List, typename Print>
void AppendList(absl::string_view name, const List& list, Print print, std::string* out) {
  if (list.empty()) return;
  const auto append = [&](std::string* text, const auto& entry) { text->append(print(entry)); };
  absl::StrAppend(out, ", ", name, "={ ", absl::StrJoin(list, ", ", append), " }");
}

std::string EntryLayoutText(const pb::ProgramShapeProto& proto) {
  const auto append = [](std::string* text, const pb::ShapeProto& shape) {
    layout::AppendShape(ShapeFromProto(shape), {}, text);
  };
  return absl::StrCat("{(", absl::StrJoin(proto.parameters(), ", ", append), ")->",
                      layout::ShapeToString(ShapeFromProto(proto.result())), "}");
}

StackFrames FramesFromProto(const pb::StackFrameIndexProto& proto) {
  StackFrames out;
  out.file_names.assign(proto.file_names().begin(), proto.file_names().end());
  out.function_names.assign(proto.function_names().begin(), proto.function_names().end());
  for (const pb::StackFrameIndexProto::FileLocation& l : proto.file_locations()) {
    out.locations.push_back({l.file_name_id(), l.function_name_id(), l.line(), l.end_line(),
                             l.column(), l.end_column()});
  }
  for (const pb::StackFrameIndexProto::StackFrame& frame : proto.stack_frames()) {
    out.frames.push_back({frame.file_location_id(), frame.parent_frame_id()});
  }
  return out;
}

void FramesToProto(const StackFrames& frames, pb::StackFrameIndexProto* proto) {
  for (const std::string& name : frames.file_names) proto->add_file_names(name);
  for (const std::string& name : frames.function_names) proto->add_function_names(name);
  for (const FileLocation& location : frames.locations) {
    pb::StackFrameIndexProto::FileLocation* to = proto->add_file_locations();
    to->set_file_name_id(static_cast<int32_t>(location.file));
    to->set_function_name_id(static_cast<int32_t>(location.function));
    to->set_line(static_cast<int32_t>(location.line));
    to->set_end_line(static_cast<int32_t>(location.end_line));
    to->set_column(static_cast<int32_t>(location.column));
    to->set_end_column(static_cast<int32_t>(location.end_column));
  }
  for (const StackFrame& frame : frames.frames) {
    pb::StackFrameIndexProto::StackFrame* to = proto->add_stack_frames();
    to->set_file_location_id(static_cast<int32_t>(frame.location));
    to->set_parent_frame_id(static_cast<int32_t>(frame.parent));
  }
}

void AliasesToProto(const ModuleHeader& header, pb::HloModuleProto* proto) {
  proto->mutable_input_output_alias();
  for (const AliasEntry& entry : header.input_output_alias) {
    pb::InputOutputAliasProto::Entry* to = proto->mutable_input_output_alias()->add_entries();
    for (int64_t i : entry.output_index) to->add_output_shape_index(i);
    to->set_parameter_number(entry.parameter_number);
    for (int64_t i : entry.parameter_index) to->add_parameter_shape_index(i);
    to->set_kind(entry.kind == AliasEntry::Kind::kMustAlias ? kMustAlias : kMayAlias);
  }
  for (const BufferDonor& donor : header.buffer_donor) {
    pb::BufferDonorProto::Entry* to = proto->mutable_buffer_donor()->add_entries();
    to->set_parameter_number(donor.parameter_number);
    for (int64_t i : donor.parameter_index) to->add_parameter_shape_index(i);
  }
}

}  // namespace

std::string HeaderTextFromProto(const pb::HloModuleProto& proto, absl::string_view more) {
  std::string out = absl::StrCat("HloModule ", proto.name());
  if (proto.has_schedule()) out += ", is_scheduled=true";
  AppendList("input_output_alias", proto.input_output_alias().entries(), AliasText, &out);
  AppendList("buffer_donor", proto.buffer_donor().entries(), DonorText, &out);
  absl::StrAppend(&out, ", entry_computation_layout=", EntryLayoutText(proto.host_program_shape()));
  const auto& map = proto.frontend_attributes().map();
  if (!map.empty()) {
    const std::map<std::string, std::string> sorted(map.begin(), map.end());
    absl::StrAppend(
        &out, ", frontend_attributes=", FormatFrontendAttributes({sorted.begin(), sorted.end()}));
  }
  if (!proto.backend_config().empty()) {
    absl::StrAppend(&out, ", backend_config=", BackendConfigText(proto.backend_config()));
  }
  absl::StrAppend(&out, more);
  const StackFrames frames = FramesFromProto(proto.stack_frame_index());
  if (!frames.empty()) absl::StrAppend(&out, "\n\n", PrintStackFrames(frames));
  return out;
}

void HeaderToProto(const Module& module, const StackFrames& frames, pb::HloModuleProto* proto) {
  const ModuleHeader& header = module.header();
  proto->set_name(std::string(header.name));
  proto->set_backend_config(header.backend_config);
  AliasesToProto(header, proto);
  const EntryShapes shapes(module);
  pb::ProgramShapeProto* program = proto->mutable_host_program_shape();
  for (size_t i = 0; i < shapes.num_parameters(); ++i) {
    ShapeToProto(shapes.Parameter(i), program->add_parameters());
  }
  ShapeToProto(shapes.Result(), program->mutable_result());
  for (InstructionId parameter : module.entry().parameters) {
    program->add_parameter_names(std::string(module.instruction(parameter).name));
  }
  for (const auto& [key, value] : header.frontend_attributes) {
    (*proto->mutable_frontend_attributes()->mutable_map())[key] = value;
  }
  if (!frames.empty()) FramesToProto(frames, proto->mutable_stack_frame_index());
}

}  // namespace tessera::hlo
