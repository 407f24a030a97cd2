#include "tessera/projection/partition/probe.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "google/protobuf/text_format.h"
#include "tessera/projection/core/error.h"
#include "tessera/projection/probe.pb.h"
#include "tessera/text/status_macros.h"

namespace tessera::projection {
namespace {

double Log2(int64_t n) { return std::log2(static_cast<double>(std::max<int64_t>(n, 1))); }

// Squared distance in logarithms.
double Distance(const ZPoint& a, const ZPoint& b) {
  double sum = 0;
  for (int c = 0; c < a.rank(); ++c) sum += std::pow(Log2(a[c]) - Log2(b[c]), 2);
  return sum;
}

}  // namespace

absl::StatusOr<Pool> Pool::FromText(absl::string_view text) {
  CostPool proto;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &proto))
    return MakeError(ErrorCode::kParse, "no text of a CostPool");
  Pool pool(proto.environment());
  for (const CostSample& s : proto.sample()) {
    const std::vector<int64_t> extents(s.extent().begin(), s.extent().end());
    pool.Add(s.op(), ZPoint(extents), s.seconds());
  }
  return pool;
}

const std::map<ZPoint, double>& Pool::SamplesOf(const std::string& op) const {
  static const std::map<ZPoint, double>* const kNone = new std::map<ZPoint, double>;
  const auto found = samples_.find(op);
  return found == samples_.end() ? *kNone : found->second;
}

std::string Pool::ToText() const {
  CostPool proto;
  proto.set_environment(environment_);
  for (const auto& [op, samples] : samples_) {
    for (const auto& [extents, seconds] : samples) {
      CostSample* s = proto.add_sample();
      s->set_op(op);
      for (int64_t n : extents) s->add_extent(n);
      s->set_seconds(seconds);
    }
  }
  std::string text;
  google::protobuf::TextFormat::PrintToString(proto, &text);
  return text;
}

std::optional<double> Probe::Interpolated(const std::map<ZPoint, double>& samples,
                                          const ZPoint& extents) const {
  double sum = 0;
  for (int64_t corner = 0; corner < int64_t{1} << extents.rank(); ++corner) {
    ZPoint at = extents;
    double weight = 1;
    for (int c = 0; c < extents.rank(); ++c) {
      const double low = std::floor(Log2(extents[c])), share = Log2(extents[c]) - low;
      const bool high = corner >> c & 1;
      at[c] = int64_t{1} << (static_cast<int>(low) + (high ? 1 : 0));
      weight *= high ? share : 1 - share;
    }
    if (weight == 0) continue;
    const auto found = samples.find(at);
    if (found == samples.end()) return std::nullopt;
    sum += weight * found->second;
  }
  return sum;
}

absl::StatusOr<std::optional<double>> Probe::Scaled(const std::map<ZPoint, double>& samples,
                                                    const ZPoint& extents,
                                                    std::optional<double> modelled) const {
  const ZPoint* nearest = nullptr;
  for (const auto& [at, seconds] : samples) {
    if (at.rank() != extents.rank()) continue;
    if (nearest == nullptr || Distance(at, extents) < Distance(*nearest, extents)) nearest = &at;
  }
  if (nearest == nullptr || !modelled.has_value()) return modelled;
  TESSERA_ASSIGN_OR_RETURN(const CostVector there, model_.Cost(*nearest));
  if (!there.seconds.has_value() || *there.seconds <= 0) return modelled;
  return std::optional<double>(*modelled * samples.at(*nearest) / *there.seconds);
}

absl::StatusOr<CostVector> Probe::Cost(const ZPoint& extents) const {
  TESSERA_ASSIGN_OR_RETURN(CostVector cost, model_.Cost(extents));
  const std::map<ZPoint, double>& samples = pool_.SamplesOf(op_);
  const auto exact = samples.find(extents);
  if (exact != samples.end()) {
    cost.seconds = exact->second;
  } else if (const std::optional<double> between = Interpolated(samples, extents)) {
    cost.seconds = between;
  } else {
    TESSERA_ASSIGN_OR_RETURN(cost.seconds, Scaled(samples, extents, cost.seconds));
  }
  return cost;
}

}  // namespace tessera::projection
