#include "tessera/pipeline/writers/attribute_writer.h"

#include <cstddef>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tessera/pipeline/writers/pass_attributes.h"
#include "tessera/sharding/frontend.h"

namespace tessera::pipeline::writers {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Opcode;
using sharding::passes::HloShardingId;
using sharding::passes::kNoHloSharding;

bool CallsManualBody(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kCall &&
         sharding::IsManualBodyName(module.computation(module.called(id)[0]).name);
}

// The frontend attributes of an instruction that survive the pass, as `{a="b",..}`; empty if none
// do. The call of a shard_map's body may be inlined from here on.
std::string KeptFrontendAttributes(const hlo::Module& module, InstructionId id) {
  std::vector<std::string> kept;
  const bool calls_body = CallsManualBody(module, id);
  for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(module, id)) {
    if (absl::StartsWith(entry.key, kPassPrefix)) continue;
    if (calls_body && entry.key == "inlineable") continue;
    kept.push_back(absl::StrCat(entry.key, "=", entry.value));
  }
  return kept.empty() ? "" : absl::StrCat("{", absl::StrJoin(kept, ","), "}");
}

bool SurvivesUnchanged(AttributeName name) {
  return name != AttributeName::kSharding && name != AttributeName::kControlPredecessors &&
         name != AttributeName::kOrigin && name != AttributeName::kFrontendAttributes &&
         name != AttributeName::kMetadata;
}

}  // namespace

void AttributeWriter::PutKept(AttributeName name, absl::string_view kept) {
  const hlo::Attribute fresh(name, kept, 0);
  for (hlo::Attribute& old : attributes_) {
    if (old.name() != name) continue;
    old = fresh;
    return;
  }
  attributes_.push_back(fresh);
}

void AttributeWriter::SetOf(InstructionId id) {
  after_.SetAttributes(id, attributes_);
  attributes_.clear();
}

void AttributeWriter::PutSharding(HloShardingId sharding) {
  if (sharding != kNoHloSharding) PutKept(AttributeName::kSharding, ShardingText(sharding));
}

void AttributeWriter::PutMark(InstructionId id, HloShardingId mark) {
  if (mark == kNoHloSharding || after_.instruction(id).opcode == Opcode::kTuple) return;
  if (!after_.shape(id).is_tuple()) return PutSharding(mark);
  std::vector<std::string> leaves;
  layout::ForEachLeaf(after_.shape(id),
                      [&](const layout::Shape&) { leaves.push_back(form_.shardings.text(mark)); });
  Put(AttributeName::kSharding, absl::StrCat("{", absl::StrJoin(leaves, ", "), "}"));
}

absl::string_view AttributeWriter::Held(absl::string_view text) {
  return after_.RangeOf(text).has_value() ? text : after_.Keep(text);
}

absl::string_view AttributeWriter::ShardingText(HloShardingId sharding) {
  const auto number = static_cast<size_t>(sharding);
  if (number >= sharding_texts_.size()) sharding_texts_.resize(number + 1);
  absl::string_view& text = sharding_texts_[number];
  if (text.empty()) text = after_.Keep(form_.shardings.text(sharding));
  return text;
}

bool AttributeWriter::IsLost(InstructionId from, const hlo::Attribute& a) const {
  return a.name() == AttributeName::kConstrainLayout &&
         before_.instruction(from).opcode == Opcode::kAllGather;
}

void AttributeWriter::Copy(InstructionId from, bool all, InstructionId to) {
  const bool is_constant = after_.instruction(to).opcode == Opcode::kConstant;
  for (const hlo::Attribute& a : before_.attributes(from)) {
    const bool metadata = a.name() == AttributeName::kMetadata && !is_constant;
    if (metadata || (all && SurvivesUnchanged(a.name()) && !IsLost(from, a))) {
      PutKept(a.name(), Held(a.value()));
    }
  }
  const std::string kept = all ? KeptFrontendAttributes(before_, from) : "";
  if (!kept.empty()) Put(AttributeName::kFrontendAttributes, kept);
}

}  // namespace tessera::pipeline::writers
