#include "tessera/testing/evaluator/modules/small_modules.h"

#include <iterator>

#include "absl/strings/str_cat.h"

namespace tessera::testing::evaluator {
namespace {

constexpr char kCalled[] = R"(HloModule small, num_partitions=4
add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = f32[] add(x, y) }
ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), direction=GE }
mix { x = f32[] parameter(0) y = f32[] parameter(1) t = f32[] add(x, y) h = f32[] constant(0.5) ROOT s = f32[] multiply(t, h) }
by_key { x = f32[] parameter(0) y = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3) ROOT s = pred[] compare(x, y), direction=LT }
less { x = f32[] parameter(0) y = f32[] parameter(1) ROOT s = pred[] compare(x, y), direction=LT }
argmax { x = f32[] parameter(0) i = s32[] parameter(1) y = f32[] parameter(2) j = s32[] parameter(3)
  p = pred[] compare(x, y), direction=GE  v = f32[] select(p, x, y)  k = s32[] select(p, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k) }
twice { x = f32[4,6] parameter(0) ROOT y = f32[4,6] add(x, x) }
turned { x = f32[4,6] parameter(0) ROOT y = f32[4,6] reverse(x), dimensions={1} }
body { s = (s32[], f32[4,6]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[4,6] get-tuple-element(s), index=1
  one = s32[] constant(1) n = s32[] add(i, one) y = f32[4,6] reverse(x), dimensions={0} z = f32[4,6] add(y, x)
  ROOT t = (s32[], f32[4,6]) tuple(n, z) }
go { s = (s32[], f32[4,6]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(3) ROOT p = pred[] compare(i, n), direction=LT }
sums { x = f32[3] parameter(0) c = f32[3] parameter(1) s = f32[3] add(x, c) ROOT t = (f32[3], f32[3]) tuple(s, s) }
ENTRY e {
)";

constexpr SmallModuleText kModules[] = {
    {"Unary",
     R"(p = f32[4,6] parameter(0) a = f32[4,6] abs(p) b = f32[4,6] exponential(a) c = f32[4,6] negate(b)
d = f32[4,6] exponential-minus-one(c) g = f32[4,6] sqrt(a) h = f32[4,6] cbrt(p) i = f32[4,6] rsqrt(b) j = f32[4,6] log(b)
k = f32[4,6] log-plus-one(a) l = f32[4,6] logistic(p) m = f32[4,6] tanh(p) n = f32[4,6] sine(p) o = f32[4,6] cosine(p)
q = f32[4,6] tan(p) r = f32[4,6] erf(p) s = f32[4,6] floor(p) t = f32[4,6] ceil(p) u = f32[4,6] round-nearest-afz(p)
v = f32[4,6] round-nearest-even(p) w = f32[4,6] sign(p) x = pred[4,6] is-finite(i) y = f32[4,6] sinh(p) z = f32[4,6] cosh(p)
aa = f32[4,6] asin(l) bb = f32[4,6] acos(l) cc = f32[4,6] asinh(p) dd = f32[4,6] acosh(b) ee = f32[4,6] atanh(l)
ROOT all = (f32[4,6], f32[4,6], pred[4,6]) tuple(d, ee, x))"},
    {"Binary",
     R"(p = f32[4,6] parameter(0) q = f32[4,6] parameter(1) a = f32[4,6] add(p, q) b = f32[4,6] multiply(a, q)
c = f32[4,6] subtract(b, p) d = f32[4,6] divide(c, q) f = f32[4,6] maximum(d, p) g = f32[4,6] minimum(f, q) h = f32[4,6] atan2(g, p)
i = f32[4,6] power(f, q) ROOT r = f32[4,6] remainder(h, q))"},
    {"Integers",
     R"(p = s32[4,6] parameter(0) q = s32[4,6] parameter(1) a = s32[4,6] and(p, q) b = s32[4,6] or(a, q) c = s32[4,6] xor(b, p)
d = s32[4,6] not(c) f = s32[4,6] shift-left(d, q) g = s32[4,6] shift-right-logical(f, q) h = s32[4,6] shift-right-arithmetic(f, q)
i = s32[4,6] popcnt(g) j = s32[4,6] count-leading-zeros(h) k = s32[4,6] divide(i, q) l = s32[4,6] remainder(j, q) ROOT m = s32[4,6] mulhi(f, l))"},
    {"ComplexNumbers",
     R"(p = f32[4,6] parameter(0) q = f32[4,6] parameter(1) c = c64[4,6] complex(p, q) d = c64[4,6] multiply(c, c)
r = f32[4,6] real(d) i = f32[4,6] imag(d) a = f32[4,6] abs(d) ROOT s = (f32[4,6], f32[4,6], f32[4,6]) tuple(r, i, a))"},
    {"SelectClampCompare",
     R"(p = f32[4,6] parameter(0) q = f32[4,6] parameter(1) l = f32[] constant(-0.5) h = f32[] constant(0.5)
c = pred[4,6] compare(p, q), direction=GT s = f32[4,6] select(c, p, q) ROOT r = f32[4,6] clamp(l, s, h))"},
    {"Types",
     R"(p = f32[4,6] parameter(0) a = bf16[4,6] convert(p) b = s8[4,6] convert(a) c = u16[4,6] bitcast-convert(a) d = u8[4,6,2] bitcast-convert(c)
f = u16[4,6] bitcast-convert(d) g = f32[4,6] reduce-precision(p), exponent_bits=5, mantissa_bits=3 u = u32[4,6] bitcast-convert(g)
h = s8[4,6] stochastic-convert(p, u) ROOT t = (s8[4,6], u16[4,6], s8[4,6]) tuple(b, f, h))"},
    {"Moving",
     R"(p = f32[4,6] parameter(0) t = f32[6,4] transpose(p), dimensions={1,0} r = f32[6,4] reverse(t), dimensions={0}
s = f32[2,4] slice(r), slice={[1:6:3], [0:4]} b = f32[2,4,3] broadcast(s), dimensions={0,1} h = f32[8,3] reshape(b) z = f32[] constant(7)
d = f32[10,5] pad(h, z), padding=-1_3x1_-1_1 k = f32[8,5] iota(), iota_dimension=1 c = f32[18,5] concatenate(d, k), dimensions={0}
ROOT v = f32[18,5] copy(c))"},
    {"Bitcasts",
     R"(p = f32[4,6]{1,0} parameter(0) a = f32[6,4]{0,1} bitcast(p) b = f32[24]{0} bitcast(a) ROOT c = f32[24]{0} opt-barrier(b))"},
    {"BitcastsOfWidths",
     R"(p = u32[4,2]{1,0} parameter(0) a = u8[4,8]{1,0} bitcast(p) b = u16[2,8]{0,1} bitcast(a) c = u64[4]{0} bitcast(b) f = f32[8]{0} parameter(1)
d = c64[4]{0} bitcast(f) g = f16[16]{0} bitcast(d) q = pred[8]{0} parameter(2) h = u8[2,4]{0,1} bitcast(q) n = s4[8]{0:E(4)} parameter(3)
m = u8[4]{0} bitcast(n) ROOT t = (u64[4], f16[16], u8[2,4], u8[4]) tuple(c, g, h, m))"},
    {"BitcastsOfTiles",
     R"(p = f32[5,6]{1,0:T(2,4)} parameter(0) a = f32[48]{0} bitcast(p) b = f32[48]{0:T(4)} bitcast(a) c = f32[6,8]{1,0} bitcast(b)
q = bf16[4,4]{1,0:T(2,2)(2,1)} parameter(1) d = u32[2,4]{1,0} bitcast(q) ROOT t = (f32[6,8], u32[2,4]) tuple(c, d))"},
    {"ReshapeOfMany",
     R"(p = f32[4,6] parameter(0) a = f32[2,12] reshape(p) b = f32[3,8] reshape(a) ROOT c = f32[2,3,2,2] reshape(b))"},
    {"Dynamic",
     R"(p = f32[4,6] parameter(0) i = s32[] parameter(1) u = f32[2,3] parameter(2) two = s32[] constant(2)
s = f32[2,6] dynamic-slice(p, i, two), dynamic_slice_sizes={2,6} d = f32[4,6] dynamic-update-slice(p, u, i, two)
n = s32[] get-dimension-size(d), dimensions={1} ROOT t = (f32[2,6], f32[4,6], s32[]) tuple(s, d, n))"},
    {"GatherRows", R"(p = f32[5,6] parameter(0) i = s32[3,1] parameter(1)
ROOT g = f32[3,6] gather(p, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6})"},
    {"GatherBatches", R"(p = f32[3,5,4] parameter(0) i = s32[3,2,1] parameter(1)
ROOT g = f32[3,2,4] gather(p, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,4})"},
    {"ScatterRows", R"(p = f32[5,6] parameter(0) i = s32[3,1] parameter(1) u = f32[3,6] parameter(2)
ROOT s = f32[5,6] scatter(p, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add)"},
    {"DotBatched", R"(p = f32[2,4,3] parameter(0) q = f32[2,3,5] parameter(1)
ROOT d = f32[2,4,5] dot(p, q), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, sharding={devices=[1,2,2]<=[4]})"},
    {"DotScaled",
     R"(p = f32[4,6] parameter(0) q = f32[6,5] parameter(1) r = f32[4,3] parameter(2) s = f32[3,5] parameter(3)
ROOT d = f32[4,5] scaled-dot(p, q, r, s), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
    {"DotRagged", R"(p = f32[5,3] parameter(0) q = f32[2,3,4] parameter(1) n = s32[2] parameter(2)
ROOT d = f32[5,4] ragged-dot(p, q, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0})"},
    {"DotRaggedByBatch",
     R"(p = f32[2,5,3] parameter(0) q = f32[4,2,3,4] parameter(1) n = s32[2,4] parameter(2)
ROOT d = f32[2,5,4] ragged-dot(p, q, n), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0})"},
    {"DotRaggedContracting",
     R"(p = f32[5,2,6] parameter(0) q = f32[2,6,4] parameter(1) n = s32[2,3] parameter(2)
ROOT d = f32[3,5,4] ragged-dot(p, q, n), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}, lhs_ragged_dims={2})"},
    {"ConvolutionStrided", R"(p = f32[2,7,6,4] parameter(0) k = f32[3,2,4,6] parameter(1)
ROOT c = f32[2,4,7,6] convolution(p, k), window={size=3x2 stride=2x1 pad=1_1x1_1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f)"},
    {"ConvolutionDilated", R"(p = f32[1,4,4] parameter(0) k = f32[3,2,4] parameter(1)
ROOT c = f32[1,5,4] convolution(p, k), window={size=3 pad=1_1 lhs_dilate=2 rhs_dilate=2}, dim_labels=b0f_0io->b0f, feature_group_count=2)"},
    {"ConvolutionOfBatchGroups", R"(p = f32[4,5,3] parameter(0) k = f32[2,3,6] parameter(1)
ROOT c = f32[2,4,6] convolution(p, k), window={size=2}, dim_labels=b0f_0io->b0f, batch_group_count=2)"},
    {"ReduceRows",
     R"(p = f32[4,6] parameter(0) z = f32[] constant(0) ROOT r = f32[4] reduce(p, z), dimensions={1}, to_apply=add)"},
    {"ReduceOdd",
     R"(p = f32[4,6] parameter(0) z = f32[] constant(0) ROOT r = f32[6] reduce(p, z), dimensions={0}, to_apply=mix)"},
    {"ReducePairs",
     R"(p = f32[4,6] parameter(0) i = s32[4,6] iota(), iota_dimension=1 z = f32[] constant(-9) n = s32[] constant(0)
ROOT r = (f32[4], s32[4]) reduce(p, i, z, n), dimensions={1}, to_apply=argmax)"},
    {"Windows", R"(p = f32[7,6] parameter(0) z = f32[] constant(0)
ROOT r = f32[4,7] reduce-window(p, z), window={size=3x2 stride=2x1 pad=1_1x1_1}, to_apply=add)"},
    {"SelectAndScatterMax",
     R"(p = f32[6,4] parameter(0) s = f32[3,2] parameter(1) z = f32[] constant(0)
ROOT r = f32[6,4] select-and-scatter(p, s, z), window={size=2x2 stride=2x2}, select=ge, scatter=add)"},
    {"SortByKey", R"(p = f32[4,6] parameter(0) i = s32[4,6] iota(), iota_dimension=1
ROOT s = (f32[4,6], s32[4,6]) sort(p, i), dimensions={1}, is_stable=true, to_apply=by_key)"},
    {"TopOfLines",
     R"(p = f32[4,6] parameter(0) ROOT t = (f32[4,2], s32[4,2]) topk(p), k=2, largest=true)"},
    {"TopByComparator",
     R"(p = f32[9,3] parameter(0) i = s32[9,3] iota(), iota_dimension=0 z = f32[] constant(-9) n = s32[] constant(-1)
a = (f32[4,3], s32[4,3]) custom-call(p, i, z, n), custom_call_target="ApproxTopK", called_computations={by_key}
b = (f32[11,3], s32[11,3]) custom-call(p, i, z, n), custom_call_target="PartialReduce", called_computations={by_key}
ROOT t = ((f32[4,3], s32[4,3]), (f32[11,3], s32[11,3])) tuple(a, b))"},
    {"Fourier",
     R"(p = f32[4,6] parameter(0) c = c64[4,4] fft(p), fft_type=RFFT, fft_length={6} d = c64[4,4] fft(c), fft_type=FFT, fft_length={4}
f = c64[4,4] fft(d), fft_type=IFFT, fft_length={4} ROOT g = f32[4,6] fft(f), fft_type=IRFFT, fft_length={6})"},
    {"Factor", R"(p = f32[2,3,3] parameter(0) t = f32[2,3,3] transpose(p), dimensions={0,2,1}
d = f32[2,3,3] dot(p, t), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
c = f32[2,3,3] cholesky(d), lower=true b = f32[2,3,4] parameter(1)
ROOT s = f32[2,3,4] triangular-solve(c, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=TRANSPOSE)"},
    {"BatchNorm",
     R"(x = f32[4,3] parameter(0) s = f32[3] parameter(1) o = f32[3] parameter(2) g = f32[4,3] parameter(3)
t = (f32[4,3], f32[3], f32[3]) batch-norm-training(x, s, o), epsilon=0.5, feature_index=1
m = f32[3] get-tuple-element(t), index=1 v = f32[3] get-tuple-element(t), index=2
i = f32[4,3] batch-norm-inference(x, s, o, m, v), epsilon=0.5, feature_index=1
ROOT r = (f32[4,3], f32[3], f32[3]) batch-norm-grad(i, s, m, v, g), epsilon=0.5, feature_index=1)"},
    {"Random",
     R"(a = f32[] constant(0) b = f32[] constant(1) r = f32[4,6] rng(a, b), distribution=rng_uniform s = u64[2] parameter(0)
g = (u64[2], u32[4,6]) rng-bit-generator(s), algorithm=rng_default n = u64[] rng-get-and-update-state(), delta=1 ROOT t = (f32[4,6], (u64[2], u32[4,6]), u64[]) tuple(r, g, n))"},
    {"Loop",
     R"(p = f32[4,6] parameter(0) z = s32[] constant(0) t = (s32[], f32[4,6]) tuple(z, p) ROOT w = (s32[], f32[4,6]) while(t), condition=go, body=body)"},
    {"Branches",
     R"(p = f32[4,6] parameter(0) c = pred[] parameter(1) ROOT r = f32[4,6] conditional(c, p, p), true_computation=twice, false_computation=turned)"},
    {"Calls",
     R"(p = f32[4,6] parameter(0) c = f32[4,6] call(p), to_apply=turned f = f32[4,6] fusion(c), kind=kLoop, calls=twice
s = ((f32[4,6]), f32[4,6], u32[]) async-start(f), calls=turned u = ((f32[4,6]), f32[4,6], u32[]) async-update(s) d = f32[4,6] async-done(u)
ROOT m = f32[4,6] map(d, p), dimensions={0,1}, to_apply=mix)"},
    {"OneDevice",
     R"(p = f32[4,6] parameter(0) a = token[] after-all() q = f32[4,6] add-dependency(p, a)
r = f32[4,6] all-reduce(q), replica_groups={{0},{1},{2},{3}}, to_apply=add g = f32[4,6] all-gather(r), dimensions={0}, replica_groups={{0},{1},{2},{3}}
s = f32[4,6] reduce-scatter(g), dimensions={0}, replica_groups={{0},{1},{2},{3}}, to_apply=add
t = f32[4,6] all-to-all(s), dimensions={0}, replica_groups={{0},{1},{2},{3}} b = f32[4,6] collective-broadcast(t), replica_groups={{0},{1},{2},{3}}
pe = f32[4,6] collective-permute(b), source_target_pairs={{0,0},{1,1},{2,2},{3,3}}
i = u32[] partition-id() j = u32[] replica-id() k = u32[] add(i, j)
cs = (f32[4,6], f32[4,6], u32[]) copy-start(pe) cd = f32[4,6] copy-done(cs)
d = f32[4,6] domain(cd), domain={kind="sharding", entry={replicated}, exit={replicated}}
n = s32[] constant(6) e = f32[4,6] set-dimension-size(d, n), dimensions={1}
ROOT c = f32[4,6] custom-call(e), custom_call_target="Sharding")"},
    {"StartedOnOneDevice", R"(p = f32[4,6] parameter(0)
gs = (f32[4,6], f32[4,6]) all-gather-start(p), dimensions={0}, replica_groups={{0},{1},{2},{3}} g = f32[4,6] all-gather-done(gs)
rs = f32[4,6] all-reduce-start(g), replica_groups={{0},{1},{2},{3}}, to_apply=add r = f32[4,6] all-reduce-done(rs)
cs = (f32[4,6], f32[4,6], u32[], u32[]) collective-permute-start(r), source_target_pairs={{0,0},{1,1}}
ROOT c = f32[4,6] collective-permute-done(cs))"},
    {"RaggedExchange",
     R"(p = f32[4,3] parameter(0) o = f32[6,3] parameter(1) a = s32[2] constant({0, 2}) b = s32[2] constant({2, 1}) c = s32[2] constant({3, 0})
ROOT r = f32[6,3] ragged-all-to-all(p, o, a, b, c, b), replica_groups={{0},{1},{2},{3}})"},
    {"Messages",
     R"(p = f32[4,6] parameter(0) t = token[] after-all() s = (f32[4,6], u32[], token[]) send(p, t), channel_id=1
sd = token[] send-done(s), channel_id=1 r = (f32[4,6], u32[], token[]) recv(sd), channel_id=2 rd = (f32[4,6], token[]) recv-done(r), channel_id=2
x = f32[4,6] get-tuple-element(rd), index=0 i = (f32[4,6], token[]) infeed(t) y = f32[4,6] get-tuple-element(i), index=0
z = f32[4,6] add(x, y) w = f32[4,6] add(z, p) o = token[] outfeed(w, t), outfeed_shape=f32[4,6] n = s32[] constant(6) m = s32[] constant(4)
ROOT d = f32[6,4] dynamic-reshape(w, n, m))"},
    {"ScanOfSums", R"(p = f32[4,3] parameter(0) c = f32[3] parameter(1)
ROOT s = (f32[4,3], f32[3]) scan(p, c), dimensions={0}, num_carries=1, is_associative=false, to_apply=sums)"},
    {"ShardedByRows",
     R"(p = f32[7,6] parameter(0), sharding={devices=[4,1]<=[4]} t = f32[6,7] transpose(p), dimensions={1,0}, sharding={devices=[2,2]<=[4]}
ROOT d = f32[7,7] dot(p, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={devices=[4,1]<=[4]})"},
};

}  // namespace

std::vector<SmallModuleText> SmallModules() { return {std::begin(kModules), std::end(kModules)}; }

std::string TextOf(const SmallModuleText& module) {
  return absl::StrCat(kCalled, module.entry, "\n}\n");
}

}  // namespace tessera::testing::evaluator
