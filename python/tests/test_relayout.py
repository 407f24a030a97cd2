"""relayout: orders of NumPy, tiles as a row of memory, and back; errors."""

import numpy
import pytest

import tessera


def test_orders_of_numpy_are_arrays():
    x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    turned = tessera.relayout(x, "{0,1}")
    assert turned.flags.f_contiguous and turned.shape == (2, 3)
    numpy.testing.assert_array_equal(turned, x)
    numpy.testing.assert_array_equal(tessera.relayout(turned, "{1,0}"), x)
    numpy.testing.assert_array_equal(tessera.relayout(x[:, ::2], "{0,1}"), x[:, ::2])


def test_tiles_are_a_row_of_memory():
    x = numpy.arange(300 * 129, dtype=numpy.int16).reshape(129, 300)
    tiled = tessera.relayout(x, "{1,0:T(8,128)(2,1)}")
    rows, columns = 136, 384
    padded = numpy.zeros((rows, columns), numpy.int16)
    padded[:129, :300] = x
    blocks = padded.reshape(rows // 8, 4, 2, columns // 128, 128).transpose(0, 3, 1, 4, 2)
    numpy.testing.assert_array_equal(tiled, blocks.reshape(-1))
    numpy.testing.assert_array_equal(tessera.relayout(tiled, "{1,0}", source="s16[129,300]{1,0:T(8,128)(2,1)}"), x)


def test_types_of_jax():
    dtypes = pytest.importorskip("ml_dtypes")
    x = numpy.arange(12).reshape(3, 4).astype(dtypes.bfloat16)
    numpy.testing.assert_array_equal(tessera.relayout(tessera.relayout(x, "{0,1}"), "bf16[3,4]"), x)
    assert tessera.relayout(numpy.float32(3), "{}") == 3
    assert tessera.relayout(numpy.zeros((0, 4)), "{0,1}").shape == (0, 4)


def test_errors():
    x = numpy.zeros((2, 3))
    with pytest.raises(tessera.ShardingError, match="twice"):
        tessera.relayout(x, "{0,0}")
    with pytest.raises(tessera.ShardingError, match="has 48 bytes, and f64.* takes 96"):
        tessera.relayout(x, "{0,1}", source="f64[4,3]")
    with pytest.raises(tessera.ShardingError, match="no element type"):
        tessera.relayout(numpy.array([object()] * 3), "{0}")
