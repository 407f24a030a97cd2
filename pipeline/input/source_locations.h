// Where in the user's program an instruction comes from.
//
//   SourceLocations locations(module);
//   locations.Of(id);         // "linear.py:287", "" if the module does not say
//   locations.UsersOwn(id);   // "model.py:41", which called it
//   locations.LinesTo(id);    // {"model.py:41", "train.py:7"}

#ifndef TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_
#define TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/stack_frames.h"

namespace tessera::pipeline {

// The module must outlive it.
class SourceLocations {
 public:
  explicit SourceLocations(const hlo::Module& module)
      : module_(module), frames_(hlo::ParseStackFrames(module.header().stack_frames)) {}

  // file:line, from the instruction's own metadata or the frame that it names.
  std::string Of(hlo::InstructionId id) const;

  // The innermost frame that lies in no library (JAX, any other installed package, or what the
  // environment's TESSERA_LIBRARIES names); as Of() where there is none.
  std::string UsersOwn(hlo::InstructionId id) const;

  // The lines of no library that lead to it, the innermost first, each once. jax.grad and jax.checkpoint repeat an
  // operation with other frames, but the same lines. Of() where there are none; empty if the module does not say.
  std::vector<std::string> LinesTo(hlo::InstructionId id) const;

 private:
  std::string Of(const hlo::Metadata& metadata) const;
  // Calls `visit` with the lines of no library, the innermost first, until it returns false.
  void ForEachOwn(const hlo::Metadata& metadata, absl::FunctionRef<bool(std::string)> visit) const;
  std::string Place(const hlo::StackFrame* frame) const;

  // Numbers are from 1.
  template <typename T>
  static const T* At(const std::vector<T>& list, int64_t number) {
    const bool known = number >= 1 && number <= static_cast<int64_t>(list.size());
    return known ? &list[static_cast<size_t>(number - 1)] : nullptr;
  }

  const hlo::Module& module_;
  hlo::StackFrames frames_;
};

// "net.py:17 from net.py:57": the line, and as many callers as tell `lines` from all that differ. Both as of LinesTo().
std::string DistinctPlace(const std::vector<std::string>& lines,
                          absl::Span<const std::vector<std::string>> all);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_
