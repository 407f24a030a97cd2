#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/strings.h"
#include "tessera/hlo/proto/values/proto_origin.h"
#include "tessera/hlo/proto/values/proto_values.h"
#include "tessera/hlo/values/value_printer.h"
#include "tessera/hlo/values/values.h"

namespace tessera::hlo {
namespace {

using A = AttributeName;
using Proto = pb::HloInstructionProto;
using Text = std::optional<std::string>;

Text FrontendText(const Proto& proto, const Payloads&) {
  const auto& map = proto.frontend_attributes().map();
  if (map.empty()) return std::nullopt;
  const std::map<std::string, std::string> sorted(map.begin(), map.end());
  return FormatFrontendAttributes({sorted.begin(), sorted.end()});
}

absl::Status StoreFrontend(const Module& module, InstructionId id, absl::string_view,
                           Proto* proto) {
  for (const FrontendEntry& entry : GetFrontendEntries(module, id)) {
    auto* map = proto->mutable_frontend_attributes()->mutable_map();
    (*map)[std::string(entry.key)] = DecodeFrontendValue(entry.value);
  }
  return absl::OkStatus();
}

Text StatisticsText(const Proto& proto, const Payloads&) {
  if (proto.statistics_viz().statistics().empty()) return std::nullopt;
  const int64_t index = proto.statistics_viz().stat_index_to_visualize();
  std::string out = absl::StrCat("{visualizing_index=", index);
  for (const pb::StatisticsProto::Statistic& s : proto.statistics_viz().statistics()) {
    absl::StrAppend(&out, ",", s.stat_name(), "=", absl::StrFormat("%.17g", s.stat_val()));
  }
  return out + "}";
}

absl::Status StoreStatistics(const Module&, InstructionId, absl::string_view value, Proto* proto) {
  Reader in(value, 0, value.size());
  Statistics statistics;
  if (!ReadStatistics(in, &statistics)) return absl::OkStatus();
  proto->mutable_statistics_viz()->set_stat_index_to_visualize(statistics.visualizing_index);
  for (const auto& [name, number] : statistics.values) {
    pb::StatisticsProto::Statistic* to = proto->mutable_statistics_viz()->add_statistics();
    to->set_stat_name(std::string(name));
    to->set_stat_val(number);
  }
  return absl::OkStatus();
}

Text MetadataText(const Proto& proto, const Payloads& payloads) {
  const std::string text = MetadataTextFromProto(proto.metadata(), payloads);
  if (text.empty()) return std::nullopt;
  return text;
}

absl::Status StoreMetadata(const Module& module, InstructionId id, absl::string_view,
                           Proto* proto) {
  MetadataToProto(GetMetadata(module, id), proto->mutable_metadata());
  return absl::OkStatus();
}

Text ConfigText(const Proto& proto, const Payloads& payloads) {
  const std::string bytes = proto.has_backend_config_payload()
                                ? PayloadBytes(proto.backend_config_payload(), payloads)
                                : proto.backend_config();
  if (bytes.empty()) return std::nullopt;
  return hlo::BackendConfigText(bytes);
}

absl::Status StoreBackendConfig(const Module& module, InstructionId id, absl::string_view,
                                Proto* proto) {
  proto->set_backend_config(GetString(module, id, A::kBackendConfig).value_or(""));
  return absl::OkStatus();
}

Text AccuracyText(const Proto& proto, const Payloads&) {
  const pb::ResultAccuracyProto& from = proto.result_accuracy();
  if (from.has_tolerance()) {
    return absl::StrFormat("{tolerance={atol=%.17g,rtol=%.17g,ulps=%d}}", from.tolerance().atol(),
                           from.tolerance().rtol(), from.tolerance().ulps());
  }
  if (from.mode() == 0) return std::nullopt;
  return from.mode() == 1 ? "{mode=highest}" : "{mode=invalid}";
}

absl::Status StoreAccuracy(const Module&, InstructionId, absl::string_view value, Proto* proto) {
  Reader in(value, 0, value.size());
  ResultAccuracy accuracy;
  if (!ReadResultAccuracy(in, &accuracy)) return absl::OkStatus();
  pb::ResultAccuracyProto* to = proto->mutable_result_accuracy();
  if (!accuracy.has_tolerance) {
    to->set_mode(accuracy.highest ? 1 : 0);
    return absl::OkStatus();
  }
  to->mutable_tolerance()->set_atol(accuracy.atol);
  to->mutable_tolerance()->set_rtol(accuracy.rtol);
  to->mutable_tolerance()->set_ulps(accuracy.ulps);
  return absl::OkStatus();
}

Text SparsityText(const Proto& proto, const Payloads&) {
  if (!proto.sparsity_config().has_lhs() && !proto.sparsity_config().has_rhs()) {
    return std::nullopt;
  }
  const auto side = [](bool present, const pb::SparsityProto::Side& s) {
    return SparsityConfig::Side{present, s.num_non_zero(), s.block_size(), s.dimension(),
                                s.stride()};
  };
  const pb::SparsityProto& from = proto.sparsity_config();
  SparsityConfig config;
  config.lhs = side(from.has_lhs(), from.lhs());
  config.rhs = side(from.has_rhs(), from.rhs());
  return PrintSparsity(config);
}

void StoreSide(const SparsityConfig::Side& side, pb::SparsityProto::Side* to) {
  to->set_num_non_zero(side.num_non_zero);
  to->set_block_size(side.block_size);
  to->set_dimension(side.dimension);
  to->set_stride(side.stride);
}

absl::Status StoreSparsity(const Module&, InstructionId, absl::string_view value, Proto* proto) {
  Reader in(value, 0, value.size());
  SparsityConfig config;
  if (!ReadSparsity(in, &config)) return absl::OkStatus();
  pb::SparsityProto* to = proto->mutable_sparsity_config();
  if (config.lhs.present) StoreSide(config.lhs, to->mutable_lhs());
  if (config.rhs.present) StoreSide(config.rhs, to->mutable_rhs());
  return absl::OkStatus();
}

constexpr ValueRow kInfoRows[] = {
    {A::kFrontendAttributes, FrontendText, StoreFrontend},
    {A::kStatistics, StatisticsText, StoreStatistics},
    {A::kOrigin, OriginText, StoreOrigin},
    {A::kMetadata, MetadataText, StoreMetadata},
    {A::kBackendConfig, ConfigText, StoreBackendConfig},
    {A::kResultAccuracy, AccuracyText, StoreAccuracy},
    {A::kSparsityConfig, SparsityText, StoreSparsity},
};

}  // namespace

absl::Span<const ValueRow> InfoValueRows() { return kInfoRows; }

}  // namespace tessera::hlo
