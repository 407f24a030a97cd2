#include "tessera/hlo/loaded_names.h"

#include "tessera/hlo/attributes.h"
#include "tessera/hlo/hash.h"
#include "tessera/hlo/scanner.h"
#include "tessera/hlo/unique_names.h"

namespace tessera::hlo {

namespace {

// Whether renaming would leave all names as they are, which is so for a text that XLA wrote: no two
// names agree in root and number, and no number has another spelling. Compares 64-bit hashes of
// (root, number), so that it may say no where yes is right, but not the other way.
class NoRenaming {
 public:
  explicit NoRenaming(size_t names) : slots_(TableSize(names)) {}

  bool Keeps(absl::string_view name) {
    size_t dot = name.size();
    while (dot > 0 && HasClass(name[dot - 1], kDigitChar)) --dot;
    const absl::string_view digits = name.substr(dot);
    const bool numbered = dot > 1 && name[dot - 1] == '.' && !digits.empty();
    // Signs and very long numbers are left to the slow way; so are leading zeros.
    if (dot > 1 && (name[dot - 1] == '-' || name[dot - 1] == '+')) return false;
    if (numbered && (digits.size() > 18 || (digits[0] == '0' && digits.size() > 1))) return false;
    const absl::string_view root = numbered ? name.substr(0, dot - 1) : name;
    const uint64_t number = numbered ? static_cast<uint64_t>(*ParseIntToken(digits)) : 0;
    uint64_t key = (uint64_t{HashText(root)} << 32 ^ number * 0x9e3779b97f4a7c15u) | 1;
    for (size_t i = key * 0xff51afd7ed558ccdu >> 20;; ++i) {
      uint64_t& slot = slots_[i & (slots_.size() - 1)];
      if (slot == key) return false;
      if (slot != 0) continue;
      slot = key;
      return true;
    }
  }

 private:
  static size_t TableSize(size_t names) {
    size_t size = 64;
    while (size < 2 * names) size *= 2;
    return size;
  }
  std::vector<uint64_t> slots_;
};

bool KeepsAllNames(const Module& module) {
  NoRenaming instructions(module.num_instructions()), computations(module.num_computations());
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    const Computation& computation = module.computation(c);
    if (computation.removed) continue;
    if (!computations.Keeps(computation.name)) return false;
    if (SanitizeName(computation.name) != computation.name) return false;
    for (InstructionId i : computation.instructions) {
      if (!instructions.Keeps(module.instruction(i).name)) return false;
    }
  }
  return true;
}

}  // namespace

LoadedNames LoadNames(const Module& module, bool unique) {
  LoadedNames out;
  UniqueNames computations, instructions;
  unique = unique && !KeepsAllNames(module);
  const auto name = [&](absl::string_view written, UniqueNames* taken) -> absl::string_view {
    if (!unique) return written;
    std::string given = taken->Unique(written);
    if (given == written) return written;
    return out.changed.emplace_back(std::move(given));
  };
  out.computations.resize(module.num_computations());
  out.instructions.resize(module.num_instructions());
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    const Computation& computation = module.computation(c);
    if (computation.removed) continue;
    out.computations[c] = computation.name;
    if (unique) {
      out.changed.push_back(SanitizeName(computation.name));
      out.computations[c] = name(out.changed.back(), &computations);
    }
    for (InstructionId i : computation.instructions) {
      out.instructions[i] = name(module.instruction(i).name, &instructions);
    }
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
  Renumberer renumberer(old);
  for (ComputationId c = 0; c < module.num_computations(); ++c) {
    for (InstructionId i : module.computation(c).instructions) {
      const auto text = module.FindAttribute(i, AttributeName::kMetadata);
      if (!text.has_value() || text->find("stack_frame_id") == absl::string_view::npos) continue;
      const int64_t id = ParseMetadata(*text).stack_frame_id;
      if (id != 0) out.frame_of[i] = renumber ? renumberer.Frame(id) : id;
    }
  }
  out.tables = renumber ? renumberer.TakeTables() : old;
  return out;
}

}  // namespace tessera::hlo
