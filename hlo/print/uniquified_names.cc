#include "tessera/hlo/print/uniquified_names.h"

#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/parse/scanner.h"
#include "tessera/hlo/unique_names.h"
#include "tessera/hlo/values/hash.h"

namespace tessera::hlo {

namespace {

// Whether renaming would leave all names as they are, which is so for a text that XLA wrote: no two
// names are equal, and no number has another spelling (`x.01`); `x.0` and `x` count as equal.
// Compares 64-bit hashes, so it is conservative: it may return false for names that are unique,
// never true for others.
//
// Names lie all over the text and the table is large: the slots of a batch of names are fetched
// before the first of them is looked at.
class NoRenaming {
 public:
  explicit NoRenaming(size_t names) : slots_(TableSize(names)), mask_(slots_.size() - 1) {}

  void Add(absl::string_view name) {
    keeps_ = keeps_ && IsPlain(&name);
    const uint64_t key = WideHashText(name) | 1;
    __builtin_prefetch(&slots_[Place(key)]);
    batch_[count_++] = key;
    if (count_ == kBatch) PutBatch();
  }
  bool Keeps() {
    PutBatch();
    return keeps_;
  }

 private:
  static constexpr size_t kBatch = 16;

  size_t Place(uint64_t key) const { return key >> 20 & mask_; }
  void PutBatch() {
    for (size_t k = 0; k < count_; ++k) {
      size_t i = Place(batch_[k]);
      while (slots_[i] != 0 && slots_[i] != batch_[k]) i = (i + 1) & mask_;
      keeps_ = keeps_ && slots_[i] == 0;
      slots_[i] = batch_[k];
    }
    count_ = 0;
  }
  // How many digits end the name; of those only the last eight are looked at.
  static size_t TrailingDigits(absl::string_view name) {
    size_t digits = 0;
    if (name.size() < 8) {
      while (digits < name.size() && HasClass(name[name.size() - 1 - digits], kDigitChar)) ++digits;
      return digits;
    }
    uint64_t last = 0;
    std::memcpy(&last, name.data() + name.size() - 8, 8);
    last ^= 0x3030303030303030u;  // digits become 0 to 9; characters of names are below 128
    const uint64_t others = (last | (last + 0x7676767676767676u)) & 0x8080808080808080u;
    return others == 0 ? 8 : static_cast<size_t>(__builtin_clzll(others)) / 8;
  }
  // Takes `.0` from the name. False for numbers that may get another spelling: zeros in front;
  // signs and very long ones are left to the slow way.
  static bool IsPlain(absl::string_view* name) {
    const size_t digits = TrailingDigits(*name);
    if (digits == 0 || name->size() < digits + 2) return true;
    if (digits == 8) return false;
    const char before = (*name)[name->size() - digits - 1];
    if (before != '.') return before != '-' && before != '+';
    if ((*name)[name->size() - digits] != '0') return true;
    name->remove_suffix(2);
    return digits == 1;
  }
  static size_t TableSize(size_t names) {
    size_t size = 64;
    while (size < 2 * names) size *= 2;
    return size;
  }

  std::vector<uint64_t> slots_;
  const size_t mask_;
  uint64_t batch_[kBatch] = {};
  size_t count_ = 0;
  bool keeps_ = true;
};

// All names as they are written; false if XLA would change one.
bool KeepNames(const Module& module, UniquifiedNames* out) {
  NoRenaming instructions(module.num_instructions()), computations(module.num_computations());
  const absl::string_view source = module.source_text();
  const auto in_source = [&](absl::string_view name) {
    return static_cast<size_t>(name.data() - source.data()) < source.size();
  };
  bool sane = true;
  out->in_source = true;
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    const Computation& computation = module.computation(c);
    if (computation.removed) continue;
    out->computations[c] = computation.name;
    out->in_source &= in_source(computation.name);
    computations.Add(computation.name);
    sane = sane && IsSaneName(computation.name);
    for (InstructionId i : computation.instructions) {
      const absl::string_view name = module.instruction(i).name;
      out->instructions[i] = name;
      out->in_source &= in_source(name);
      instructions.Add(name);
    }
  }
  return sane && computations.Keeps() && instructions.Keeps();
}

// Those that are taken get other names.
class Renamer {
 public:
  explicit Renamer(UniquifiedNames* out) : out_(out) {}

  void RenameAll(const Module& module) {
    UniqueNames computations, instructions;
    for (ComputationId c = 0; c < module.num_computations(); ++c) {
      if (module.computation(c).removed) continue;
      absl::string_view& name = out_->computations[c];
      std::string good = SanitizeName(name);
      if (good != name) name = Keep(std::move(good));
      Rename(&computations, &name);
      for (InstructionId i : module.computation(c).instructions) {
        Rename(&instructions, &out_->instructions[i]);
      }
    }
  }

