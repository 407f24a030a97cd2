// The parser has seen whether an instruction is spelled as it would be printed (spelling_state.h),
// and a mutator that touches it resets it. What is left:
//
//   names    an instruction or computation has kept its name if the name that will be printed is a
//            view into the source: new names are not
//   values   those that do not show at a glance how they print are looked up among the printed
//            ones, each distinct one printed once
//
// A long run of instructions is then copied in one go (ModulePrinter::Instructions). Tested by
// printer_test and parser_fuzz, which print every module with and without this.

#include "tessera/hlo/print/source_reuse.h"

#include "tessera/hlo/print/spelling_state.h"
#include "tessera/hlo/values/value_form.h"

namespace tessera::hlo {

SourceReuse::SourceReuse(const Module& module, const PrintOptions& options,
                         const UniquifiedNames& names, const LoadedFrames& frames,
                         AttributeTexts* attributes)
    : module_(module), options_(options), names_(names), frames_(frames), attributes_(attributes) {}

bool SourceReuse::IsPossible(const PrintOptions& o) {
  return o.reuse_source && o.operand_index_annotation_interval == 5 &&
         o.bodies == PrintOptions::Bodies::kNames && o.metadata && o.backend_config &&
         o.infeed_outfeed_config && !o.operand_shape && o.operand_names && o.percent &&
         o.control_dependencies && !o.canonical_names && !o.compact_get_tuple_elements;
}

bool SourceReuse::InSource(absl::string_view name) const {
  const absl::string_view source = module_.source_text();
  return static_cast<size_t>(name.data() - source.data()) < source.size();
}

bool SourceReuse::HasSourceNames(InstructionId id) const {
  if (!InSource(names_.instructions[id])) return false;
  for (InstructionId operand : module_.operands(id)) {
    if (!InSource(names_.instructions[operand])) return false;
  }
  for (ComputationId callee : module_.called(id)) {
    if (!InSource(names_.computations[callee])) return false;
  }
  return true;
}

bool SourceReuse::HasPrintedValues(InstructionId id, const Instruction& i) {
  if (i.opcode == Opcode::kConstant && !IsPrintedConstant(id)) return false;
  for (const Attribute& a : module_.attributes(id)) {
    if (!IsPrintedValue(id, i.opcode, a)) return false;
  }
  return true;
}

bool SourceReuse::IsPrintedConstant(InstructionId id) {
  const absl::string_view literal = module_.LiteralText(id);
  if (IsSmallConstant(module_.shape(id))) return attributes_->SmallLiteral(id) == literal;
  return !options_.large_constants && literal == "{...}";
}

bool SourceReuse::IsPrintedValue(InstructionId id, Opcode opcode, const Attribute& a) {
  if (a.name() == AttributeName::kMetadata) {
    int64_t frame = 0;
    const char* begin = a.value().data();
    return PrintedMetadataEnd(begin, begin + a.value().size(), &frame) != nullptr &&
           frame == frames_.FrameOf(id);
  }
  if (a.name() == AttributeName::kFrontendAttributes && IsPrintedFrontendAttributes(a.value())) {
    return true;
  }
  return FormOfValue(a.name(), opcode, a.value()) == SpellingState::kPrinted ||
         attributes_->PrintsAsWritten(id, a);
}

}  // namespace tessera::hlo
