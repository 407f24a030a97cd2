// How far a predicted peak may be from the compiler's, as measured, and what follows for "does it fit".
//
//   const PeakBand band = PeakBandOf(module, chip, memory.peak);
//   const PeakRange range = band.RangeOf(memory);   // low, high: between these was the compiler's of nearly all measured texts
//   range.VerdictOn(usable);                        // kFits, kDoesNotFit, kTooClose
//
// The figures are by kind of chip (peak_band.cc). A program with a pattern that the model is known to get wrong has a wider band, and so has a
// small one.

#ifndef TESSERA_COST_MEMORY_PEAK_BAND_H_
#define TESSERA_COST_MEMORY_PEAK_BAND_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tessera/cost/memory/peak_model.h"
#include "tessera/hlo/module.h"
#include "tessera/target/pass.h"
#include "tessera/target/target.h"

namespace tessera::cost {

enum class FitVerdict : uint8_t { kFits, kDoesNotFit, kTooClose };

// A peak, and between which bytes that of the compiler is expected.
struct PeakRange {
  int64_t peak = 0, low = 0, high = 0;

  FitVerdict VerdictOn(int64_t usable) const {
    if (high <= usable) return FitVerdict::kFits;
    return low > usable ? FitVerdict::kDoesNotFit : FitVerdict::kTooClose;
  }
};

struct PeakBand {
  double low = 1, high = 1;           // the compiler's peak in units of the predicted one
  int programs = 0;                   // texts that it was measured on
  int within = 0;                     // of these texts, in the band
  std::vector<std::string> patterns;  // why it is wider, each a sentence without a full stop

  void Widen(double to_low, double to_high, absl::string_view why) {
    low = std::min(low, to_low);
    high = std::max(high, to_high);
    patterns.emplace_back(why);
  }
  // Never less than what stands in memory all the time.
  PeakRange RangeOf(const PeakSize& size) const {
    const auto peak = static_cast<double>(size.peak);
    return {size.peak, std::max(static_cast<int64_t>(low * peak), size.standing()),
            static_cast<int64_t>(high * peak)};
  }
};

// Of a module of one device and its predicted peak in bytes. Cost: linear.
PeakBand PeakBandOf(const hlo::Module& module, const target::Chip& chip, int64_t peak);

// Of the program that the peak was found on. The other finds it first, by PeakOnTarget() and with its errors.
PeakRange PeakRangeOnTarget(const target::Context& context, const PeakSize& size);
absl::StatusOr<PeakRange> PeakRangeOnTarget(const target::Context& context);

// "fits", "does_not_fit", "too_close".
absl::string_view VerdictName(FitVerdict verdict);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_PEAK_BAND_H_
