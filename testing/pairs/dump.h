// A reader of HLO text dumps that knows nothing of tessera's own parser.
//
// The comparison of pairs must not rest on the parser that it judges, so this reader is a small one
// of its own: one instruction a line, as XLA's long text form prints, everything kept as slices of
// text. Where a dump names elements of tuples in place (`%w#1`), all elements become
// get-tuple-elements of these names, after what they are taken from.
//
//   Dump dump(text);
//   const Computation& entry = dump.entry();
//   entry.Root().opcode;  // "tuple"

#ifndef TESSERA_TESTING_PAIRS_DUMP_H_
#define TESSERA_TESTING_PAIRS_DUMP_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "tessera/testing/pairs/dump_text.h"

namespace tessera::testing::pairs {

struct Instruction {
  absl::string_view name;
  absl::string_view shape;  // without blanks and comments
  absl::string_view opcode;
  std::vector<absl::string_view> operands;  // names; of constant, iota, parameter: the text inside
  Attributes attributes;                    // in the order of the text
  absl::string_view line;                   // as it stands in the dump
  bool is_root = false;

  absl::string_view Attribute(absl::string_view key) const { return Find(attributes, key); }
  absl::string_view sharding() const { return Attribute("sharding"); }
  absl::string_view target() const { return Attribute("custom_call_target"); }
  bool has_literal() const;  // constant, iota, parameter: operands are text, not names
  int element() const;       // which one a get-tuple-element takes; 0 where the text does not say
};

// False for an element that is named where it is used, `w#1`.
inline bool HasLine(const Instruction& i) { return i.name.find('#') == absl::string_view::npos; }

struct Computation {
  absl::string_view name;
  std::vector<Instruction> instructions;
  absl::flat_hash_map<absl::string_view, int> index;  // name -> position in `instructions`
  int root = -1;
  bool is_entry = false;

  const Instruction* Get(absl::string_view instruction) const;
  const Instruction& Root() const { return instructions[static_cast<size_t>(root)]; }
  std::vector<int> Parameters() const;  // by parameter number
};

// A line of the dump that is no instruction, and the computation that it belongs to (empty: none).
struct FrameLine {
  absl::string_view computation;
  absl::string_view line;
};

class Dump {
 public:
  explicit Dump(std::string text);
  Dump(const Dump&) = delete;
  Dump& operator=(const Dump&) = delete;

  const std::vector<Computation>& computations() const { return computations_; }
  const Computation* Get(absl::string_view computation) const;
  const Computation& entry() const { return computations_[entry_]; }
  bool readable() const { return entry_ >= 0; }
  const Attributes& attributes() const { return attributes_; }
  const std::vector<FrameLine>& frame() const { return frame_; }

 private:
  void ReadLine(absl::string_view line, int& current);
  void ReadModuleLine(absl::string_view line);
  void OpenComputation(absl::string_view line, int& current);
  void ReadInstruction(absl::string_view line, Computation& computation);
  // `w#0`, `w#1`, `w#1#0`, .. of a tuple of this shape.
  void AddElements(absl::string_view tuple, absl::string_view shape, absl::string_view sharding,
                   Computation& computation);
  // Takes `NAME = SHAPE ` off the text.
  bool ReadShape(absl::string_view* text, Instruction& made);
  absl::string_view Keep(std::string text);

  std::string text_;
  const bool names_elements_;
  std::deque<std::string> cleaned_;  // lines and shapes that lost comments or blanks
  Attributes attributes_;
  std::vector<Computation> computations_;
  absl::flat_hash_map<absl::string_view, int> index_;
  std::vector<FrameLine> frame_;
  int entry_ = -1;
};

}  // namespace tessera::testing::pairs

#endif  // TESSERA_TESTING_PAIRS_DUMP_H_
