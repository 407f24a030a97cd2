// Finds the instructions that stand in the source just as they would be printed. They are copied,
// whatever else of the module is printed anew.
//
//   SourceReuse form(module, names, frames, &attributes);
//   if (form.IsPrinted(id)) ..      // the bytes of instruction(id).source are what is printed

#ifndef TESSERA_HLO_PRINT_SOURCE_REUSE_H_
#define TESSERA_HLO_PRINT_SOURCE_REUSE_H_

#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/print/attribute_texts.h"
#include "tessera/hlo/print/uniquified_names.h"
#include "tessera/hlo/print_options.h"

namespace tessera::hlo {

class SourceReuse {
 public:
  // All references must outlive this object.
  SourceReuse(const Module& module, const PrintOptions& options, const UniquifiedNames& names,
              const LoadedFrames& frames, AttributeTexts* attributes);

  // Without this, no instruction is printed as it stands: the options ask for another form.
  static bool IsPossible(const PrintOptions& options);

  // True if a printer without this class would print the instruction just as its text stands, from
  // `ROOT` or its name to its last attribute. May be false where true would be right.
  bool IsPrinted(InstructionId id) {
    const Instruction& i = module_.instruction(id);
    if (i.form == SpellingState::kOther || !(names_.in_source || HasSourceNames(id))) return false;
    return i.form == SpellingState::kPrinted || HasPrintedValues(id, i);
  }

 private:
  bool InSource(absl::string_view name) const;
  bool HasSourceNames(InstructionId id) const;
  bool HasPrintedValues(InstructionId id, const Instruction& i);
  bool IsPrintedConstant(InstructionId id);
  bool IsPrintedValue(InstructionId id, Opcode opcode, const Attribute& attribute);

  const Module& module_;
  const PrintOptions& options_;
  const UniquifiedNames& names_;
  const LoadedFrames& frames_;
  AttributeTexts* attributes_;
};

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_PRINT_SOURCE_REUSE_H_
