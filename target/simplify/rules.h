// Simplifications of compilers in front of Shardy, as far as they change how a program is
// partitioned.
//
//   const InstructionId replacement = RemoveOnesOfDot(program, dot);   // kNoId: nothing to simplify
//   program.ReplaceUses(dot, replacement);
//
// A rule looks at one instruction and what is around it, and adds instructions that compute the same; its caller
// puts their result in the place of the instruction. Each is a file, or stands beside those that it shares most
// with. Conditions are those of XLA's simplifications, learned from what the compiler of jaxlib 0.12.0.1 makes of
// small modules. Tested before and after by simplify_test.cc, or by a program that the compiler simplified
// (gpu/testdata/spmd-simplify).
//
// To add one: a file with its function (its name in `units` of BUILD, where no pattern there takes it), a declaration here,
// and a row of kRules in simplifier.cc: the first row of an opcode that changes something counts. A case in simplify_test.cc,
// or in tpu_rules_test.cc for a rule of TPUs alone, fails before. docs/targets.md and CHANGELOG have a sentence each.

#ifndef TESSERA_TARGET_SIMPLIFY_RULES_H_
#define TESSERA_TARGET_SIMPLIFY_RULES_H_

#include <optional>

#include "tessera/target/program/device_program.h"
#include "tessera/target/target.h"

