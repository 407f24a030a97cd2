#include <string>
#include <utility>

#include "tessera/hlo/attributes.h"
#include "tessera/testing/reduce/step.h"

namespace tessera::testing::reduce {
namespace {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Module;

// The rest of an instruction is right without them.
constexpr AttributeName kMarks[] = {
    AttributeName::kMetadata,           AttributeName::kOrigin,
    AttributeName::kStatistics,         AttributeName::kBackendConfig,
    AttributeName::kSharding,           AttributeName::kFrontendAttributes,
    AttributeName::kControlPredecessors};

// One mark at a time over the whole module, so that those which nobody needs go in one attempt.
std::vector<Candidate> FindMarks(const Module& module) {
  std::vector<Candidate> found;
  for (AttributeName mark : kMarks) {
    for (InstructionId id : InstructionsOf(module)) {
      if (module.HasAttribute(id, mark)) found.push_back({id, static_cast<uint32_t>(mark)});
    }
  }
  return found;
}

void RemoveMark(hlo::Builder& builder, Candidate c) {
  const auto mark = static_cast<AttributeName>(c.part);
  builder.module().RemoveAttribute(c.id, mark);
  if (mark == AttributeName::kControlPredecessors)
    builder.module().SetControlPredecessors(c.id, {});
}

// Single entries of frontend_attributes.
std::vector<Candidate> FindEntries(const Module& module) {
  std::vector<Candidate> found;
  for (InstructionId id : InstructionsOf(module)) {
    const size_t n = hlo::GetFrontendEntries(module, id).size();
    for (uint32_t k = 0; n > 1 && k < n; ++k) found.push_back({id, k});
  }
  return found;
}

void RemoveEntry(hlo::Builder& builder, Candidate c) {
  std::vector<std::pair<std::string, std::string>> kept;
  uint32_t k = 0;
  for (const hlo::FrontendEntry& entry : hlo::GetFrontendEntries(builder.module(), c.id)) {
    if (k++ == c.part) continue;
    kept.emplace_back(std::string(entry.key), hlo::DecodeFrontendValue(entry.value));
  }
  builder.module().SetAttribute(c.id, AttributeName::kFrontendAttributes,
                                hlo::FormatFrontendAttributes(kept));
}

// Parts of the header: tables of debugging, aliases, the layout, frontend attributes.
constexpr void (*kHeaderParts[])(hlo::ModuleHeader&) = {
    [](hlo::ModuleHeader& h) { h.stack_frames = {}; },
    [](hlo::ModuleHeader& h) { h.origin_recovery_table = {}; },
    [](hlo::ModuleHeader& h) { h.debug_attributes = {}; },
    [](hlo::ModuleHeader& h) { h.input_output_alias.clear(); },
    [](hlo::ModuleHeader& h) { h.buffer_donor.clear(); },
    [](hlo::ModuleHeader& h) { h.spmd_propagation_to_parameters = {false}; },
    [](hlo::ModuleHeader& h) { h.spmd_propagation_to_output = {false}; },
    [](hlo::ModuleHeader& h) { h.entry_layout.reset(); },
};
constexpr uint32_t kNumHeaderParts = sizeof(kHeaderParts) / sizeof(kHeaderParts[0]);

std::vector<Candidate> FindHeaderParts(const Module& module) {
  std::vector<Candidate> found;
  const size_t n = kNumHeaderParts + module.header().frontend_attributes.size();
  for (uint32_t k = 0; k < n; ++k) found.push_back({hlo::kNoId, k});
  return found;
}

void RemoveHeaderPart(hlo::Builder& builder, Candidate c) {
  hlo::ModuleHeader& header = builder.module().mutable_header();
  if (c.part < kNumHeaderParts) return kHeaderParts[c.part](header);
  auto& attributes = header.frontend_attributes;
  const size_t k = c.part - kNumHeaderParts;
  if (k < attributes.size()) attributes.erase(attributes.begin() + static_cast<long>(k));
}

}  // namespace

std::vector<Step> MarkSteps() {
  return {{"header", FindHeaderParts, RemoveHeaderPart},
          {"marks", FindMarks, RemoveMark},
          {"entries", FindEntries, RemoveEntry}};
}

}  // namespace tessera::testing::reduce
