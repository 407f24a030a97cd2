// The tables FileNames, FunctionNames, FileLocations and StackFrames of a module.
//
//   StackFrames frames = ParseStackFrames(module.header().stack_frames);
//   const StackFrame& f = frames.frames[metadata.stack_frame_id - 1];
//   frames.file_names[frames.locations[f.location - 1].file - 1];

#ifndef TESSERA_HLO_STACK_FRAMES_H_
#define TESSERA_HLO_STACK_FRAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::hlo {

// All numbers are from 1; 0 is none.
struct FileLocation {
  int64_t file = 0, function = 0;
  int64_t line = 0, end_line = 0, column = 0, end_column = 0;
};

struct StackFrame {
  int64_t location = 0;
  int64_t parent = 0;  // the text shows one more
};

struct StackFrames {
  std::vector<std::string> file_names, function_names;
  std::vector<FileLocation> locations;
  std::vector<StackFrame> frames;

  bool empty() const { return frames.empty(); }
};

// Empty tables for an empty text.
StackFrames ParseStackFrames(absl::string_view text);

// The four sections with their headings; each line ends with a line feed.
std::string PrintStackFrames(const StackFrames& frames);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_STACK_FRAMES_H_
