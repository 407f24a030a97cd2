// The values of attributes, one production each: read from the text, checked, and given as data.
//
//   Reader in(text, 0, text.size());       // "{size=3x3 pad=1_1x1_1}, feature_group_count=2"
//   Window window;
//   if (!ReadWindow(in, &window)) return in.error();
//
// The parser reads all values this way, to check them; attributes.h reads single values again.
// A production that fails leaves its mistake in the reader and its output half filled.

#ifndef TESSERA_HLO_VALUES_VALUES_H_
#define TESSERA_HLO_VALUES_VALUES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/reader.h"
#include "tessera/hlo/schema/opcode_attributes.h"

namespace tessera::hlo {

// --- values.cc ---
bool ReadInts(Reader& in, IntList* values);  // {1,0}
bool ReadIntLists(Reader& in, std::vector<IntList>* lists);
bool ReadInt32(Reader& in, int64_t* value);
bool ReadBool(Reader& in, bool* value);
bool ReadFloat(Reader& in, double* value);
// One of the words; `what` is named in the message.
bool ReadEnumeration(Reader& in, absl::Span<const absl::string_view> words, bool ignore_case,
                     absl::string_view what, absl::string_view* word);
bool ReadQuoted(Reader& in, std::string* text);  // "a", with its escapes read
bool ReadBools(Reader& in, std::vector<bool>* values);
// {0}: (1, {2})
bool ReadAliasing(Reader& in, std::vector<OperandAlias>* aliases);
// Braces that match; quotes of both kinds and comments are looked into for their ends only.
bool ReadBalanced(Reader& in, absl::string_view* token);

// Any value whose check needs nothing but its text: windows, labels, groups, and so on.
bool ParseStructuredValue(Reader& in, AttributeSyntax syntax);
// {a=1 b=2}: integer fields in any order, commas between them allowed, each field once, none
// missing.
bool ReadNumberedFields(Reader& in, absl::string_view names);

// --- values_dims.cc: dimensions of windows and slices ---
bool ReadWindow(Reader& in, Window* window);
bool ReadConvolutionDimensions(Reader& in, ConvolutionDimensions* dims);
bool ReadPadding(Reader& in, std::vector<PaddingDimension>* padding);
bool ReadSlice(Reader& in, std::vector<SliceDimension>* slice);

// --- values_groups.cc ---
bool ReadReplicaGroups(Reader& in, ReplicaGroups* groups);

// --- values_info.cc: what describes an instruction ---
bool ReadFrontendAttributes(Reader& in, std::vector<FrontendEntry>* entries);
bool ReadMetadata(Reader& in, Metadata* metadata);  // null: check only
bool ReadBackendConfig(Reader& in, absl::string_view* token);

struct Statistics {
  int64_t visualizing_index = 0;
  std::vector<std::pair<absl::string_view, double>> values;
  bool empty = true;
};
bool ReadStatistics(Reader& in, Statistics* statistics);

// Where the elements of a shape came from in an older module.
struct OriginTree {
  enum class Kind : uint8_t { kLeaf, kEmptyLeaf, kTuple, kSyntheticCall };
  Kind kind = Kind::kTuple;
  absl::string_view name;  // kLeaf: the string token's body, not decoded
  IntList index;           // kLeaf
  std::vector<OriginTree> elements;
  // Of the whole, `{..,["f"]}`: the string token's body, not decoded.
  std::optional<absl::string_view> call_hierarchy;
};
// An element that is not written is a tuple without elements; the last ones are dropped.
bool ReadOrigin(Reader& in, OriginTree* tree);
void DropLastGaps(OriginTree* tuple);

struct Domain {
  absl::string_view entry, exit;  // shardings as written, which can be read
};
bool ReadDomain(Reader& in, Domain* domain);

struct ResultAccuracy {
  bool has_tolerance = false;
  bool highest = false;
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
};
bool ReadResultAccuracy(Reader& in, ResultAccuracy* accuracy);

struct SparsityConfig {
  struct Side {
    bool present = false;
    int64_t num_non_zero = 0, block_size = 0, dimension = 0, stride = 0;
  };
  Side lhs, rhs;
};
bool ReadSparsity(Reader& in, SparsityConfig* config);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_VALUES_VALUES_H_