namespace tessera::target {

// The replacement of an instruction; kNoId: it stays.
using Simplification = InstructionId (*)(DeviceProgram&, InstructionId);

struct Rule {
  Opcode opcode;
  Simplification apply;
  std::optional<Platform> only = std::nullopt;  // the one that has it; none: GPUs and TPUs have it
};

// A product without contracted dimensions is a multiply of broadcasts.
InstructionId MultiplyInPlaceOfDot(DeviceProgram& program, InstructionId dot);
// A dot with nothing free on one side is a multiply and a sum; on TPUs.
InstructionId MultiplyAndSum(DeviceProgram& program, InstructionId dot);
// The same after the partitioner on GPUs, if nothing is free on both sides or the product is small.
InstructionId MultiplyAndSumVectors(DeviceProgram& program, InstructionId dot);
// Dimensions of size 1 are taken out of a dot.
InstructionId RemoveOnesOfDot(DeviceProgram& program, InstructionId dot);
// A dot or convolution reads its operands in front of converts that keep every value; on TPUs.
InstructionId FoldWideningIntoOperands(DeviceProgram& program, InstructionId product);
// A convolution whose kernel is larger than what it moves over moves that over the kernel.
InstructionId SwapOperandsOfConvolution(DeviceProgram& program, InstructionId convolution);
// The same where the window has two dimensions; on GPUs.
InstructionId SwapOperandsOfImage(DeviceProgram& program, InstructionId convolution);
// The transpose of a dot is the dot of its operands exchanged; on GPUs.
InstructionId ExchangeTransposedDot(DeviceProgram& program, InstructionId transpose);
// The transpose of an all-reduce is the all-reduce of a transpose; on TPUs.
InstructionId TransposeBeforeAllReduce(DeviceProgram& program, InstructionId transpose);
// Two reduces of one kind are one over the dimensions of both.
InstructionId MergeReduces(DeviceProgram& program, InstructionId reduce);
// A reduce over all dimensions that a reshape changes is a reduce of the reshape's operand.
InstructionId ReduceBeforeReshape(DeviceProgram& program, InstructionId reduce);
// Dimensions that a reshape keeps are reduced in front of it, if the rest is reduced after it; on
// TPUs.
InstructionId ReduceKeptDimensionsFirst(DeviceProgram& program, InstructionId reduce);
// A repeated array is reduced once; copies in a sum are multiplied.
InstructionId ReduceBeforeBroadcast(DeviceProgram& program, InstructionId reduce);
// Arrays that are joined along a dimension that goes are reduced one by one; on TPUs.
InstructionId ReduceBeforeConcatenate(DeviceProgram& program, InstructionId reduce);
// The largest or smallest of bfloat16s is found before they are widened; on TPUs.
InstructionId ReduceBeforeWidening(DeviceProgram& program, InstructionId reduce);
// A maximum beside an argmax of the same array is the argmax's first result; minima alike.
InstructionId TakeBesidePlace(DeviceProgram& program, InstructionId reduce);
// A sum of widened bfloat16s that is narrowed again is one of bfloat16s; on TPUs.
InstructionId SumWithoutWidening(DeviceProgram& program, InstructionId convert);
// A sum over dimensions of size 1 is a reshape.
InstructionId ReshapeInPlaceOfReduce(DeviceProgram& program, InstructionId reduce);
// A reduce by or, or by and, over dimensions of size 1 is a reshape; in front of Shardy on GPUs only.
InstructionId ReshapeInPlaceOfAnyOrAll(DeviceProgram& program, InstructionId reduce);
// reduce(negate(x)) is negate(reduce(x)).
InstructionId NegateSum(DeviceProgram& program, InstructionId reduce);
// A reduce leaves no dimensions of size 1; on TPUs.
InstructionId ReduceOnesToo(DeviceProgram& program, InstructionId reduce);
// multiply(x, convert(pred)) is select(pred, x, 0).
InstructionId ChooseInPlaceOfProduct(DeviceProgram& program, InstructionId multiply);
// No iota is less than 0.
InstructionId CompareIota(DeviceProgram& program, InstructionId compare);
// Sums, differences and products of two numbers, how they compare, and a number in a type of floats.
InstructionId CalculateNumber(DeviceProgram& program, InstructionId id);
InstructionId CompareNumbers(DeviceProgram& program, InstructionId compare);
InstructionId ConvertNumber(DeviceProgram& program, InstructionId convert);
// select(true, x, y) is x; select(p, true, false) is p.
InstructionId ChooseKnown(DeviceProgram& program, InstructionId select);
// (c1 - x) - c2 is (c1 - c2) - x.
InstructionId MergeDifferences(DeviceProgram& program, InstructionId subtract);
// maximum(x, lowest number) is x.
InstructionId LeaveOutLowest(DeviceProgram& program, InstructionId maximum);
// minimum(maximum(x, a), b) of constants a and b is clamp(a, x, b).
InstructionId ClampBetweenConstants(DeviceProgram& program, InstructionId id);
// add(x, zeros) is x; after the partitioner.
InstructionId LeaveOutZeros(DeviceProgram& program, InstructionId add);
// select(p, x, x) is x; after the partitioner of GPUs.
InstructionId ChooseEqual(DeviceProgram& program, InstructionId select);
// The difference of two integers, and of integers and themselves; after the partitioner of GPUs.
InstructionId SubtractNumbers(DeviceProgram& program, InstructionId subtract);
// A scatter-add of one element into each row is a select; on TPUs.
InstructionId ChooseInPlaceOfScatter(DeviceProgram& program, InstructionId scatter);
// A scatter of one window is an update of it.
InstructionId UpdateInPlaceOfScatter(DeviceProgram& program, InstructionId scatter);
// add(scatter-add(a, i, u), y) is scatter-add(add(a, y), i, u), and a sum of two scatter-adds is one.
InstructionId AddBeforeScatter(DeviceProgram& program, InstructionId add);
// An array that is added to zeros with an update is added in the place of the update.
InstructionId AddInPlaceOfUpdate(DeviceProgram& program, InstructionId add);
// An element of a table of multiples is a product; after the partitioner of GPUs.
InstructionId MultiplyInPlaceOfTable(DeviceProgram& program, InstructionId slice);
// A part of a transpose is the transpose of a part; after the partitioner on GPUs.
InstructionId SliceBeforeTranspose(DeviceProgram& program, InstructionId slice);
// Division by a constant is a product with its reciprocal.
InstructionId MultiplyByReciprocal(DeviceProgram& program, InstructionId divide);
// (a / b) / c is a / (b * c).
InstructionId DivideOnce(DeviceProgram& program, InstructionId divide);
// A sum of two products with one integer, or one power of two, is a product of the sum.
InstructionId MultiplySum(DeviceProgram& program, InstructionId add);
// Removes dimensions of size 1 from a broadcast's operand, and merges a broadcast with a broadcast or iota before it.
InstructionId SimplifyBroadcast(DeviceProgram& program, InstructionId broadcast);
// f(broadcast(x)) is broadcast(f(x)); an iota of several dimensions repeats one of one.
InstructionId CalculateBeforeBroadcast(DeviceProgram& program, InstructionId id);
// Merges a reshape with a reshape or iota before it, and with a broadcast of which it changes new dimensions only.
InstructionId SimplifyReshape(DeviceProgram& program, InstructionId reshape);
// Transposes, slices and reverses of one number everywhere are that number.
InstructionId SimplifyRearranged(DeviceProgram& program, InstructionId id);
// A transpose of a transpose is one.
InstructionId MergeTransposes(DeviceProgram& program, InstructionId transpose);
// A slice of a reshape in the first dimension is the reshape of a slice.
InstructionId SliceBeforeReshape(DeviceProgram& program, InstructionId slice);
// A slice of an updated array is one of the array or of the update.
InstructionId SliceBesideUpdate(DeviceProgram& program, InstructionId slice);
// A dynamic-slice that starts at constants is a slice.
InstructionId SliceAtConstants(DeviceProgram& program, InstructionId slice);
// A slice of a slice is one.
InstructionId SliceOnce(DeviceProgram& program, InstructionId slice);
// A slice of joined arrays reads only those that it takes something of.
InstructionId SliceBeforeConcatenate(DeviceProgram& program, InstructionId slice);
// A slice of what is repeated repeats a slice.
InstructionId SliceBeforeBroadcast(DeviceProgram& program, InstructionId slice);
// A dynamic-slice of what is repeated repeats all of it less often.
InstructionId RepeatLess(DeviceProgram& program, InstructionId part);
// A slice of a padded array is one of the array, or padding.
InstructionId SliceBeforePad(DeviceProgram& program, InstructionId slice);
// Joined slices of one array, one after another, are one slice.
InstructionId JoinSlices(DeviceProgram& program, InstructionId joined);
// No padding between the elements of a dimension of size 1.
InstructionId RemoveInteriorPadding(DeviceProgram& program, InstructionId pad);
// The same on TPUs, not of a slice.
InstructionId RemoveInteriorPaddingOfComputed(DeviceProgram& program, InstructionId pad);
// A pad that cuts is a slice of one that does not.
InstructionId SliceInPlaceOfCut(DeviceProgram& program, InstructionId pad);
// A slice of one element has no steps.
InstructionId StepOnce(DeviceProgram& program, InstructionId slice);
// A concatenate with copies of one number is a pad.
InstructionId PadInPlaceOfConcatenate(DeviceProgram& program, InstructionId joined);
// The largest elements are found by the kernel of GPUs, which takes a matrix.
InstructionId CallTopK(DeviceProgram& program, InstructionId topk);
// The largest elements are sorted to the front; on TPUs.
InstructionId SortLargest(DeviceProgram& program, InstructionId topk);
// A stable sort also sorts the places of the elements; on TPUs.
InstructionId SortWithPlaces(DeviceProgram& program, InstructionId sort);
// The transposes of a dot's operands go into its dimensions; on TPUs.
InstructionId FoldTransposesIntoDot(DeviceProgram& program, InstructionId dot);
// A reshape of a dot reshapes an operand that is a reshape; on TPUs.
InstructionId ReshapeOperandsOfDot(DeviceProgram& program, InstructionId reshape);
// The transpose of a dot goes into its dimensions; on TPUs.
InstructionId FoldDotIntoTranspose(DeviceProgram& program, InstructionId transpose);
// A transpose or reshape of elementwise operations goes to their broadcasts and iotas; on TPUs.
InstructionId RearrangeLeaves(DeviceProgram& program, InstructionId moved);
// The same, also as far as gathers, reductions, products and other transposes; on TPUs in the first round.
InstructionId RearrangeToResults(DeviceProgram& program, InstructionId moved);
// The same of reshape(x), which need not be there: `x` in the sizes of `to`.
InstructionId ReshapeLeaves(DeviceProgram& program, InstructionId x, const layout::Shape& to);
// A prefix sum has levels: within rows of 128 elements, and over the rows; on TPUs.
InstructionId SumInRows(DeviceProgram& program, InstructionId window);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_SIMPLIFY_RULES_H_
