// The text of a module that grows by one well typed instruction at a time.
//
//   ModuleMaker maker(seed);
//   const Value v = maker.Any();                       // an array of the current computation
//   maker.Add(v.shape, StrCat("tanh(", v.name, ")"));  // gets a name, perhaps a sharding
//
// A tuple is taken apart where it is made, so that all values are arrays.

#ifndef TESSERA_TESTING_HOSTILE_MODULE_MAKER_H_
#define TESSERA_TESTING_HOSTILE_MODULE_MAKER_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tessera::testing::hostile {

struct ArrayShape {
  std::string type;
  std::vector<int64_t> dims;
};

std::string ToText(const ArrayShape& shape);
// "(f32[2], s32[])"; of one array too.
std::string TupleText(const std::vector<ArrayShape>& shapes);
// "{0,1}" and the like.
std::string Braces(const std::vector<int64_t>& numbers);

struct Value {
  std::string name;
  ArrayShape shape;
};

// What a computation takes and gives; several results are a tuple.
struct Signature {
  std::vector<ArrayShape> parameters;
  std::vector<ArrayShape> results;
  bool in_tuples = false;  // one parameter, a tuple of all, and a tuple as result in any case
};

class ModuleMaker {
 public:
  explicit ModuleMaker(unsigned seed);

  size_t RandomBelow(size_t n) { return n == 0 ? 0 : random_() % n; }
  bool OneIn(size_t n) { return RandomBelow(n) == 0; }
  int64_t Size();
  ArrayShape Shape(size_t most_dims = 4);
  // A permutation of 0..n-1; the first k of one in rising order.
  std::vector<int64_t> Permutation(size_t n);
  std::vector<int64_t> Dimensions(size_t k, size_t n);

  Value AnyValue();
  Value AnyFloat();
  // A value of at least one dimension.
  Value AnyArray();
  // One of this shape: there, or made.
  Value ValueOf(const ArrayShape& shape);
  Value Scalar(const std::string& type) { return ValueOf({type, {}}); }

  Value Add(const ArrayShape& shape, absl::string_view rest);
  // With this sharding, in place of one by chance.
  Value AddAs(const ArrayShape& shape, absl::string_view rest, absl::string_view sharding);
  // Without a value that others may read: tokens.
  std::string Effect(absl::string_view rest);
  // Several results: a tuple, and its elements.
  void AddTuple(const std::vector<ArrayShape>& shapes, absl::string_view rest);
  // Another computation, to which `fill` may add; its name.
  std::string Computation(const Signature& signature, const std::function<void()>& fill);
  // Two scalars to one, for reduce and its like.
  std::string Reducer(const std::string& type);
  // The name of a tuple of the values of these names, which are of these shapes.
  std::string Tuple(const std::vector<ArrayShape>& shapes, const std::string& names);
  // Of a loop that carries these, first an s32[] that is counted up to five.
  std::string Condition(const std::vector<ArrayShape>& carried);
  // The body of one in which each element takes over the next one.
  std::string Shift(const std::vector<ArrayShape>& carried);
  bool is_deep() const { return depth_ >= 3; }

  // The module, once the entry has been filled by `fill`.
  std::string Module(const std::function<void()>& fill);

 private:
  std::string Name(const char* prefix);
  std::string Attributes(const ArrayShape& shape);
  std::string Aliases(size_t num_parameters, size_t num_results);
  std::string Grid(size_t rank);
  std::string Named(size_t rank, bool is_sdy);
  std::string Sharding(size_t rank);
  std::string SdySharding(size_t rank);
  void Parameters(const std::vector<ArrayShape>& shapes);
  void Elements(const std::string& tuple, const std::vector<ArrayShape>& shapes);
  void TupleParameter(const std::vector<ArrayShape>& shapes);
  void Root(const std::vector<ArrayShape>& shapes, bool as_tuple);

  std::mt19937 random_;
  int style_ = 0;  // 0 none, 1 V2, 2 V3, 3 sdy, 4 any
  int depth_ = 0;
  int names_ = 0;
  std::string finished_;       // computations
  std::string text_;           // of the current one
  std::vector<Value> values_;  // of the current one
};

}  // namespace tessera::testing::hostile

#endif  // TESSERA_TESTING_HOSTILE_MODULE_MAKER_H_
