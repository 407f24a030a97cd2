#include "tessera/pipeline/verbs/search/sweep/sweep_report.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/layout/format_bytes.h"
#include "tessera/pipeline/command_line/list_filter.h"
#include "tessera/pipeline/schema/sweep_answer.pb.h"
#include "tessera/pipeline/verbs/search/variants/variant_text.h"
#include "tessera/sharding/mesh_sizes.h"
#include "tessera/text/message_json/message_json.h"

namespace tessera::pipeline {
namespace {

constexpr size_t kMaxReasons = 10;  // in text; the JSON has all variants

// Each reason once, with the first variant that has it.
std::string RefusedText(const Swept& swept) {
  std::vector<std::pair<size_t, size_t>> reasons;  // the first variant, and how many
  for (const size_t k : swept.refused) {
    const auto said = absl::c_find_if(reasons, [&](const auto& reason) {
      return swept.outcomes[reason.first].status() == swept.outcomes[k].status();
    });
    if (said == reasons.end()) {
      reasons.push_back({k, 1});
    } else {
      ++said->second;
    }
  }
  std::string out = reasons.empty() ? "" : "\nrefused\n";
  for (size_t r = 0; r < reasons.size() && r < kMaxReasons; ++r) {
    const auto [k, count] = reasons[r];
    absl::StrAppend(&out, "  ", count, count == 1 ? ": #" : ", such as #", swept.numbers[k], " ",
                    VariantText(swept.variants[k]), ": ", swept.outcomes[k].status().message(),
                    "\n");
  }
  if (reasons.size() > kMaxReasons) {
    absl::StrAppend(&out, "  and for ", reasons.size() - kMaxReasons, " more reasons\n");
  }
  return out;
}

std::string Figures(const cost::StepCost& cost, bool timed) {
  return absl::StrFormat("%12s %12s %10s", layout::FormatBytes(cost.memory),
                         layout::FormatBytes(cost.sent), timed ? TimeText(cost) : "");
}

// Of the variant at this rank, those after it that are the same program: ", as #2, #4". Moves the rank after them.
std::string AlikeText(const Swept& swept, size_t* rank) {
  const size_t first = swept.ranked[*rank];
  std::string out;
  while (++*rank < swept.ranked.size()) {
    const size_t k = swept.ranked[*rank];
    if (swept.keys[k].empty() || swept.keys[k] != swept.keys[first]) break;
    absl::StrAppend(&out, out.empty() ? ", as #" : ", #", swept.numbers[k]);
  }
  return out;
}

// Where the variants do not all have as many devices: ", 12 devices".
std::string DevicesText(const Swept& swept, size_t k) {
  const auto devices_of = [](const Variant& variant) {
    return variant.mesh.has_value() ? variant.mesh->num_devices() : 0;
  };
  const int64_t devices = devices_of(swept.variants[k]);
  const bool differ = absl::c_any_of(
      swept.ranked, [&](size_t other) { return devices_of(swept.variants[other]) != devices; });
  return differ ? absl::StrCat(", ", devices, devices == 1 ? " device" : " devices") : "";
}

std::string UnevenText(int64_t arguments) {
  if (arguments == 0) return "";
  return absl::StrCat(", ", arguments, arguments == 1 ? " argument does" : " arguments do",
                      " not divide");
}

// What UnevenText() means, where a ranked variant has it.
std::string UnevenNote(const Swept& swept) {
  const bool is_any = absl::c_any_of(swept.ranked, [&](size_t k) { return swept.uneven[k] > 0; });
  return is_any ? "\nnot divide: the pass trims these shardings, JAX refuses such arguments\n" : "";
}

std::string CountText(const Swept& swept) {
  const size_t count = swept.numbers.size();
  return absl::StrCat(count, count == 1 ? " variant" : " variants");
}

// In the place of a table of figures: which variants are one.
std::string PlanText(const Swept& swept, size_t top) {
  const absl::flat_hash_set<std::string> distinct(swept.keys.begin(), swept.keys.end());
  std::string out = absl::StrCat(CountText(swept), ", ", distinct.size(), " distinct\n");
  for (size_t k = 0; k < swept.numbers.size() && k < top; ++k) {
    absl::StrAppend(&out, swept.keys[k].substr(0, 8), "  #", swept.numbers[k], " ",
                    VariantText(swept.variants[k]), "\n");
  }
  return out + MoreText(swept.numbers.size() - std::min(top, swept.numbers.size()));
}

void FillLine(const Swept& swept, size_t k, size_t rank, const SweepRequest& request,
              answers::SweepAnswer* line) {
  const Variant& variant = swept.variants[k];
  line->set_variant(static_cast<int64_t>(swept.numbers[k]));
  if (variant.mesh.has_value()) line->set_mesh(sharding::PrintMeshSizes(*variant.mesh));
  for (const PatternAnnotation& one : variant.annotations) line->add_annotate(AnnotationText(one));
  line->set_key(swept.keys[k]);
  if (!request.planned) FillOutcome(swept.outcomes[k], request.timed, line);
  if (!line->has_refused()) line->set_uneven_arguments(swept.uneven[k]);
  if (!swept.confirmed.has_value() || rank >= swept.confirmed->rows.size()) return;
  FillOutcome(swept.confirmed->rows[rank].compiled, /*timed=*/true, line->mutable_compiled());
}

}  // namespace

void Rank(const SweepRequest& request, Swept* swept) {
  swept->ranked = cost::Ranked(swept->outcomes, request.by, request.limit);
  swept->refused.clear();
  for (size_t k = 0; k < swept->outcomes.size(); ++k) {
    if (!swept->outcomes[k].ok()) swept->refused.push_back(k);
  }
}

std::string SweepText(const Swept& swept, const SweepRequest& request) {
  if (request.planned) return PlanText(swept, request.top);
  const bool timed = request.timed;
  std::string out = CountText(swept);
  if (!swept.refused.empty()) absl::StrAppend(&out, ", ", swept.refused.size(), " refused");
  absl::StrAppend(&out, ", by ", request.by_word, request.topology.empty() ? "" : " on ",
                  request.topology, "\n");
  absl::StrAppendFormat(&out, "%12s %12s %10s  variant\n", "memory", "sent", timed ? "time" : "");
  size_t r = 0;
  for (size_t row = 0; r < swept.ranked.size() && row < request.top; ++row) {
    const size_t k = swept.ranked[r];
    const cost::StepCost& cost = *swept.outcomes[k];
    absl::StrAppendFormat(&out, "%s  #%d %s%s", Figures(cost, timed), swept.numbers[k],
                          VariantText(swept.variants[k]), FitText(cost, request.limit));
    absl::StrAppend(&out, DevicesText(swept, k), UnevenText(swept.uneven[k]), AlikeText(swept, &r),
                    "\n");
  }
  out += MoreText(swept.ranked.size() - r) + UnevenNote(swept);
  out += RefusedText(swept);
  if (swept.confirmed.has_value()) out += ConfirmedText(*swept.confirmed);
  return swept.ranked.empty() ? out : out + UnpricedText(*swept.outcomes[swept.ranked.front()]);
}

std::string SweepLines(const Swept& swept, const SweepRequest& request) {
  std::vector<size_t> order = swept.ranked;
  order.insert(order.end(), swept.refused.begin(), swept.refused.end());
  const size_t size = request.planned ? swept.numbers.size() : order.size();
  answers::SweepAnswer line;
  return text::JsonLines(&line, size, [&](size_t rank) {
    FillLine(swept, request.planned ? rank : order[rank], rank, request, &line);
  });
}

}  // namespace tessera::pipeline
