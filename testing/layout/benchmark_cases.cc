#include "tessera/testing/layout/benchmark_cases.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::layout::relayout {
namespace {

// The sizes and permutations by which transpositions are usually compared, with TransposePlan's
// speed for 1-byte and 4-byte elements, as a part of memcpy's. docs/relayout.md says how to run them.
struct Permutation {
  std::vector<int64_t> dims;
  std::vector<int64_t> perm;
  double u8_bar;
  double f32_bar;
};

const Permutation kPermutations[] = {
    {{256, 256}, {1, 0}, 0.195, 0.42},
    {{512, 512}, {1, 0}, 0.14, 0.6},
    {{1024, 1024}, {1, 0}, 0.21, 0.305},
    {{256, 256, 256}, {0, 2, 1}, 0.3, 0.395},
    {{256, 256, 256}, {1, 0, 2}, 0.59, 0.675},
    {{256, 256, 256}, {1, 2, 0}, 0.185, 0.335},
    {{256, 256, 256}, {2, 0, 1}, 0.2, 0.285},
    {{256, 256, 256}, {2, 1, 0}, 0.125, 0.285},
    {{512, 512, 512}, {0, 2, 1}, 0.395, 0.355},
    {{512, 512, 512}, {1, 0, 2}, 0.84, 0.715},
    {{512, 512, 512}, {1, 2, 0}, 0.165, 0.195},
    {{512, 512, 512}, {2, 0, 1}, 0.2, 0.2},
    {{512, 512, 512}, {2, 1, 0}, 0.16, 0.225},
    {{64, 224, 224, 3}, {1, 2, 3, 0}, 0.13, 0.21},
    {{256, 64, 64, 3}, {1, 3, 2, 0}, 0.03, 0.185},
};

// Element types. s4 has a byte for each element in the source, and two elements in a byte (E(4)) in the result.
struct Types {
  const char* name;
  const char* type;
  const char* dst_layout;  // after the order of dimensions
  double Permutation::*bar;
};

constexpr Types kTypes[] = {
    {"f32", "f32", "", &Permutation::f32_bar},
    {"u8", "u8", "", &Permutation::u8_bar},
    {"s4", "s4", ":E(4)", nullptr},
};

struct Tiled {
  const char* name;
  const char* what;
  const char* array;
  const char* from;
  const char* to;
  int64_t touched = 0;
};

constexpr Tiled kTiled[] = {
    {"T1", "linear to T(8,128)", "f32[4096,4096]", "{1,0}", "{1,0:T(8,128)}"},
    {"T2", "linear to T(8,128)(2,1)", "bf16[4096,8192]", "{1,0}", "{1,0:T(8,128)(2,1)}"},
    {"T3", "transpose in T(8,128)(2,1)", "bf16[4096,8192]", "{1,0:T(8,128)(2,1)}",
     "{0,1:T(8,128)(2,1)}"},
    {"T4", "T(8,128)(2,1) to T(16,128)(2,1)", "bf16[4096,8192]", "{1,0:T(8,128)(2,1)}",
     "{1,0:T(16,128)(2,1)}"},
    {"T5", "T(8,128)(4,1) to T(32,128)(4,1)", "s8[4096,16384]", "{1,0:T(8,128)(4,1)}",
     "{1,0:T(32,128)(4,1)}"},
    {"T6", "ragged transpose in T(8,128)", "f32[64,500,500]", "{2,1,0:T(8,128)}",
     "{1,2,0:T(8,128)}"},
    {"T7", "out of 32x padding", "s32[65536,8,4]", "{2,1,0:T(8,128)}", "{0,2,1:T(4,128)}",
     20971520},
    {"T8", "transpose out of 4x padding", "bf16[256,1,256,128]", "{0,1,3,2:T(4,128)(2,1)}",
     "{3,2,1,0:T(8,128)(2,1)}", 25165824},
    {"T9", "unzip 2", "bf16[8388608]", "{0:T(1024)(128)(2,1)}", "{0}"},
    {"T10", "s4 between tiles", "s4[8192,8192]", "{1,0:T(64,128)(8,1)E(4)}",
     "{1,0:T(8,128)(8,1)E(4)}"},
    {"S1", "T1 in cache", "f32[256,256]", "{1,0}", "{1,0:T(8,128)}"},
    {"S2", "T2 in cache", "bf16[256,512]", "{1,0}", "{1,0:T(8,128)(2,1)}"},
    {"S3", "T3 in cache", "bf16[256,512]", "{1,0:T(8,128)(2,1)}", "{0,1:T(8,128)(2,1)}"},
    {"S5", "T5 in cache", "s8[256,1024]", "{1,0:T(8,128)(4,1)}", "{1,0:T(32,128)(4,1)}"},
    {"S9", "T9 in cache", "bf16[131072]", "{0:T(1024)(128)(2,1)}", "{0}"},
    {"P1", "transpose, 1 byte, in cache", "u8[512,512]", "{1,0}", "{0,1}"},
    {"P2", "transpose, 2 bytes, in cache", "u16[256,512]", "{1,0}", "{0,1}"},
    {"P4", "transpose, 4 bytes, in cache", "f32[256,256]", "{1,0}", "{0,1}"},
    {"P8", "transpose, 8 bytes, in cache", "f64[128,256]", "{1,0}", "{0,1}"},
    {"M1", "transpose, 1 byte", "u8[8192,8192]", "{1,0}", "{0,1}"},
    {"M2", "transpose, 2 bytes", "u16[4096,8192]", "{1,0}", "{0,1}"},
    {"M4", "transpose, 4 bytes", "f32[4096,4096]", "{1,0}", "{0,1}"},
    {"M8", "transpose, 8 bytes", "f64[2048,4096]", "{1,0}", "{0,1}"},
};

BenchmarkCase CaseOf(const Permutation& p, const Types& types, int number) {
  std::vector<int64_t> permuted, order;
  for (const int64_t dim : p.perm) permuted.push_back(p.dims[dim]);
  for (size_t i = p.dims.size(); i-- > 0;) order.push_back(static_cast<int64_t>(i));
  const std::string dims = absl::StrJoin(p.dims, ",");
  return {absl::StrCat(types.name, ".", number),
          absl::StrCat(dims, " by ", absl::StrJoin(p.perm, ",")),
          absl::StrCat(types.type, "[", dims, "]"),
          absl::StrCat(types.type, "[", absl::StrJoin(permuted, ","), "]{",
                       absl::StrJoin(order, ","), types.dst_layout, "}"),
          p.perm,
          types.bar == nullptr ? 0 : p.*types.bar};
}

}  // namespace

std::vector<BenchmarkCase> BenchmarkCases() {
  std::vector<BenchmarkCase> cases;
  for (const Tiled& t : kTiled) {
    cases.push_back({t.name,
                     t.what,
                     absl::StrCat(t.array, t.from),
                     absl::StrCat(t.array, t.to),
                     {},
                     0,
                     t.touched});
  }
  for (const Types& types : kTypes) {
    int number = 0;
    for (const Permutation& p : kPermutations) cases.push_back(CaseOf(p, types, ++number));
  }
  return cases;
}

}  // namespace tessera::layout::relayout
