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

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/hlo/module.h"
#include "tessera/target/stated/stated_kernels.h"
#include "tessera/text/formats/json.h"

namespace tessera::pipeline {

// An array that a kernel reads or writes.
struct KernelArray {
  std::string shape;   // with its layout
  std::string memory;  // "HBM", "VMEM"; as target::MemorySpaceName()
  int64_t bytes = 0;
  int64_t operand = -1;  // of a result: whose memory it takes; -1: none
};

struct ListedKernel {
  std::string name, op_name, location;
  std::vector<KernelArray> operands, results;
  target::StatedKernel stated;
};

std::vector<ListedKernel> ListKernels(const hlo::Module& module);

std::string KernelsText(const std::vector<ListedKernel>& kernels);
// As the key "kernels" of the object that is open.
void PutKernels(const std::vector<ListedKernel>& kernels, text::JsonWriter* json);

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_MODULE_KERNEL_LIST_H_
