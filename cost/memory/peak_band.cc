#include "tessera/cost/memory/peak_band.h"

#include <algorithm>

#include "tessera/cost/memory/target_memory.h"
#include "tessera/hlo/attributes.h"
#include "tessera/target/dataflow/op_kinds.h"
#include "tessera/text/status_macros.h"

namespace tessera::cost {
namespace {

using hlo::InstructionId;
using hlo::Opcode;
using target::Platform;

// Measured by testing/targets/memory.py on whole steps without the patterns below, each from its lowered
// and its partitioned text. Also on 141 targets of TPUs and 45 of GPUs beside them (docs/memory.md).
struct Measured {
  Platform platform;
  double low, high;
  int programs, within;
};
constexpr Measured kMeasured[] = {
    {Platform::kTpu, 0.79, 1.28, 387, 349},
    {Platform::kGpu, 0.77, 1.30, 126, 124},
};

// Known errors of the model, and how far off the worst such program was.
struct Pattern {
  Platform platform;
  bool (*is_in)(const hlo::Module&, InstructionId);
  double low, high;
  const char* said;
};

constexpr int64_t kLarge = 16 << 20;  // elements that matter
constexpr int64_t kLanes = 128;
// In bytes. Of nine programs below it the worst took 5.5 times as much.
constexpr int64_t kSmall = 1 << 20;

int64_t Elements(const layout::Shape& shape) { return shape.NumElements().value_or(0); }

bool IsSpatialConvolution(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kConvolution && module.shape(id).rank() > 3 &&
         Elements(module.shape(id)) >= kLarge;
}

// Of few images, whose parts stand in front of the width (target/tpu/space_to_batch).
bool IsOfParts(const hlo::Module& module, InstructionId id) {
  constexpr int64_t kLargeParts = 1 << 20;
  if (module.instruction(id).opcode != Opcode::kConvolution) return false;
  const auto dims = hlo::GetConvolutionDimensions(module, id);
  const auto stands_in_front = [](int64_t batch, const hlo::IntList& spatial) {
    return batch > 0 && !spatial.empty() && batch + 1 == spatial.back();
  };
  return dims.has_value() && stands_in_front(dims->input_batch, dims->input_spatial) &&
         stands_in_front(dims->output_batch, dims->output_spatial) &&
         Elements(module.shape(id)) >= kLargeParts;
}

// Of rows that fill no tile.
bool IsNarrowGather(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kGather) return false;
  const layout::Shape& shape = module.shape(id);
  return shape.rank() > 1 && shape.dim(shape.rank() - 1) < kLanes && Elements(shape) >= kLarge;
}

// Operands that go round while products run: XLA's windowed einsum, large.
bool IsLargeWindow(const hlo::Module& module, InstructionId id) {
  const hlo::Instruction& i = module.instruction(id);
  return i.opcode == Opcode::kCollectivePermute && i.computation != module.entry_id() &&
         Elements(module.shape(id)) >= kLarge;
}

// An associative scan puts its levels together so.
bool IsLargeInteriorPadding(const hlo::Module& module, InstructionId id) {
  return module.instruction(id).opcode == Opcode::kPad && target::MovesToMemory(module, id) &&
         Elements(module.shape(id)) >= kLarge;
}

// An FFT of many elements: the compiler holds complex numbers as two arrays.
bool IsLargeFft(const hlo::Module& module, InstructionId id) {
  constexpr int64_t kLargeFft = 4 << 20;
  return module.instruction(id).opcode == Opcode::kFft && Elements(module.shape(id)) >= kLargeFft;
}

bool IsLargeRandom(const hlo::Module& module, InstructionId id) {
  if (module.instruction(id).opcode != Opcode::kRngBitGenerator) return false;
  const layout::Shape& shape = module.shape(id);
  return Elements(shape.is_tuple() ? shape.tuple_elements().back() : shape) >= kLarge;
}

constexpr Pattern kPatterns[] = {
    {Platform::kGpu, IsLargeRandom, 0.1, 1.30,
     "random bits by rng-bit-generator, which the compiler fuses with their readers"},

    {Platform::kTpu, IsSpatialConvolution, 0.8, 1.8,
     "large convolutions, whose operands the compiler pads and lays out anew"},
    {Platform::kTpu, IsOfParts, 0.75, 1.6,
     "convolutions of few images, whose width the compiler splits and copies"},
    {Platform::kTpu, IsNarrowGather, 0.8, 1.6,
     "large gathers of rows of less than 128 elements, which the compiler pads"},
    {Platform::kTpu, IsLargeWindow, 0.8, 1.62,
     "large products beside permutes of their operands (windowed einsums): how many are alive "
     "varies"},
    {Platform::kTpu, IsLargeInteriorPadding, 0.7, 1.6,
     "large associative scans: the compiler writes several slices in one kernel"},
    {Platform::kTpu, IsLargeFft, 0.8, 1.6,
     "large FFTs, for which the compiler pads, reverses and keeps parts"},
};

}  // namespace

PeakBand PeakBandOf(const hlo::Module& module, const target::Chip& chip, int64_t peak) {
  PeakBand band;
  for (const Measured& row : kMeasured) {
    if (row.platform == chip.platform) band = {row.low, row.high, row.programs, row.within, {}};
  }
  for (const Pattern& pattern : kPatterns) {
    if (pattern.platform != chip.platform) continue;
    bool found = false;
    for (InstructionId id = 0; id < module.num_instructions() && !found; ++id) {
      found = pattern.is_in(module, id);
    }
    if (found) band.Widen(pattern.low, pattern.high, pattern.said);
  }
  if (chip.platform == Platform::kTpu && peak < kSmall) {
    band.Widen(0.5, 6, "less than 1 MiB: the compiler lays small arrays out in other ways");
  }
  return band;
}

PeakRange PeakRangeOnTarget(const target::Context& context, const PeakSize& size) {
  return PeakBandOf(context.program.module(), *context.target.chip, size.peak).RangeOf(size);
}

absl::StatusOr<PeakRange> PeakRangeOnTarget(const target::Context& context) {
  TESSERA_ASSIGN_OR_RETURN(const PeakSize size, PeakOnTarget(context));
  return PeakRangeOnTarget(context, size);
}

absl::string_view VerdictName(FitVerdict verdict) {
  constexpr absl::string_view kNames[] = {"fits", "does_not_fit", "too_close"};
  return kNames[static_cast<size_t>(verdict)];
}

}  // namespace tessera::cost
