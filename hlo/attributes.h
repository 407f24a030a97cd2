// Values of attributes as typed data. The module keeps them as text; these functions read that text
// when asked, which costs some ten nanoseconds an attribute.
//
//   %d = f32[8,32] dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
//   DotDimensions d = GetDotDimensions(module, id);    // d.lhs_contracting = {1}, ...
//   IntList dims = GetInts(module, id, AttributeName::kDimensions).value_or(IntList());
//
// The parser has checked every value that came from a text. A value that was set by hand and does
// not read gives what an absent attribute gives.

#ifndef TESSERA_HLO_ATTRIBUTES_H_
#define TESSERA_HLO_ATTRIBUTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "tessera/hlo/module.h"
#include "tessera/hlo/parse/strings.h"

namespace tessera::hlo {

using IntList = absl::InlinedVector<int64_t, 6>;

// --- Plain values: nullopt when the attribute is absent ------------------------------------------

std::optional<IntList> GetInts(const Module& module, InstructionId id, AttributeName name);
std::optional<std::vector<IntList>> GetIntLists(const Module& module, InstructionId id,
                                                AttributeName name);
std::optional<int64_t> GetInt(const Module& module, InstructionId id, AttributeName name);
std::optional<double> GetFloat(const Module& module, InstructionId id, AttributeName name);
std::optional<bool> GetBool(const Module& module, InstructionId id, AttributeName name);
// A quoted value with its escapes decoded; a bare word or raw braces as they stand.
std::optional<std::string> GetString(const Module& module, InstructionId id, AttributeName name);
// The words of an enumeration: one for `direction=LT`, several for `operand_precision={high,high}`.
std::vector<absl::string_view> GetWords(const Module& module, InstructionId id, AttributeName name);

// operand_layout_constraints, outfeed_shape (one entry).
std::optional<std::vector<layout::Shape>> GetShapes(const Module& module, InstructionId id,
                                                    AttributeName name);

// --- Shorthands ----------------------------------------------------------------------------------

// The one entry of dimensions={..} (concatenate, sort, all-gather, get-dimension-size, ...).
std::optional<int64_t> GetDimension(const Module& module, InstructionId id);
std::string GetCustomCallTarget(const Module& module, InstructionId id);
// source_target_pairs={{0,1},{1,0}}; empty where it is absent.
std::vector<std::pair<int64_t, int64_t>> GetSourceTargetPairs(const Module& module,
                                                              InstructionId id);
// Of get-tuple-element; -1 when absent.
int64_t GetTupleIndex(const Module& module, InstructionId id);
// "LT" and so on of a compare.
absl::string_view GetComparisonDirection(const Module& module, InstructionId id);

// --- Structures ----------------------------------------------------------------------------------

struct DotDimensions {
  IntList lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
  IntList lhs_ragged, rhs_group;  // ragged-dot only
};
DotDimensions GetDotDimensions(const Module& module, InstructionId id);

struct GatherDimensions {
  IntList offset_dims, collapsed_slice_dims, start_index_map;
  IntList operand_batching_dims, start_indices_batching_dims;
  IntList slice_sizes;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
};
GatherDimensions GetGatherDimensions(const Module& module, InstructionId id);

struct ScatterDimensions {
  IntList update_window_dims, inserted_window_dims, scatter_dims_to_operand_dims;
  IntList input_batching_dims, scatter_indices_batching_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
  bool unique_indices = false;
};
ScatterDimensions GetScatterDimensions(const Module& module, InstructionId id);

struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t base_dilation = 1;    // lhs_dilate
  int64_t window_dilation = 1;  // rhs_dilate
  bool reversal = false;        // rhs_reversal

  bool is_trivial() const;  // all but the size at their defaults
};
using Window = std::vector<WindowDimension>;
// Empty when absent.
Window GetWindow(const Module& module, InstructionId id);

