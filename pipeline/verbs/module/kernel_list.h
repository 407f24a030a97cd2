// The custom kernels of a module, as `tessera stats` lists them: what the module states of each
// (target/stated/stated_kernels.h), and what it does not.
//
//   mean_product.1 tpu_custom_call, jit(body)/mean_product/pallas_call  # kernels.py:95
//        operand  bf16[512,1024]{1,0:T(8,128)(2,1)}  1 MiB of HBM
//        result   bf16[512,512]{1,0:T(8,128)(2,1)}  512 KiB of HBM
//        scratch  384 KiB of VMEM; limit 32 MiB of VMEM
//        cost     5.37e+08 flops, 2.5 MiB read and written, by its author's estimate
//
// Tested by kernel_list_test.cc.

#ifndef TESSERA_PIPELINE_VERBS_MODULE_KERNEL_LIST_H_
#define TESSERA_PIPELINE_VERBS_MODULE_KERNEL_LIST_H_

#include <string>

#include "tessera/hlo/module.h"
#include "tessera/pipeline/schema/stats_answer.pb.h"

namespace tessera::pipeline {

// The list `kernels`.
void FillKernels(const hlo::Module& module, answers::StatsAnswer* stats);

std::string KernelsText(const answers::StatsAnswer& stats);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_KERNEL_LIST_H_
