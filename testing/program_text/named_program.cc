// A parser by descent, one function for each form of program_text.h. Line ends are blanks: what
// ends an op is the next name, word or bracket.
//
// Cost: linear. Tested by read_program_test.cc and sharding/passes/pass_test.cc.

#include "tessera/testing/program_text/named_program.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tessera/layout/shape_text.h"
#include "tessera/text/cursor.h"
#include "tessera/text/status_macros.h"

namespace tessera::sharding::passes {
namespace {

using absl::Status;
using absl::string_view;

class Parser {
 public:
  explicit Parser(string_view text) : in_(text) {}

  Status Read(NamedProgram* named) {
    while (in_.Consume("mesh <")) {
      in_.set_offset(in_.offset() - 1);
      absl::StatusOr<Mesh> mesh = ParseMeshBody(in_);
      if (!mesh.ok()) return mesh.status();
      named->meshes.push_back(*std::move(mesh));
    }
    while (!in_.AtEnd()) {
      TESSERA_RETURN_IF_ERROR(ReadFunction(&named->functions.emplace_back()));
    }
    return named->functions.empty() ? in_.Error("expected a function") : absl::OkStatus();
  }

 private:
  Status ReadFunction(NamedFunction* function) {
    function->is_entry = in_.Consume("entry ");
    function->name = Until("(");
    if (function->name.empty()) return in_.Error("expected a function: its name and '('");
    return ReadBlock(&function->body);
  }

  Status ReadBlock(NamedBlock* block) {
    TESSERA_RETURN_IF_ERROR(Expect("("));
    if (in_.Peek() != ')') TESSERA_RETURN_IF_ERROR(ReadValues(&block->args));
    TESSERA_RETURN_IF_ERROR(Expect(")"));
    TESSERA_RETURN_IF_ERROR(Expect("{"));
    while (!in_.Consume('}')) {
      if (in_.AtEnd()) return in_.Error("expected '}' at the end of the block");
      TESSERA_RETURN_IF_ERROR(ReadOp(&block->ops.emplace_back()));
    }
    return absl::OkStatus();
  }

  Status ReadOp(NamedOp* op) {
    in_.SkipBlanks();
    op->offset = in_.offset();
    if (in_.Peek() == '%') {
      TESSERA_RETURN_IF_ERROR(ReadValues(&op->results));
      TESSERA_RETURN_IF_ERROR(Expect("="));
    }
    op->opcode = Until("( \n");
    if (op->opcode.empty()) return in_.Error("expected an opcode");
    TESSERA_RETURN_IF_ERROR(ReadOperands(op));
    if (in_.Consume('{')) TESSERA_RETURN_IF_ERROR(ReadAttributes(op));
    while (in_.Consume("->")) {
      std::optional<ShardingText>& sharding = op->function_results.emplace_back();
      if (!in_.Consume("none")) TESSERA_RETURN_IF_ERROR(ReadSharding(&sharding.emplace()));
    }
    while (in_.Consume("block ")) {
      NamedBlock& block = op->blocks.emplace_back();
      int64_t region = 0;
      if (!in_.ConsumeInt(region)) return in_.Error("expected the number of the block");
      block.region = static_cast<int>(region);
      TESSERA_RETURN_IF_ERROR(ReadBlock(&block));
    }
    return absl::OkStatus();
  }

  Status ReadOperands(NamedOp* op) {
    TESSERA_RETURN_IF_ERROR(Expect("("));
    bool more = in_.Peek() == '%' || in_.Consume(',');
    while (more && in_.Peek() == '%') {
      TESSERA_RETURN_IF_ERROR(ReadName(&op->operands.emplace_back()));
      more = in_.Consume(',');
    }
    in_.SkipBlanks();
    op->detail = Until(")");
    return Expect(")");
  }

