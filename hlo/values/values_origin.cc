// Origins and domains.

#include "absl/strings/str_cat.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

constexpr int kMaxNestedOrigins = 1000;

bool ReadOriginTuple(Reader& in, OriginTree* tree, int depth);

bool ReadOriginLeaf(Reader& in, OriginTree* tree) {
  if (!in.Expect('{')) return false;
  tree->kind = OriginTree::Kind::kEmptyLeaf;
  if (in.Eat('}')) return true;
  tree->kind = OriginTree::Kind::kLeaf;
  absl::string_view token;
  if (!in.ExpectString(&token)) return false;
  tree->name = token.substr(1, token.size() - 2);
  if (in.Peek() == '{' && !ReadInts(in, &tree->index)) return false;
  return in.Expect('}', "to end an original array");
}

bool ReadOriginTree(Reader& in, OriginTree* tree, int depth) {
  if (depth > kMaxNestedOrigins) return in.Fail("tuples are nested too deeply");
  return in.Peek() == '(' ? ReadOriginTuple(in, tree, depth) : ReadOriginLeaf(in, tree);
}

bool ReadOriginTuple(Reader& in, OriginTree* tree, int depth) {
  if (!in.Expect('(')) return false;
  tree->kind = OriginTree::Kind::kTuple;
  do {
    OriginTree& element = tree->elements.emplace_back();
    if (in.Peek() == ',' || in.Peek() == ')') continue;
    if (!ReadOriginTree(in, &element, depth + 1)) return false;
  } while (in.Eat(','));
  DropLastGaps(tree);
  return in.Expect(')', "to end a tuple of original arrays");
}

}  // namespace

void DropLastGaps(OriginTree* tuple) {
  auto& elements = tuple->elements;
  while (!elements.empty() && elements.back().kind == OriginTree::Kind::kTuple &&
         elements.back().elements.empty()) {
    elements.pop_back();
  }
}

bool ReadOrigin(Reader& in, OriginTree* tree) {
  if (!in.Expect('{', "to start an origin")) return false;
  if (in.Eat('}')) return true;
  if (in.Eat('[')) {
    tree->kind = OriginTree::Kind::kSyntheticCall;
    if (!in.EatWord("synthetic_call")) return in.Fail("expected synthetic_call");
    return in.Expect(']') && in.Expect('}');
  }
  if (in.Peek() != '{' && in.Peek() != '(') {
    return in.Fail("expected an original array {\"name\"} or a tuple of them");
  }
  if (!ReadOriginTree(in, tree, 0)) return false;
  if (in.Eat(',')) {
    absl::string_view token;
    if (!in.Expect('[') || !in.ExpectString(&token) || !in.Expect(']')) return false;
    tree->call_hierarchy = token.substr(1, token.size() - 2);
  }
  return in.Expect('}', "to end an origin");
}

bool ReadDomain(Reader& in, Domain* domain) {
  const char* open = in.at();
  if (!in.Expect('{', "to start a domain")) return false;
  absl::string_view kind;
  while (!in.Eat('}')) {
    in.Eat(',');
    const char* at = in.at();
    absl::string_view name;
    if (!in.ReadAttributeName(&name)) return in.Fail("expected kind=, entry= or exit=");
    if (name == "kind") {
      if (!kind.empty()) return in.FailAt(at, "second 'kind' in a domain");
      if (!in.ExpectString(&kind)) return false;
      continue;
    }
    if (name != "entry" && name != "exit") {
      return in.FailAt(at, absl::StrCat("a domain has no field '", name, "'"));
    }
    absl::string_view& value = name == "entry" ? domain->entry : domain->exit;
    if (!value.empty()) return in.FailAt(at, absl::StrCat("second '", name, "' in a domain"));
    if (!ReadBalanced(in, &value)) return false;
  }
  if (kind.empty() || domain->entry.empty() || domain->exit.empty()) {
    return in.FailAt(open, "a domain needs kind=, entry= and exit=");
  }
  if (UnquoteString(kind) == "sharding") return true;
  return in.Fail("the kind of a domain is \"sharding\"");
}

}  // namespace tessera::hlo
