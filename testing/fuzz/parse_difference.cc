#include "tessera/testing/fuzz/parse_difference.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/layout/shape_text.h"

namespace tessera::hlo {
namespace {

std::string Text(const SourceRange& range) { return absl::StrCat(range.begin, "-", range.end); }

// Also where a view begins: views of equal texts at other places are different.
std::string Text(const Module& module, absl::string_view view) {
  const auto range = module.RangeOf(view);
  return absl::StrCat(view, range.has_value() ? absl::StrCat("@", range->begin) : "");
}

std::string TextOfAttributes(const Module& module, InstructionId id) {
  std::string out;
  for (const Attribute& a : module.attributes(id)) {
    absl::StrAppend(&out, " ", AttributeText(a.name()), "-", a.name_distance(), "=",
                    Text(module, a.value()));
  }
  return out;
}

std::string TextOf(const Module& module, InstructionId id) {
  const Instruction& i = module.instruction(id);
  const auto ids = [](absl::Span<const uint32_t> list) { return absl::StrJoin(list, ","); };
  return absl::StrCat(
      Text(module, i.name), " ", OpcodeName(i.opcode), " root=", i.is_root,
      " written=", i.has_written_shape, " sugar=", i.is_async_sugar, " implied=", i.is_implied,
      " form=", static_cast<int>(i.form), " alike=", i.attributes_alike, " shape=", i.shape, ":",
      layout::ShapeToString(module.shape(id)), " computation=", i.computation,
      " parameter=", i.parameter_number, " literal=", Text(module, module.LiteralText(id)),
      " operands=", ids(module.operands(id)), " called=", ids(module.called(id)),
      " control=", ids(module.control_predecessors(id)), " source=", Text(i.source),
      " brackets=", i.operands_open, "-", i.operands_close, TextOfAttributes(module, id));
}

std::string TextOf(const Module& module, const Computation& c) {
  return absl::StrCat(c.name, " ", absl::StrJoin(c.instructions, ","), " parameters ",
                      absl::StrJoin(c.parameters, ","), " root ", c.root, " ", Text(c.source), " ",
                      c.body_open, "-", c.body_close, " ", c.names_elements,
                      layout::ShapeToString(module.shape(c.root)));
}

std::string Unequal(absl::string_view what, size_t number, const std::string& a,
                    const std::string& b) {
  return a == b ? "" : absl::StrCat(what, " ", number, ":\n  ", a, "\n  ", b);
}

std::string ModuleDifference(const Module& a, const Module& b) {
  if (a.num_instructions() != b.num_instructions()) return "numbers of instructions";
  if (a.num_computations() != b.num_computations()) return "numbers of computations";
  for (InstructionId id = 0; id < a.num_instructions(); ++id) {
    const std::string found = Unequal("instruction", id, TextOf(a, id), TextOf(b, id));
    if (!found.empty()) return found;
  }
  for (ComputationId id = 0; id < a.num_computations(); ++id) {
    const std::string found =
        Unequal("computation", id, TextOf(a, a.computation(id)), TextOf(b, b.computation(id)));
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

std::string ParseDifference(const ParsedText& a, const ParsedText& b, const text::Source& source) {
  const std::string mistakes =
      Unequal("mistakes", 0, a.diagnostics.Render(source), b.diagnostics.Render(source));
  if (!mistakes.empty() || !a.diagnostics.ok()) return mistakes;
  if (a.modules.size() != b.modules.size()) return "numbers of modules";
  for (size_t i = 0; i < a.modules.size(); ++i) {
    const std::string found = ModuleDifference(a.modules[i], b.modules[i]);
    if (!found.empty()) return absl::StrCat("module ", i, ", ", found);
  }
  return "";
}

}  // namespace tessera::hlo
