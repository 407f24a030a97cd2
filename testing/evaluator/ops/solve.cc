// Cholesky factors and triangular systems, matrix by matrix.
#include <complex>
#include <vector>

#include "absl/strings/string_view.h"
#include "tessera/testing/evaluator/kernel.h"
#include "tessera/testing/evaluator/ops/arithmetic.h"
#include "tessera/text/status_macros.h"

namespace tessera::testing::evaluator {
namespace {

struct Matrix {
  int64_t rows, columns;
  std::vector<Number> cells;

  Number& At(int64_t r, int64_t c) { return cells[static_cast<size_t>(r * columns + c)]; }
  const Number& At(int64_t r, int64_t c) const {
    return cells[static_cast<size_t>(r * columns + c)];
  }
};

// Of matrix number `batch` in the two minor dimensions, these rows and columns.
Matrix Read(const Array& a, int64_t batch, EvenPart rows, EvenPart columns) {
  Matrix m{rows.end - rows.start, columns.end - columns.start, {}};
  const int64_t height = a.dims[a.rank() - 2], width = a.dims[a.rank() - 1];
  for (int64_t r = rows.start; r < rows.end; ++r) {
    for (int64_t c = columns.start; c < columns.end; ++c) {
      const Cell& cell = a.cells[(batch * height + r) * width + c];
      m.cells.emplace_back(cell.re, cell.im);
    }
  }
  return m;
}

EvenPart All(const Array& a, int from_last) { return {0, a.dims[a.rank() - from_last]}; }

void Write(const Matrix& m, int64_t batch, EvenPart rows, EvenPart columns, Array* a) {
  const int64_t height = a->dims[a->rank() - 2], width = a->dims[a->rank() - 1];
  for (int64_t r = 0; r < m.rows; ++r) {
    for (int64_t c = 0; c < m.columns; ++c) {
      a->cells[(batch * height + rows.start + r) * width + columns.start + c] =
          Fit(a->type, {0, m.At(r, c).real(), m.At(r, c).imag()});
    }
  }
}

Matrix Transposed(const Matrix& m, bool conjugate) {
  Matrix t{m.columns, m.rows, std::vector<Number>(m.cells.size())};
  for (int64_t r = 0; r < m.rows; ++r) {
    for (int64_t c = 0; c < m.columns; ++c)
      t.At(c, r) = conjugate ? std::conj(m.At(r, c)) : m.At(r, c);
  }
  return t;
}

// L with L L^H = a, from the lower half of a.
Matrix LowerFactor(const Matrix& a) {
  Matrix l{a.rows, a.columns, std::vector<Number>(a.cells.size())};
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      Number sum = a.At(r, c);
      for (int64_t k = 0; k < c; ++k) sum -= l.At(r, k) * std::conj(l.At(c, k));
      l.At(r, c) = r == c ? std::sqrt(sum) : sum / l.At(c, c);
    }
  }
  return l;
}

// x with t x = b, t lower or upper triangular.
Matrix Solved(const Matrix& t, bool lower, bool unit, Matrix b) {
  for (int64_t i = 0; i < t.rows; ++i) {
    const int64_t r = lower ? i : t.rows - 1 - i;
    for (int64_t c = 0; c < b.columns; ++c) {
      Number sum = b.At(r, c);
      for (int64_t k = lower ? 0 : r + 1; k < (lower ? r : t.rows); ++k)
        sum -= t.At(r, k) * b.At(k, c);
      b.At(r, c) = unit ? sum : sum / t.At(r, r);
    }
  }
  return b;
}

}  // namespace

absl::StatusOr<Value> Cholesky(const Op& op) {
  const bool lower = hlo::GetBool(op.module, op.id, AttributeName::kLower).value_or(false);
  Array out = op.Out();
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * out.dims[out.rank() - 1]));
  const EvenPart all = All(out, 1);
  for (int64_t batch : AskedBatches(op, out.dims, 2)) {
    const Matrix a = Read(op.in(0), batch, all, all);
    const Matrix l = LowerFactor(lower ? a : Transposed(a, true));
    Write(lower ? l : Transposed(l, true), batch, all, all, &out);
  }
  return out;
}

// op(a) x = b, or x op(a) = b, which is the first form of the transposed matrices.
absl::StatusOr<Value> TriangularSolve(const Op& op) {
  const auto flag = [&](AttributeName name) {
    return hlo::GetBool(op.module, op.id, name).value_or(false);
  };
  const auto words = hlo::GetWords(op.module, op.id, AttributeName::kTransposeA);
  const absl::string_view how = words.empty() ? "NO_TRANSPOSE" : words[0];
  const bool turned = how == "TRANSPOSE" || how == "ADJOINT", left = flag(AttributeName::kLeftSide);
  const bool unit = flag(AttributeName::kUnitDiagonal);
  Array out = op.Out();
  TESSERA_RETURN_IF_ERROR(op.interpreter.Spend(out.size() * op.in(0).dims[out.rank() - 1]));
  const EvenPart order = All(op.in(0), 1);
  const EvenPart rows = left ? order : op.AskedAlong(out.dims, out.rank() - 2);
  const EvenPart columns = left ? op.AskedAlong(out.dims, out.rank() - 1) : order;
  for (int64_t batch : AskedBatches(op, out.dims, 2)) {
    Matrix a = Read(op.in(0), batch, order, order), b = Read(op.in(1), batch, rows, columns);
    if (turned) a = Transposed(a, how == "ADJOINT");
    if (!left) a = Transposed(a, false), b = Transposed(b, false);
    const bool lower = flag(AttributeName::kLower) != (turned != !left);
    const Matrix x = Solved(a, lower, unit, b);
    Write(left ? x : Transposed(x, false), batch, rows, columns, &out);
  }
  return out;
}

}  // namespace tessera::testing::evaluator
