// The header of a .npy file, NumPy's format of one array.
//
//   NpyHeader header = *ParseNpyHeader(file);    // of np.zeros((3, 5), np.float32)
//   header.type, header.dims;                    // "<f4", {3, 5}
//   file.substr(header.size);                    // 60 bytes
//   NpyHeaderText(header);                       // the first bytes of such a file
//
// Source: NumPy's documentation of numpy.lib.format, versions 1 to 3. Records and Python objects
// are refused. Tested by relayout_array_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_LAYOUT_NPY_HEADER_H_
#define TESSERA_PIPELINE_VERBS_LAYOUT_NPY_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::pipeline {

struct NpyHeader {
  std::string type;            // NumPy's name: "<f4"; "<V2" of bfloat16
  char kind = 'f';             // of the type's name
  int64_t item_bytes = 4;      // of one element
  bool fortran_order = false;  // the first dimension is the most minor one
  std::vector<int64_t> dims;
  size_t size = 0;  // bytes of the header in the file
};

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file);

// Version 1, or 2 where it is long; `size` does not matter.
std::string NpyHeaderText(const NpyHeader& header);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_LAYOUT_NPY_HEADER_H_
