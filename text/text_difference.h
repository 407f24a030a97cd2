// A text as its difference from another one, for a text that is rarely read beside one that stays
// in memory.
//
//   TextDifference d = TextDifference::Between("a = f()\nb = a\n", "b = a\nc = b\n");
//   d.Restore("b = a\nc = b\n");       // "a = f()\nb = a\n"
//
// Found are whole lines, wherever they stand in the other text.

#ifndef TESSERA_TEXT_TEXT_DIFFERENCE_H_
#define TESSERA_TEXT_TEXT_DIFFERENCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::text {

class TextDifference {
 public:
  static TextDifference Between(absl::string_view text, absl::string_view other);

  // `other` as it was given to Between.
  std::string Restore(absl::string_view other) const;
  // The bytes that this takes.
  size_t bytes() const { return own_.size() + runs_.size() * sizeof(Run); }

 private:
  // So many bytes of `own_`, then a piece of the other text.
  struct Run {
    size_t own = 0;
    size_t from = 0;
    size_t size = 0;
  };

  std::string own_;  // what stands in no run stands at the end
  std::vector<Run> runs_;
};

}  // namespace tessera::text

#endif  // TESSERA_TEXT_TEXT_DIFFERENCE_H_
