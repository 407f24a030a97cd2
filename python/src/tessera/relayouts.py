"""Copies of arrays between layouts: `tessera layout ARRAY.npy --from=.. --to=..` without files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tessera import _engine
from tessera.engine import checked

if TYPE_CHECKING:
    import numpy


def relayout(array: Any, to: str, source: str = "") -> numpy.ndarray[Any, Any]:
    """The array's elements in another layout, copied on all cores; needs NumPy.

        tiled = tessera.relayout(x, "{1,0:T(8,128)}")                              # f32 (129, 300) -> (52224,)
        tessera.relayout(tiled, "{1,0}", source="f32[129,300]{1,0:T(8,128)}")      # and back

    `to` and `source` are layouts of HLO, or shapes with one; without `source`, the array is in the order that NumPy knows.
    A result in row-major or column-major order has the dimensions of the shape. In any other layout NumPy sees a row of
    what memory holds, and padding is zero. ShardingError for a layout that does not fit the array.
    """
    import numpy

    given = numpy.asarray(array)
    fortran_order = bool(given.flags.f_contiguous and not given.flags.c_contiguous)
    if not fortran_order:
        given = numpy.ascontiguousarray(given).reshape(given.shape)
    copy = _engine.Relayout(given.dtype.kind, given.dtype.itemsize, fortran_order, list(given.shape), source.encode(), to.encode())
    checked(copy.answer)
    result = numpy.empty(copy.dims, given.dtype, order="F" if copy.fortran_order else "C")
    checked(copy.run(given.ctypes.data, given.nbytes, result.ctypes.data, result.nbytes))
    return result
