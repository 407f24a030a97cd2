// How far a predicted peak may be from the compiler's, as measured, and what follows for "does it fit".
//
//   const PeakBand band = PeakBandOf(module, chip, memory.peak);
//   band.LowOf(memory), band.HighOf(memory);        // between these was the compiler's of nearly all measured texts
//   VerdictOn(low, high, usable);                   // kFits, kDoesNotFit, kTooClose
//
// The figures are by kind of chip (peak_band.cc). A program with a pattern that the model is known to get wrong has a wider band, and so has a
// small one.

#ifndef TESSERA_COST_MEMORY_PEAK_BAND_H_
#define TESSERA_COST_MEMORY_PEAK_BAND_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/module.h"
#include "tessera/target/target.h"

namespace tessera::cost {

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
  int64_t LowOf(int64_t peak) const {
    return static_cast<int64_t>(low * static_cast<double>(peak));
  }
  int64_t HighOf(int64_t peak) const {
    return static_cast<int64_t>(high * static_cast<double>(peak));
  }
  int64_t LowOf(const TargetMemory& memory) const {
    return std::max(LowOf(memory.peak), memory.standing());
  }
  int64_t HighOf(const TargetMemory& memory) const { return HighOf(memory.peak); }
};

// Of a module of one device and its predicted peak in bytes. Cost: linear.
PeakBand PeakBandOf(const hlo::Module& module, const target::Chip& chip, int64_t peak);

enum class FitVerdict : uint8_t { kFits, kDoesNotFit, kTooClose };

// "fits", "does_not_fit", "too_close".
absl::string_view VerdictName(FitVerdict verdict);
FitVerdict VerdictOn(int64_t low, int64_t high, int64_t usable);

}  // namespace tessera::cost

#endif  // TESSERA_COST_MEMORY_PEAK_BAND_H_
