#include "tessera/pipeline/writers/keep/keep_conversions.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/hlo/attribute_name.h"
#include "tessera/hlo/opcode.h"
#include "tessera/layout/shape_text.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::Opcode;
using sharding::passes::HloComputation;
using sharding::passes::HloForm;
using sharding::passes::HloNode;
using sharding::passes::kNoHloSharding;
using sharding::passes::NodeId;

// The text between the brackets of the opcode.
std::string Inside(const HloNode& node, const std::vector<std::string>& names) {
  if (node.opcode() == Opcode::kParameter) return absl::StrCat(node.number());
  if (node.opcode() == Opcode::kConstant) return std::string(node.literal());
  std::vector<std::string> operands;
  for (NodeId operand : node.operands()) operands.push_back(names[static_cast<size_t>(operand)]);
  return absl::StrJoin(operands, ", ");
}

std::string Line(const HloForm& form, const HloNode& node, const std::string& name,
                 const std::vector<std::string>& names, const std::string& called) {
  std::string line = absl::StrCat(name, " = ", layout::ShapeToString(node.shape()), " ",
                                  hlo::OpcodeName(node.opcode()), "(", Inside(node, names), ")");
  for (const auto& [key, value] : node.attributes()) {
    absl::StrAppend(&line, ", ", hlo::AttributeText(key), "=", value);
  }
  if (!called.empty()) absl::StrAppend(&line, ", to_apply=", called);
  if (node.sharding() != kNoHloSharding) {
    absl::StrAppend(&line, ", sharding=", form.shardings.text(node.sharding()));
  }
  return line;
}

}  // namespace

std::string RenderComputation(const HloForm& form, int index, FreeNames& names,
                              const SpellName& spell, std::string* name) {
  const HloComputation& c = form.computations[static_cast<size_t>(index)];
  std::string before, body;
  std::vector<std::string> made;
  for (NodeId i = 0; i < c.num_nodes(); ++i) {
    const HloNode node = c.node(i);
    std::string called;
    if (!node.called().empty()) {
      before += RenderComputation(form, node.called()[0], names, spell, &called);
    }
    const std::string own = spell(names.Unique(hlo::OpcodeName(node.opcode())));
    const char* const root = i == c.root ? "ROOT " : "";
    absl::StrAppend(&body, "  ", root, Line(form, node, own, made, called), "\n");
    made.push_back(own);
  }
  *name = spell(names.Unique(c.name));
  return absl::StrCat(before, *name, " {\n", body, "}\n\n");
}

}  // namespace tessera::pipeline::writers
