// The heap of a program that reads one module, answers and ends.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_PROCESS_HEAP_H_
#define TESSERA_PIPELINE_COMMAND_LINE_PROCESS_HEAP_H_

#include <cstddef>

namespace tessera::pipeline {

// To be called once, before anything large is allocated. `text_bytes`: of the module that will be
// read; 0 if that is not known. Does nothing where the C library or the kernel has no such means, or
// where address space is limited (`ulimit -v`).
void PrepareHeap(size_t text_bytes);

// Gives pages back to the kernel that hold nothing any more, so that what comes next does not stand
// beside them. Only where the heap was prepared: that of another program may be any size.
void GiveBackFreePages();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_PROCESS_HEAP_H_
