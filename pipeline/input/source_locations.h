// Where in the user's program an instruction comes from.
//
//   SourceLocations locations(module);
//   locations.Of(id);         // "linear.py:287", "" if the module does not say
//   locations.UsersOwn(id);   // "model.py:41", which called it
//   locations.Stack(id);      // {"linear.py:287", "model.py:41", "train.py:12"}

#ifndef TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_
#define TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
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

  // All frames of the call, innermost first; empty for an instruction without a stack.
  std::vector<std::string> Stack(hlo::InstructionId id) const;

 private:
  std::string Of(const hlo::Metadata& metadata) const;
  std::string Place(const hlo::StackFrame* frame) const;

  // The frames with a place, from the innermost one until `is_found`.
  void FindFrame(const hlo::Metadata& metadata,
                 absl::FunctionRef<bool(const std::string& place)> is_found) const;

  // Numbers are from 1.
  template <typename T>
  static const T* At(const std::vector<T>& list, int64_t number) {
    const bool known = number >= 1 && number <= static_cast<int64_t>(list.size());
    return known ? &list[static_cast<size_t>(number - 1)] : nullptr;
  }

  const hlo::Module& module_;
  hlo::StackFrames frames_;
};

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_INPUT_SOURCE_LOCATIONS_H_