 private:
  absl::string_view Keep(std::string name) { return out_->changed.emplace_back(std::move(name)); }
  void Rename(UniqueNames* taken, absl::string_view* name) {
    std::string given = taken->Unique(*name);
    if (given != *name) *name = Keep(std::move(given));
  }

  UniquifiedNames* out_;
};

}  // namespace

UniquifiedNames LoadNames(const Module& module, bool unique) {
  UniquifiedNames out;
  out.computations.resize(module.num_computations());
  out.instructions.resize(module.num_instructions());
  if (!KeepNames(module, &out) && unique) {
    out.in_source = false;
    Renamer(&out).RenameAll(module);
  }
  return out;
}

namespace {

// Builds new tables from the old ones by need; every table entry is interned by its contents.
class Renumberer {
 public:
  explicit Renumberer(const StackFrames& old) : old_(old), new_frame_(old.frames.size() + 1, -1) {}

  // The new number of frame `id`; 0 for unknown ones, for cycles, and for bad locations.
  int64_t Frame(int64_t id) {
    std::vector<int64_t> chain;
    for (int64_t f = id; f != 0; f = old_.frames[f - 1].parent) {
      if (f < 0 || f > static_cast<int64_t>(old_.frames.size())) return 0;
      if (chain.size() > old_.frames.size() || !GoodLocation(old_.frames[f - 1].location)) return 0;
      chain.push_back(f);
    }
    int64_t parent = 0;
    for (size_t i = chain.size(); i-- > 0;) parent = NewFrame(chain[i], parent);
    return parent;
  }

  StackFrames TakeTables() { return std::move(tables_); }

 private:
  bool GoodLocation(int64_t id) const {
    if (id < 1 || id > static_cast<int64_t>(old_.locations.size())) return false;
    const FileLocation& l = old_.locations[id - 1];
    return l.file >= 1 && l.file <= static_cast<int64_t>(old_.file_names.size()) &&
           l.function >= 1 && l.function <= static_cast<int64_t>(old_.function_names.size());
  }

  int64_t NewFrame(int64_t id, int64_t parent) {
    if (new_frame_[id] >= 0) return new_frame_[id];
    const int64_t location = Location(old_.locations[old_.frames[id - 1].location - 1]);
    const auto [it, added] = frames_.try_emplace({location, parent}, tables_.frames.size() + 1);
    if (added) tables_.frames.push_back({location, parent});
    return new_frame_[id] = it->second;
  }

  int64_t Location(FileLocation l) {
    l.file = Name(old_.file_names[l.file - 1], &files_, &tables_.file_names);
    l.function = Name(old_.function_names[l.function - 1], &functions_, &tables_.function_names);
    const std::vector<int64_t> key = {l.file,     l.function, l.line,
                                      l.end_line, l.column,   l.end_column};
    const auto [it, added] = locations_.try_emplace(key, tables_.locations.size() + 1);
    if (added) tables_.locations.push_back(l);
    return it->second;
  }

  static int64_t Name(const std::string& name, absl::flat_hash_map<std::string, int64_t>* ids,
                      std::vector<std::string>* names) {
    const auto [it, added] = ids->try_emplace(name, names->size() + 1);
    if (added) names->push_back(name);
    return it->second;
  }

  const StackFrames& old_;
  std::vector<int64_t> new_frame_;
  StackFrames tables_;
  absl::flat_hash_map<std::string, int64_t> files_, functions_;
  absl::flat_hash_map<std::vector<int64_t>, int64_t> locations_;
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> frames_;
};

}  // namespace

LoadedFrames LoadFrames(const Module& module, bool renumber) {
  LoadedFrames out;
  const StackFrames old = ParseStackFrames(module.header().stack_frames);
  if (renumber && old.empty()) return out;  // there is no frame to refer to
  Renumberer renumberer(old);
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    for (InstructionId i : module.computation(c).instructions) {
      const auto text = module.FindAttribute(i, AttributeName::kMetadata);
      if (!text.has_value() || text->find("stack_frame_id") == absl::string_view::npos) continue;
      const int64_t id = ParseMetadata(*text).stack_frame_id;
      if (id == 0) continue;
      out.frame_of.resize(module.num_instructions());
      out.frame_of[i] = renumber ? renumberer.Frame(id) : id;
    }
  }
  out.tables = renumber ? renumberer.TakeTables() : old;
  return out;
}

}  // namespace tessera::hlo
