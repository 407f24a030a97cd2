// A case gives the module before the pass and after it. Two things are demanded:
//
//   structure `xla`    is the module `after`, as pairs are compared (testing/pairs/structure.h)
//   structure `keep`   has on each instruction that `shardings` lists the sharding written there
//
// `shardings` names instructions of `before`; `X#1` is the second of several values that the border
// X of a shard_map has: in place X is a tuple of conversions, one a value.

#include "tessera/testing/families/pass_families.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tessera/hlo/parser.h"
#include "tessera/pipeline/shard.h"
#include "tessera/sharding/reference/reference.h"
#include "tessera/testing/pairs/dump.h"
#include "tessera/testing/pairs/spelling.h"
#include "tessera/testing/pairs/structure.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing {
namespace {

using nlohmann::json;
using pairs::Dump;
using pairs::Spellings;
using pipeline::Structure;

absl::StatusOr<std::string> Shard(const json& c, Structure structure) {
  const absl::StatusOr<hlo::Module> module = hlo::ParseModule(c["before"].get<std::string>());
  if (!module.ok()) return module.status();
  pipeline::ShardOptions options;
  options.structure = structure;
  options.stage = pipeline::Stage::kPass;
  options.format = pipeline::Format::kV2;
  options.propagate = c["propagate"].get<bool>();
  const std::string release = c[kReferenceField].get<std::string>();
  TESSERA_ASSIGN_OR_RETURN(options.reference, sharding::reference::FindReference(release));
  absl::StatusOr<pipeline::ShardResult> result = pipeline::ShardModule(*module, options);
  if (!result.ok()) return result.status();
  return std::move(result->text);
}

Outcome CheckStructure(const json& c) {
  const absl::StatusOr<std::string> text = Shard(c, Structure::kXla);
  if (!text.ok()) return Failed(std::string(text.status().message()));
  Spellings spellings;
  const Dump expected(c["after"].get<std::string>());
  const auto differences = pairs::CompareStructure(expected, Dump(*text), spellings);
  return differences.empty() ? Passed() : Failed(absl::StrCat("xla: ", differences[0]));
}

const pairs::Instruction* Find(const Dump& dump, const std::string& computation,
                               const std::string& name) {
  const pairs::Computation* c = dump.Get(computation);
  if (c == nullptr) return nullptr;
  const size_t mark = name.find('#');
  const pairs::Instruction* found = c->Get(name.substr(0, mark));
  if (mark == std::string::npos || found == nullptr || found->opcode != "tuple") return found;
  const size_t k = std::stoul(name.substr(mark + 1));
  return k < found->operands.size() ? c->Get(found->operands[k]) : nullptr;
}

Outcome CheckSharding(const json& row, const Dump& dump, Spellings& spellings) {
  const std::string computation = row["computation"];
  const std::string name = row["instruction"];
  const json& sharding = row["sharding"];
  const pairs::Instruction* i = Find(dump, computation, name);
  if (i == nullptr) return Failed(absl::StrCat("keep: no ", computation, "/", name));
  const std::string wanted = sharding.is_null() ? "" : sharding.get<std::string>();
  return spellings.Same(i->sharding(), wanted)
             ? Passed()
             : Failed(absl::StrCat("keep: ", name, ": got ", i->sharding(), ", expected ", wanted));
}

Outcome CheckInPlace(const json& c) {
  const absl::StatusOr<std::string> text = Shard(c, Structure::kKeep);
  if (!text.ok()) return Failed(std::string(text.status().message()));
  const Dump dump(*text);
  Spellings spellings;
  for (const json& row : c.value("shardings", json::array())) {
    const Outcome outcome = CheckSharding(row, dump, spellings);
    if (outcome.verdict != Verdict::kPassed) return outcome;
  }
  return Passed();
}

Outcome CheckPass(const json& c) {
  if (!c.contains("before")) return NotRun("facts without a module");
  return First({CheckStructure(c), CheckInPlace(c)});
}

}  // namespace

std::vector<Family> PassFamilies() { return {{"shardy_xla_pass", CheckPass}}; }

}  // namespace tessera::testing
