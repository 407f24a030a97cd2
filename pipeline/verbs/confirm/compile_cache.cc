#include "tessera/pipeline/verbs/confirm/compile_cache.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tessera/pipeline/command_line/process/output_file.h"

namespace tessera::pipeline {
namespace {

constexpr char kQuestion[] = "/question", kText[] = "/compiled.hlo", kMemory[] = "/memory.txt";
constexpr char kWarning[] = "/warning.txt";

// FNV-1a of 64 bits: the same in every run.
uint64_t HashOf(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::optional<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

CompileCache CompileCache::OfUser() {
  std::string base = Environment("XDG_CACHE_HOME");
  const std::string home = Environment("HOME");
  if (base.empty() && !home.empty()) base = absl::StrCat(home, "/.cache");
  return CompileCache(base.empty() ? "" : absl::StrCat(base, "/tessera/compiled"));
}

std::string CompileCache::FolderOf(const std::string& question) const {
  return absl::StrFormat("%s/%016x", folder_, HashOf(question));
}

std::string CompileCache::PathOf(const std::string& question) const {
  return absl::StrCat(FolderOf(question), kText);
}

std::optional<CompiledProgram> CompileCache::Find(const std::string& question) const {
  if (folder_.empty()) return std::nullopt;
  const std::string folder = FolderOf(question);
  if (Read(folder + kQuestion) != question) return std::nullopt;
  std::optional<std::string> text = Read(folder + kText);
  std::optional<std::string> memory = Read(folder + kMemory);
  std::optional<std::string> warning = Read(folder + kWarning);
  if (!text.has_value() || !memory.has_value() || !warning.has_value()) return std::nullopt;
  return CompiledProgram{*std::move(text), *std::move(memory), *std::move(warning)};
}

// The question comes last: an entry without it is none.
void CompileCache::Keep(const std::string& question, const CompiledProgram& program) const {
  if (folder_.empty()) return;
  const std::string folder = FolderOf(question);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return;
  const bool is_kept = WriteWholeFile(folder + kText, program.text).ok() &&
                       WriteWholeFile(folder + kMemory, program.memory).ok() &&
                       WriteWholeFile(folder + kWarning, program.warning).ok();
  if (is_kept) WriteWholeFile(folder + kQuestion, question).IgnoreError();
}

}  // namespace tessera::pipeline