struct ConvolutionDimensions {
  int64_t input_batch = 0, input_feature = 0;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  int64_t output_batch = 0, output_feature = 0;
  IntList input_spatial, kernel_spatial, output_spatial;
};
std::optional<ConvolutionDimensions> GetConvolutionDimensions(const Module& module,
                                                              InstructionId id);

struct SliceDimension {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
};
// Of `slice`, one entry a dimension.
std::vector<SliceDimension> GetSlice(const Module& module, InstructionId id);

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
};
std::vector<PaddingDimension> GetPadding(const Module& module, InstructionId id);

// replica_groups= in its three spellings.
struct ReplicaGroups {
  enum class Form : uint8_t { kList, kIota, kMesh };
  Form form = Form::kList;
  std::vector<std::vector<int64_t>> list;  // kList; empty means one group of everything
  // kIota: [groups,size]<=[reshape]T(permutation), in canonical form. kMesh: the order of the
  // devices, if it is a transposed iota.
  int64_t num_groups = 0, group_size = 0;
  IntList reshape, permutation;
  // kMesh.
  struct Axis {
    std::string name;
    int64_t size = 1;
  };
  struct AxisRef {
    std::string name;
    int64_t pre_size = 1;
    int64_t size = 0;  // 0: the whole axis
  };
  std::vector<Axis> mesh;
  std::vector<int64_t> device_ids;  // of the mesh, as listed; empty: 0, 1, .., maybe transposed
  std::string iota_order;           // "[reshape]T(permutation)" of a mesh
  std::vector<AxisRef> axes;

  // The groups as lists of ids, whatever the form. Nullopt above 2^24 ids or for axes not in the
  // mesh.
  std::optional<std::vector<std::vector<int64_t>>> Expand() const;
  // How many devices a group holds, without listing them: 0 if groups differ in size, -1 for one
  // group of everything. Nullopt as for Expand.
  std::optional<int64_t> UniformSize() const;
  // How many ids Expand lists, without listing them. Nullopt as for Expand.
  std::optional<int64_t> NumIds() const;
};
// nullopt when absent.
std::optional<ReplicaGroups> GetReplicaGroups(const Module& module, InstructionId id);
std::optional<ReplicaGroups> ParseReplicaGroups(absl::string_view text);

struct OperandAlias {
  IntList output_index;
  int64_t operand = 0;
  IntList operand_index;
};
// output_to_operand_aliasing.
std::vector<OperandAlias> GetAliasing(const Module& module, InstructionId id);

// --- Frontend attributes, metadata ---------------------------------------------------------------

// One `key=value` as it stands in the text.
struct FrontendEntry {
  absl::string_view key;
  absl::string_view value;  // as written: quotes and escapes, or raw braces
};
// In order of the text, duplicates included (the last one counts).
std::vector<FrontendEntry> GetFrontendEntries(const Module& module, InstructionId id);
std::vector<FrontendEntry> ParseFrontendEntries(absl::string_view text);
// Decoded value of one key; nullopt when absent.
std::optional<std::string> GetFrontendAttribute(const Module& module, InstructionId id,
                                                absl::string_view key);
// A quoted value decoded, raw braces as they stand.
std::string DecodeFrontendValue(absl::string_view value);
// The decoded value of a backend_config as it is written: raw if it reads back raw, else quoted.
std::string BackendConfigText(const std::string& value);
// `{a="x",b={}}` from decoded pairs; values are quoted unless they read back raw.
std::string FormatFrontendAttributes(
    const std::vector<std::pair<std::string, std::string>>& attributes);

struct Metadata {
  std::string op_type, op_name, source_file, deduplicated_name, scheduling_name;
  std::optional<std::string> payload;
  int64_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0;
  int64_t stack_frame_id = 0;
  IntList profile_type;
};
Metadata GetMetadata(const Module& module, InstructionId id);
Metadata ParseMetadata(absl::string_view text);
// Its op_name alone; empty where there is none.
std::string GetOpName(const Module& module, InstructionId id);

}  // namespace tessera::hlo

#endif  // TESSERA_HLO_ATTRIBUTES_H_
