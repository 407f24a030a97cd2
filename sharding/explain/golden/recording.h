// How the tensors of a module are sharded, to be kept and compared.
//
//   Recording r;
//   r.reference = "0.12.0.1";
//   r.meshes.Add("mesh", mesh);
//   r.entries.push_back({"x.1", shape, sharding, "argument", {}, {}, "x", "model.py:3"});
//   LinkOperands(&r);                    // fills Entry::operands from the names
//   BytesPerDevice(r, r.entries[0]);     // of the largest shard
//
// Tested by recording_text_test.cc.

#ifndef TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_H_
#define TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/layout/shape.h"
#include "tessera/sharding/mesh.h"
#include "tessera/sharding/tensor_sharding.h"

namespace tessera::sharding::golden {

// Opcodes that HLO does not have: a parameter of the entry, and a result of the module.
inline constexpr absl::string_view kArgument = "argument";
inline constexpr absl::string_view kResult = "result";

// In front of the number of the device that has the whole array.
inline constexpr absl::string_view kDevice = "device ";

struct Entry {
  std::string name;     // "dot.7", "while.3{1}"
  layout::Shape shape;  // an array
  // Of the rank of the shape, also that of an array on a single device. None: propagation did not
  // reach it.
  std::optional<TensorSharding> sharding;
  std::string opcode;
  std::vector<std::string> operand_names;  // arrays that it is made from, the first few
  std::vector<int> operands;               // their entries; -1: not recorded
  std::string op_name;
  std::string source;  // file:line
};

struct Recording {
  std::string reference;  // version of the reference
  // First of all the mesh that P(..) is about, then others, no two equal. Inlined ones are those of
  // single devices.
  MeshTable meshes;
  std::vector<Entry> entries;  // operands before their users, as far as there is such an order

  // Where a text that was read says these; 0 otherwise.
  size_t reference_offset = 0, mesh_offset = 0;
};

// The symbols of meshes that are not inlined, in order.
std::vector<MeshId> NamedMeshes(const Recording& recording);

// The device that has the whole array, if it is a single one.
std::optional<int64_t> DeviceOf(const MeshTable& meshes, const TensorSharding& sharding);

// A name means the nearest entry above that has it, or else the last one of all. Linear.
void LinkOperands(Recording* recording);

// Bytes of the largest shard of an entry; the largest number for what leaves 64 bits.
int64_t BytesPerDevice(const Recording& recording, const Entry& entry);

}  // namespace tessera::sharding::golden

#endif  // TESSERA_SHARDING_EXPLAIN_GOLDEN_RECORDING_H_
