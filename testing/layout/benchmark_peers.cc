#include "tessera/testing/layout/benchmark_peers.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "dnnl.hpp"

namespace tessera::layout::relayout {
namespace {

// Source strides of the destination's dimensions, most major first, in elements.
struct Strided {
  std::vector<int64_t> dims;
  std::vector<int64_t> src;
};

std::vector<int64_t> DenseStrides(absl::Span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return strides;
}

Strided StridedOf(const PeerCase& c) {
  const std::vector<int64_t> strides = DenseStrides(c.dims);
  Strided strided;
  for (const int64_t dim : c.perm) {
    strided.dims.push_back(c.dims[dim]);
    strided.src.push_back(strides[dim]);
  }
  return strided;
}

// Calls visit(begin, end) for pieces of 32.
template <typename Visit>
void InBlocks(int64_t size, const Visit& visit) {
  for (int64_t begin = 0; begin < size; begin += 32) visit(begin, std::min(begin + 32, size));
}

template <typename T>
void BlockedMatrix(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride,
                   const T* src, T* dst) {
  InBlocks(rows, [&](int64_t top, int64_t bottom) {
    InBlocks(columns, [&](int64_t left, int64_t right) {
      for (int64_t i = top; i < bottom; ++i) {
        for (int64_t j = left; j < right; ++j) {
          dst[i * columns + j] = src[i * row_stride + j * column_stride];
        }
      }
    });
  });
}

template <typename T>
void BlockedTranspose(const Strided& s, size_t depth, const T* src, T* dst, int64_t dst_size) {
  const size_t last = s.dims.size() - 1;
  if (depth + 1 == last) {
    return BlockedMatrix(s.dims[depth], s.dims[last], s.src[depth], s.src[last], src, dst);
  }
  const int64_t rest = dst_size / s.dims[depth];
  for (int64_t i = 0; i < s.dims[depth]; ++i) {
    BlockedTranspose(s, depth + 1, src + i * s.src[depth], dst + i * rest, rest);
  }
}

template <typename T>
Work BlockedOf(const PeerCase& c) {
  int64_t size = 1;
  for (const int64_t dim : c.dims) size *= dim;
  return [s = StridedOf(c), size, src = reinterpret_cast<const T*>(c.src),
          dst = reinterpret_cast<T*>(c.dst)] { BlockedTranspose(s, 0, src, dst, size); };
}

// Threads that wait for a task, take the next number of it, and wait again.
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Serve(); });
  }
  ~Pool() {
    Post(0, nullptr);
    for (std::thread& thread : threads_) thread.join();
  }

  void Run(int count, const std::function<void(int)>& task) {
    Post(count, &task);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void Post(int count, const std::function<void(int)>* task) {
    const std::lock_guard<std::mutex> lock(mutex_);
    task_ = task;
    next_ = left_ = count;
    stop_ = task == nullptr;
    work_.notify_all();
  }

  void Serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] { return stop_ || next_ > 0; });
      if (stop_) return;
      const int number = --next_;
      lock.unlock();
      (*task_)(number);
      lock.lock();
      if (--left_ == 0) done_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_, done_;
  const std::function<void(int)>* task_ = nullptr;
  int next_ = 0, left_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

Work BlockedWork(const PeerCase& c) {
  return c.bytes == 1 ? BlockedOf<uint8_t>(c) : BlockedOf<uint32_t>(c);
}

Work OneDnnWork(const PeerCase& c) {
  using dnnl::memory;
  const auto type = c.bytes == 1 ? memory::data_type::u8 : memory::data_type::f32;
  const Strided s = StridedOf(c);
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static const auto stream = std::make_shared<dnnl::stream>(engine);
  auto a = std::make_shared<memory>(memory::desc(s.dims, type, s.src), engine, c.src);
  auto b =
      std::make_shared<memory>(memory::desc(s.dims, type, DenseStrides(s.dims)), engine, c.dst);
  auto reorder = std::make_shared<dnnl::reorder>(*a, *b);
  return [=] {
    reorder->execute(*stream, *a, *b);
    stream->wait();
  };
}

Executor MakePool(int count) {
  auto pool = std::make_shared<Pool>(count);
  return [pool](int tasks, const std::function<void(int)>& task) { pool->Run(tasks, task); };
}

}  // namespace tessera::layout::relayout
