#include "tessera/hlo/print/module_printer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/error_at.h"
#include "tessera/hlo/order.h"
#include "tessera/hlo/print/attribute_printer.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {

namespace {

constexpr int kMaxNestedBodies = 1000;
// Bytes that are handed over at once.
constexpr size_t kPiece = size_t{1} << 18;

}  // namespace

ModulePrinter::ModulePrinter(const Module& module, const PrintOptions& options, size_t most_bytes)
    : module_(module),
      options_(options),
      names_(LoadNames(module, options.load_like_xla)),
      shape_texts_(module, layout::PrintOptions()),
      plain_shape_texts_(module, layout::kNoLayout),
      attribute_texts_(module, options),
      source_form_(module, options, names_, frames_, &attribute_texts_),
      call_sites_(module),
      post_order_(module),
      may_copy_(SourceReuse::IsPossible(options)),
      most_bytes_(most_bytes) {
  FindSpecialComputations();
  if (options.metadata) frames_ = LoadFrames(module, options.load_like_xla);
}

std::string ModulePrinter::Print() {
  out_.reserve(LikelyBytes());
  WholeText();
  return std::move(out_);
}

void ModulePrinter::PrintTo(Write write) {
  write_ = &write;
  WholeText();
  HandOver();
}

void ModulePrinter::HandOver() {
  (*write_)(out_);
  out_.clear();
}

void ModulePrinter::WholeText() {
  Header();
  for (ComputationId id : ComputationPostOrder(module_, call_sites_)) {
    if (hidden_[id]) continue;
    ComputationText(id);
    out_ += "\n\n";
  }
}

// A text that is too small by a little is copied to twice its room. Of a module that was built, what
// instructions say; names of operands are as long as their own.
size_t ModulePrinter::LikelyBytes() const {
  if (!module_.source().empty()) {
    return module_.source().size() * 5 / 4 + module_.num_instructions() * 16;
  }
  constexpr size_t kShapeAndOpcode = 64, kNameOfAttribute = 16;
  size_t bytes = module_.header().stack_frames.size();
  for (InstructionId id = 0; id < module_.num_instructions(); ++id) {
    bytes += kShapeAndOpcode + module_.LiteralText(id).size() +
             module_.instruction(id).name.size() * (1 + module_.operands(id).size());
    for (const Attribute& attribute : module_.attributes(id)) {
      bytes += attribute.value().size() + kNameOfAttribute;
    }
  }
  return bytes;
}

void ModulePrinter::FindSpecialComputations() {
  hidden_.assign(module_.num_computations(), false);
  fusion_body_ = hidden_;
  for (InstructionId i : call_sites_.all()) {
    const Opcode opcode = module_.instruction(i).opcode;
    if (opcode != Opcode::kAsyncStart && opcode != Opcode::kFusion) continue;
    for (ComputationId callee : module_.called(i)) {
      if (opcode == Opcode::kFusion) fusion_body_[callee] = true;
      if (opcode == Opcode::kAsyncStart) hidden_[callee] = SugarOf(i) != kNoId;
    }
  }
}

void ModulePrinter::ComputationText(ComputationId id) {
  const Computation& c = module_.computation(id);
  if (id == module_.entry_id()) out_ += "ENTRY ";
  absl::StrAppend(&out_, options_.percent ? "%" : "", names_.computations[id], " ");
  if (options_.program_shape) ProgramShape(c);
  out_ += "{\n";
  Instructions(id, 2);
  out_ += '}';
  ComputationAttributes(c);
}

void ModulePrinter::ComputationAttributes(const Computation& c) {
  if (c.execution_thread != "main") {
    absl::StrAppend(&out_, ", execution_thread=\"", c.execution_thread, "\"");
  }
  BackendConfig(c.backend_config);
}

void ModulePrinter::BackendConfig(const std::string& config) {
  if (config.empty() || !options_.backend_config) return;
  absl::StrAppend(&out_, ", backend_config=", BackendConfigText(config));
}

void ModulePrinter::ProgramShape(const Computation& c) {
  out_ += '(';
  for (size_t i = 0; i < c.parameters.size(); ++i) {
    if (i > 0) out_ += ", ";
    Append(names_.instructions[c.parameters[i]]);
    out_ += ": ";
    PlainShapeText(module_.shape_id(c.parameters[i]));
  }
  out_ += ") -> ";
  PlainShapeText(module_.shape_id(c.root));
  out_ += ' ';
}

// A copy, because bodies that are printed in place ask again.
std::vector<InstructionId> ModulePrinter::PrintOrder(ComputationId id) {
  const bool by_list = module_.header().is_scheduled && !fusion_body_[id];
  if (!by_list && options_.compact_get_tuple_elements) return ProgramOrder(module_, id);
  if (!by_list) return post_order_.Of(id);
  return module_.computation(id).instructions;
}

void ModulePrinter::Instructions(ComputationId id, int indent) {
  canonical_.clear();
  for (InstructionId i : PrintOrder(id)) {
    if (may_copy_ && TryExtendCopyRun(i)) continue;
    if (IsOver(i)) return;
    if (IsCompact(i) && !module_.instruction(i).is_root) continue;
    FinishRun();
    out_.append(static_cast<size_t>(indent), ' ');
    if (module_.instruction(i).is_root) out_ += "ROOT ";
    InstructionText(i, indent);
    out_ += '\n';
    if (write_ != nullptr && out_.size() >= kPiece) HandOver();
  }
  FinishRun();
}

bool ModulePrinter::IsOver(InstructionId id) {
  if (!status_.ok()) return true;
  if (out_.size() <= most_bytes_ && depth_ <= kMaxNestedBodies) return false;
  const std::string what =
      depth_ > kMaxNestedBodies
          ? absl::StrCat("bodies stand in each other deeper than ", kMaxNestedBodies)
          : absl::StrCat("the text gets longer than ", most_bytes_, " bytes");
  status_ = ErrorAt(module_, id, what);
  return true;
}

// Instructions that follow each other in the source as they do in print are one run.
bool ModulePrinter::TryExtendCopyRun(InstructionId id) {
  if (!source_form_.IsPrinted(id)) return false;
  constexpr absl::string_view kBetween = "\n  ";
  const SourceRange range = module_.instruction(id).source;
  const char* begin = module_.source_text().data() + range.begin;
  const char* run_end = run_.data() + run_.size();
  if (!run_.empty() && begin == run_end + kBetween.size() &&
      absl::string_view(run_end, kBetween.size()) == kBetween) {
    run_ = {run_.data(), run_.size() + kBetween.size() + range.size()};
    return true;
  }
  FinishRun();
  run_ = {begin, range.size()};
  return true;
}

void ModulePrinter::FinishRun() {
  if (run_.empty()) return;
  out_ += "  ";
  Append(run_);
  out_ += '\n';
  run_ = {};
}

std::string ModulePrinter::PrintOne(InstructionId id) {
  InstructionText(id, 2);
  return std::move(out_);
}

}  // namespace tessera::hlo
