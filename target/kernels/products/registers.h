// How many vector registers of a TPU an array fills: 8 x 128 elements each, whatever their type.
//
//   Registers(f32[1024,256]{1,0:T(8,128)})     // 256
//   Registers(f32[1024,3]{1,0:T(8,128)})       // 128: three of 128 lanes are used
//   Registers(f32[1024,3])                     // 8: no tiles yet, the compiler will choose them
//
// With tiles, the two minor dimensions of the layout are padded. Without, the two dimensions that
// waste least: the compiler chooses layouts later. Cost: the square of the rank. Tested by
// kernels_test.cc.

#ifndef TESSERA_TARGET_KERNELS_PRODUCTS_REGISTERS_H_
#define TESSERA_TARGET_KERNELS_PRODUCTS_REGISTERS_H_

#include <cstdint>

#include "tessera/layout/shape.h"

namespace tessera::target {

inline constexpr double kElementsOfRegister = 8 * 128;

// 0 for what is no array. Sizes of dynamic dimensions are their bounds.
double Registers(const layout::Shape& array);
// Tiles of an array whose tiles have fewer rows than a register; 0 for others and without tiles.
//
//   LowTiles(bf16[4096,2,1024]{2,1,0:T(2,128)(2,1)})     // 32768, of 8192 registers
double LowTiles(const layout::Shape& array);
// An array is itself; a tuple is its first array.
const layout::Shape& FirstArray(const layout::Shape& shape);
// Along a dimension; 1 where it has none of this number.
double DimSize(const layout::Shape& array, int64_t dim);
// Without padding.
double Elements(const layout::Shape& array);
// Of an element, as stored: 0.5 for four bits.
double ElementWidth(const layout::Shape& array);

}  // namespace tessera::target

#endif  // TESSERA_TARGET_KERNELS_PRODUCTS_REGISTERS_H_
