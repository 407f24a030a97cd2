#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/answer/spec_text.h"
#include "tessera/pipeline/command_line/proposed_command.h"
#include "tessera/pipeline/explain/event_messages.h"
#include "tessera/pipeline/explain/labels.h"
#include "tessera/pipeline/explain/refusals/refusal_messages.h"
#include "tessera/pipeline/explain/refusals/refusal_text.h"
#include "tessera/pipeline/explain/surprises.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

using sharding::explain::SlotId;

// By SurpriseKind.
constexpr const char* kKindWords[] = {"replicated", "conflict", "border", "ignored"};

std::string NameForCommand(const Labels& labels, const Explained& e, SlotId slot) {
  if (!e.log->IsOutput(slot)) return labels.Slot(slot);
  return absl::StrCat("result{", e.log->OutputOf(slot), "}");
}

// "closed_dimension: w dim 1 is closed by P() on parameter 1; "
std::string ReasonText(const Explained& e, const Labels& labels, const Surprise& s) {
  if (e.is_read && !s.verdict.has_value()) return "read as final, nothing was propagated; ";
  if (s.is_twin) {
    const sharding::TensorSharding* said = e.log->AtStart(s.slot);
    return said == nullptr ? "this one has no annotation; "
                           : absl::StrCat("this one is annotated ",
                                          SpecText(*said, e.sharded->program->meshes()), "; ");
  }
  if (!s.verdict.has_value()) return "";
  return absl::StrCat(KindWord(s.verdict->headline.kind), ": ",
                      RefusalMessage(e, labels, s.verdict->headline), "; ");
}

bool IsAnySharded(const Explained& e) {
  for (SlotId slot = 0; slot < e.log->num_slots(); ++slot) {
    const sharding::TensorSharding* const own = e.Final(slot);
    if (own != nullptr && !own->IsFullyReplicated()) return true;
  }
  return false;
}

}  // namespace

std::string SurpriseInWords(const Labels& labels, const Surprise& s) {
  const std::string at = s.neighbour.slot < 0 ? ""
                                              : absl::StrCat(labels.At(s.neighbour), " has '",
                                                             s.axis, "' on dim ", s.neighbour.dim);
  switch (s.kind) {
    case SurpriseKind::kReplicated:
      return absl::StrCat("is replicated on every device; ", at);
    case SurpriseKind::kConflict:
      return absl::StrCat("is not sharded along '", s.axis, "'", at.empty() ? "" : "; ", at);
    case SurpriseKind::kBorder:
      return absl::StrCat("lost '", s.axis, "' on dim ", s.dim, " at the boundary of the function");
    default:
      return "carries an annotation that XLA does not read";
  }
}

std::string SurprisesText(const Explained& e, const std::vector<Surprise>& surprises,
                          const std::string& file, const std::string& flags) {
  const Labels labels(e);
  if (surprises.empty() && !IsAnySharded(e)) {
    return "nothing is sharded: no annotation gives a tensor an axis\n";
  }
  if (surprises.empty()) {
    return "no surprises: no large array is replicated beside sharded neighbours\n";
  }
  std::string text =
      "the costliest places, by bytes of a device that another sharding would save:\n";
  int number = 0;
  for (const Surprise& s : surprises) {
    const std::string place = labels.Place(labels.InstructionOf(s.slot));
    absl::StrAppend(&text, ++number, ". ", layout::FormatBytes(s.bytes), "  ", labels.Slot(s.slot),
                    " ", labels.Shape(s.slot), " ", SurpriseInWords(labels, s),
                    s.alike > 1 ? absl::StrCat(" (and ", s.alike - 1, " like it)") : "",
                    place.empty() ? "" : "  ", place, "\n   ");
    absl::StrAppend(&text, ReasonText(e, labels, s));
    const std::string dim = s.axis.empty() ? "" : absl::StrCat(":", s.dim);
    absl::StrAppend(&text, "tessera explain ", ShellWord(file), " ",
                    ShellWord(NameForCommand(labels, e, s.slot) + dim),
                    s.axis.empty() ? "" : absl::StrCat(" --axis=", s.axis), flags,
                    e.is_read ? " --import=hlo" : "", "\n");
    if (s.same_annotation > 0) {
      absl::StrAppend(&text, "   the same annotation also blocks ", s.same_annotation,
                      s.same_annotation == 1 ? " smaller array\n" : " smaller arrays\n");
    }
  }
  return text;
}

std::string SurprisesJson(const Explained& e, const std::vector<Surprise>& surprises) {
  const EventMessages messages(e);
  answers::Surprises answer;
  for (const Surprise& s : surprises) {
    answers::Surprise* one = answer.add_surprises();
    one->set_kind(kKindWords[static_cast<size_t>(s.kind)]);
    messages.FillValue(s.slot, one->mutable_value());
    one->set_bytes(s.bytes);
    one->set_alike(s.alike);
    one->set_same_annotation(s.same_annotation);
    if (s.verdict.has_value()) FillVerdict(e, messages, *s.verdict, one->mutable_verdict());
  }
  return text::JsonOf(answer) + "\n";
}

}  // namespace tessera::pipeline
