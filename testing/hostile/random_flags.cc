#include "tessera/testing/hostile/random_flags.h"

namespace tessera::testing::hostile {

const char kTopologies[] =
    "tpu-v5e:2x4;tpu-v5e:4x4;tpu-v4:2x2x2;h100:8;a100:8;tpu-v5p:2x2x2;no-such";

namespace {

constexpr char kRules[] =
    "flip=([i, j])->([j, i]);TopK=([i])->([i]);flip=([ij, k])->([ij, k]) {i=2, j=4, "
    "k=16};Eigh=([i, j], [i])->([i, j]) reduction={j}";

constexpr char kPasses[] =
    "call-inliner;build-program;separate-conflicting-groups;sdy-close-shardings;sink-constants-to-"
    "control-flow;"
    "tuple-simplifier;no-such";

constexpr FlagChoice kChoices[] = {
    {"", "--reference", "0.12.0.1;0.10.2;0.11;0.10.0;0.12;9"},
    {"", "--mesh", "a=2,b=4;a=2,b=4;a=8;a=1;x=2,y=2,z=2;a=3,b=5;a=4,b=4,c=2"},
    {"", "--annotate",
     "p0=P('a');.*=P(None,'b');^p=P('a','b');w1=P(('a','b'));v=P();t=P('b');p1=P(None,None,'a');[="
     "P()"},
    {"", "--import", "auto;sdy;hlo"},
    {"", "--stage", "auto;pass;lowered"},
    {"", "--rule", kRules},
    {"", "--strategy", "aggressive;basic;basic-then-aggressive"},
    {"", "--schedule", "user;op;flat"},
    {"", "--conservative", ""},
    {"", "--result-names", "OTHER;GOLDEN"},
    {"shard", "--format", "auto;v2;v3"},
    {"shard", "--structure", "keep;xla;xla"},
    {"shard", "--uneven-boundaries", ""},
    {"shard", "--no-propagation", ""},
    {"shard", "--dump-after", "all:OUTPUT;separate-conflicting-groups:OUTPUT;no-such:OUTPUT"},
    {"shard", "--stop-after", kPasses},
    {"shard", "--pass-timing", ""},
    {"shardings", "--match", "v1;.*;w[0-2]"},
    {"shardings", "--axis", "a;b;c"},
    {"shardings", "--min-bytes", "0;100;99999999999999999999"},
    {"shardings", "--propagated", ""},
    {"shardings", "--dump-after", "all:OUTPUT;separate-conflicting-groups:OUTPUT;no-such:OUTPUT"},
    {"shardings", "--stop-after", kPasses},
    {"shardings", "--pass-timing", ""},
    {"print", "--format", "keep;xla;short;canonical;pb;textproto"},
    {"print", "--reference", "0.12.0.1;0.10.2"},
    {"rules", "--rule", kRules},
    {"rules", "--conservative", ""},
    {"rules", "--table", ""},
    {"rules", "--reference", "0.12.0.1;0.10.2"},
    {"project", "--block", "0:1;:,0:4;0:8,0:4;1:3,2:3,0:1;0:0;;:;:,:;9223372036854775807:0"},
    {"project", "--cut", "0:2;1:4;0:2,k0:2;k0:3;0:0;1:9223372036854775807"},
    {"project", "--device", "0;5;8;-1"},
    {"project", "--best", "4;8;1;1000000"},
    {"project", "--memory", "4KiB;16MiB;1"},
    {"project", "--format", "indexing-map"},
    {"project", "--draw", ""},
    {"project", "--svg", "OUTPUT"},
    {"project", "--to-inputs", ""},
    {"project", "--through", "v1;v3:0;p0;no-such"},
    {"layout", "--index", "0;1,2;0,0,0;9,9"},
    {"layout", "--offset", "0;17;-1;9223372036854775807"},
    {"layout", "--ops", ""},
    {"layout", "--hlo", ""},
    {"layout", "--advise", "tpu;tpu+min2;tpu+large;tile:32x32;none"},
    {"layout", "--to", "{0,1:T(8,128)};{1,0};{0,1:T(2,2)(2,1)};f32[8,8]{0,1}"},
    {"layout", "--sharding", "{devices=[2,1]<=[2]};P('x');P('x','y');{replicated}"},
    {"layout", "--mesh", "x=2,y=4;x=2"},
    {"layout", "--draw", ""},
    {"layout", "--memory", ""},
    {"layout", "--svg", "OUTPUT"},
    {"layout FILE", "--top", "1;10;0;-3;99999999999999999999"},
    {"layout FILE", "--match", "x;copy|p;*("},
    {"layout FILE", "--min-bytes", "0;100;99999999999999999999"},
    {"convert", "--mesh", "data=4,model=2;a=2,b=4;a=8"},
    {"convert", "--to", "v1;v2;v3;sdy;pspec"},
    {"convert", "--shape", "16,32;5,7;8;0,1"},
    {"collectives", "--by", "axis;line;op"},
    {"collectives", "--as-is", ""},
    {"collectives", "--target", "cpu;h100:1x1x8;a100:8;tpu-v5e:4x4;h100;no-such:2"},
    {"collectives", "--xla-flags", "--xla_gpu_all_reduce_combine_threshold_bytes=1;--no_such=1"},
    {"collectives", "--dump-after", "all:OUTPUT;reduce-scatter-creator:OUTPUT;no-such:OUTPUT"},
    {"collectives", "--stop-after", "reduce-scatter-creator;no-such"},
    {"reshards", "--top", "0;1;10"},
    {"reshards", "--match", "v1;.*;m.py"},
    {"reshards", "--axis", "a;b;c"},
    {"reshards", "--min-bytes", "0;100;99999999999999999999"},
    {"reshards", "--no-cures", ""},
    {"reshards", "--strict", ""},
    {"reshards", "--as-is", ""},
    {"comm", "--target", kTopologies},
    {"comm", "--as-is", ""},
    {"memory", "--memory-limit", "16GiB;1KiB;0"},
    {"memory", "--hardware", "tpu-v5e;h100;x"},
    {"memory", "--as-is", ""},
    {"memory", "--no-cures", ""},
    {"sweep", "--mesh", "a=8,b=1;a=4,b=2"},
    {"sweep", "--try", "^p0$=P('a')|P(None,'b')|none;p1=P('b')|none"},
    {"sweep", "--target", kTopologies},
    {"sweep", "--by", "memory;bytes;time"},
    {"sweep", "--top", "1;0;20"},
    {"sweep", "--part", "1/2;2/2;3/2"},
    {"sweep", "--grid", "OTHER;GOLDEN"},
    {"suggest", "--devices", "4;8;6"},
    {"suggest", "--memory-limit", "16GiB;1KiB"},
    {"suggest", "--hardware", "tpu-v5e"},
    {"diff", "--b-reference", "0.10.2"},
    {"diff", "--b-mesh", "a=4,b=2;x=8"},
    {"diff", "--b-annotate", "p0=P('b');p1=P('a')"},
    {"explain", "--axis", "a;b;z"},
    {"explain", "--forward", ""},
    {"explain", "--all", ""},
    {"explain", "--source-root", "/;.;no-such"},
    {"explain", "--trace", ""},
    {"explain", "--step", ""},
    {"partition", "--as-is", ""},
    {"passes", "--format", "auto;v2;v3"},
    {"passes", "--structure", "keep;xla"},
    {"passes", "--target", "cpu;h100:1x1x8;a100:8;tpu-v5e:4x4;h100;no-such:2"},
    {"passes", "--xla-flags", "--xla_gpu_all_reduce_combine_threshold_bytes=1;--no_such=1"},
    {"passes", "--uneven-boundaries", ""},
    {"passes", "--no-propagation", ""},
    {"report", "--within", "0;1;3;-1;1000000"},
    {"report", "--format", "html;text;dot;model-explorer"},
    {"report", "--why-not", "0;1;5"},
    {"report", "--source-root", "/;.;no-such"},
    {"report", "--as-is", ""},
};

}  // namespace

absl::Span<const FlagChoice> FlagChoices() { return kChoices; }

}  // namespace tessera::testing::hostile
