// The heap of a program that reads one module, answers and ends.

#ifndef TESSERA_PIPELINE_COMMAND_LINE_HEAP_H_
#define TESSERA_PIPELINE_COMMAND_LINE_HEAP_H_

namespace tessera::pipeline {

// To be called once, before anything large is allocated. Does nothing where the C library or the
// kernel has no such means, or where address space is limited (`ulimit -v`).
void PrepareHeap();

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_COMMAND_LINE_HEAP_H_
