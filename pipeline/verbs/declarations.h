// The verbs of the command line, each in the file that the name says; `convert/convert.h` has one more.
// Their table is command_line/verbs.cc.

#ifndef TESSERA_PIPELINE_VERBS_DECLARATIONS_H_
#define TESSERA_PIPELINE_VERBS_DECLARATIONS_H_

#include "tessera/pipeline/command_line/verb.h"

namespace tessera::pipeline {

// module/: the module, again or in numbers; shardings and rules; the passes.
Verb ShardVerb();      // the main job
Verb ShardingsVerb();  // every tensor and its sharding
Verb PartitionVerb();  // what one device runs
Verb PassesVerb();     // the pipeline as a list, and what each pass takes on a module
Verb PrintVerb();      // the module byte for byte, or in one of XLA's forms
Verb StatsVerb();      // what a module holds
Verb RulesVerb();      // the sharding rule of each instruction

// costs/
Verb CollectivesVerb();  // what the partitioner will insert, the most expensive first
Verb CostVerb();         // the time of a step on a machine
Verb CalibrateVerb();    // a machine file, fitted to profiles of a program
Verb CommVerb();         // old: what the collectives of a program cost
Verb MemoryVerb();       // will it fit?
Verb ReshardsVerb();     // which values move between devices, why, and which annotation ends that

// search/
Verb SweepVerb();    // many meshes and annotations of one module, ranked
Verb SuggestVerb();  // annotations that make a step fast and fit the memory

// lint/
Verb LintVerb();  // findings against budgets

// golden/check_verb.cc and golden/diff_verb.cc: golden shardings, and what changed.
Verb CheckVerb();
Verb DiffVerb();

// confirm/
Verb ConfirmVerb();  // the real compiler's program beside the prediction

// explain_verb.cc, report_verb.cc
Verb ExplainVerb();  // why a tensor has its sharding
Verb ReportVerb();   // everything about a module on one page of HTML, or as a graph

// layout/, project/
Verb LayoutVerb();   // sizes, padding, index maps, advice and pictures of one shape
Verb ProjectVerb();  // which part of each operand a block of an instruction needs

}  // namespace tessera::pipeline

#endif  // TESSERA_PIPELINE_VERBS_DECLARATIONS_H_