  // Up to the bracket that closes the list; values may have brackets and strings.
  Status ReadAttributes(NamedOp* op) {
    while (true) {
      in_.SkipBlanks();
      std::string name = Until("=,} \n");
      if (name.empty()) return in_.Error("expected an attribute: its name and '='");
      TESSERA_RETURN_IF_ERROR(Expect("="));
      std::string value;
      TESSERA_RETURN_IF_ERROR(ReadAttributeValue(&value));
      op->attributes.emplace_back(std::move(name), std::move(value));
      if (in_.Consume('}')) return absl::OkStatus();
      TESSERA_RETURN_IF_ERROR(Expect(","));
    }
  }

  Status ReadAttributeValue(std::string* value) {
    const size_t begin = in_.offset();
    int depth = 0;
    bool quoted = false;
    const string_view text = in_.text();
    for (size_t at = begin; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '\\' && quoted) {
        ++at;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && depth == 0 && (c == ',' || c == '}')) {
        *value = std::string(text.substr(begin, at - begin));
        in_.set_offset(at);
        return absl::OkStatus();
      } else if (!quoted) {
        depth += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
      }
    }
    return in_.Error("the attribute does not end");
  }

  Status ReadValues(std::vector<NamedValue>* values) {
    do {
      NamedValue& value = values->emplace_back();
      TESSERA_RETURN_IF_ERROR(ReadName(&value));
      const char next = in_.Peek();
      if (next == '(' || absl::ascii_isalpha(static_cast<unsigned char>(next))) {
        absl::StatusOr<layout::Shape> shape = layout::ParseShape(in_);
        if (!shape.ok()) return shape.status();
        value.shape = *std::move(shape);
      }
      if (in_.Peek() == '[') TESSERA_RETURN_IF_ERROR(ReadSharding(&value.sharding.emplace()));
    } while (in_.Consume(','));
    return absl::OkStatus();
  }

  Status ReadName(NamedValue* value) {
    in_.SkipBlanks();
    value->offset = in_.offset();
    TESSERA_RETURN_IF_ERROR(Expect("%"));
    value->name = Until(" ,)=(\n");
    return value->name.empty() ? in_.Error("expected a name after '%'") : absl::OkStatus();
  }

  Status ReadSharding(ShardingText* sharding) {
    in_.SkipBlanks();
    sharding->offset = in_.offset();
    TESSERA_RETURN_IF_ERROR(Expect("["));
    while (!in_.Consume(']')) {
      if (!sharding->dims.empty()) TESSERA_RETURN_IF_ERROR(Expect(","));
      absl::StatusOr<DimensionText> dim = ParseDimensionText(in_);
      if (!dim.ok()) return dim.status();
      sharding->dims.push_back(*std::move(dim));
    }
    if (in_.Consume("replicated=")) TESSERA_RETURN_IF_ERROR(ReadAxes(&sharding->replicated));
    if (in_.Consume("unreduced=")) TESSERA_RETURN_IF_ERROR(ReadAxes(&sharding->unreduced));
    return absl::OkStatus();
  }

  // A comma may belong to the list of values that the sharding stands in.
  Status ReadAxes(std::vector<AxisText>* axes) {
    while (true) {
      absl::StatusOr<AxisText> axis = ParseAxisText(in_);
      if (!axis.ok()) return axis.status();
      axes->push_back(*std::move(axis));
      const size_t end = in_.offset();
      if (in_.Consume(',') && in_.Peek() == '"') continue;
      in_.set_offset(end);
      return absl::OkStatus();
    }
  }

  Status Expect(string_view token) {
    if (in_.Consume(token)) return absl::OkStatus();
    return in_.Error(absl::StrCat("expected '", token, "'"));
  }

  // The bytes in front of the first one of `ends`, or all.
  std::string Until(string_view ends) {
    in_.SkipBlanks();
    const string_view found = in_.rest().substr(0, in_.rest().find_first_of(ends));
    in_.set_offset(in_.offset() + found.size());
    return std::string(found);
  }

  text::Cursor in_;
};

}  // namespace

absl::StatusOr<NamedProgram> ParseNamedProgram(string_view text) {
  NamedProgram named;
  TESSERA_RETURN_IF_ERROR(Parser(text).Read(&named));
  return named;
}

}  // namespace tessera::sharding::passes
