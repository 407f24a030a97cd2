// The cells of an array, shared between copies until one of them is written to, and the guard that
// sees which cells a kernel reads.
//
//   CellArray a(6);                  // zeros
//   CellArray b = a;                 // no cell is copied
//   b[2] = {7, 0, 0};                // now they are
//
//   Guard guard(6);
//   guard.allowed[2] = true;
//   a.Watch(&guard);
//   std::as_const(a)[2];             // fine
//   std::as_const(a)[3];             // guard.first_outside is 3
//
// A guarded array is for reading: who writes to it has read all of it.
#ifndef TESSERA_TESTING_EVALUATOR_CELL_ARRAY_H_
#define TESSERA_TESTING_EVALUATOR_CELL_ARRAY_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera::testing::evaluator {

struct Cell {
  int64_t i = 0;
  double re = 0;
  double im = 0;
};

// Which cells may be read, and which were.
struct Guard {
  explicit Guard(size_t cells) : allowed(cells), seen(cells) {}

  void Look(size_t cell) {
    seen[cell] = true;
    if (!allowed[cell] && first_outside < 0) first_outside = static_cast<int64_t>(cell);
  }
  void LookAtAll() {
    for (size_t i = 0; i < allowed.size(); ++i) Look(i);
  }

  std::vector<bool> allowed, seen;
  int64_t first_outside = -1;  // the first cell that was read and is not allowed
};

class CellArray {
 public:
  CellArray() = default;
  explicit CellArray(size_t cells) : data_(std::make_shared<std::vector<Cell>>(cells)) {}

  size_t size() const { return data_ == nullptr ? 0 : data_->size(); }
  const Cell& operator[](int64_t i) const {
    if (guard_ != nullptr) guard_->Look(static_cast<size_t>(i));
    return (*data_)[static_cast<size_t>(i)];
  }
  Cell& operator[](int64_t i) { return Own()[static_cast<size_t>(i)]; }

  // Says that these cells are read, so that Raw() may be used for them.
  void Look(int64_t base, const std::vector<int64_t>& distances) const {
    if (guard_ == nullptr) return;
    for (int64_t distance : distances) guard_->Look(static_cast<size_t>(base + distance));
  }
  // All cells, past the guard.
  const Cell* Raw() const { return data_ == nullptr ? nullptr : data_->data(); }
  // To write to.
  Cell* Data() { return Own().data(); }

  // The guard must outlive the array and its copies; null: none.
  void Watch(Guard* guard) { guard_ = guard; }

 private:
  std::vector<Cell>& Own() {
    if (guard_ != nullptr) guard_->LookAtAll();
    guard_ = nullptr;
    if (data_ == nullptr) data_ = std::make_shared<std::vector<Cell>>();
    if (data_.use_count() > 1) data_ = std::make_shared<std::vector<Cell>>(*data_);
    return *data_;
  }

  std::shared_ptr<std::vector<Cell>> data_;
  Guard* guard_ = nullptr;
};

}  // namespace tessera::testing::evaluator

#endif  // TESSERA_TESTING_EVALUATOR_CELL_ARRAY_H_
