// File: projection/partition/probe.h
//
// Measured costs: sample blocks of an operation, kept in a pool that can be saved and loaded, one
// for each environment.
//
//   Pool pool("lab-a100");
//   pool.Add("conv3x3/f32", {8, 64}, 0.25);
//   Probe probe(pool, "conv3x3/f32", model);       // `model` fills what nobody has measured
//   probe.Cost({8, 64})->seconds                   // 0.25
//   std::string text = pool.ToText();              // the text form of probe.proto
#ifndef TESSERA_PROJECTION_PARTITION_PROBE_H_
#define TESSERA_PROJECTION_PARTITION_PROBE_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/projection/core/point.h"
#include "tessera/projection/partition/cost_model.h"

namespace tessera::projection {

class Pool {
 public:
  explicit Pool(std::string environment) : environment_(std::move(environment)) {}
  static absl::StatusOr<Pool> FromText(absl::string_view text);  // kParse

  const std::string& environment() const { return environment_; }
  // `op` says what was run: a hash of its signature, and the element type. A later sample wins.
  void Add(const std::string& op, const ZPoint& extents, double seconds) {
    samples_[op][extents] = seconds;
  }
  // By extents; empty for an operation that was never run.
  const std::map<ZPoint, double>& SamplesOf(const std::string& op) const;
  std::string ToText() const;

 private:
  std::string environment_;
  std::map<std::string, std::map<ZPoint, double>> samples_;
};

// Costs of one operation with measured seconds. A block that was run costs what it took. One inside
// a cell of the power-of-two grid whose corners were all run is interpolated between these,
// linearly in the logarithm of each extent. Any other takes `model`'s seconds, scaled by what the
// nearest sample took against what the model says of it. Pool and model must outlive it.
class Probe : public CostModel {
 public:
  Probe(const Pool& pool, std::string op, const CostModel& model)
      : pool_(pool), op_(std::move(op)), model_(model) {}
  Probe(const Pool&& pool, std::string op, const CostModel& model) = delete;
  Probe(const Pool& pool, std::string op, const CostModel&& model) = delete;
  Probe(const Pool&& pool, std::string op, const CostModel&& model) = delete;

  // The model's cost with these seconds; without any when neither knows.
  absl::StatusOr<CostVector> Cost(const ZPoint& extents) const override;

 private:
  std::optional<double> Interpolated(const std::map<ZPoint, double>& samples,
                                     const ZPoint& extents) const;
  absl::StatusOr<std::optional<double>> Scaled(const std::map<ZPoint, double>& samples,
                                               const ZPoint& extents,
                                               std::optional<double> modelled) const;

  const Pool& pool_;
  std::string op_;
  const CostModel& model_;
};

}  // namespace tessera::projection

#endif  // TESSERA_PROJECTION_PARTITION_PROBE_H_
