#include "tessera/target/buffers/rooms.h"

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"

namespace tessera::target {

Room::Room(size_t owner, const SharingBuffer& buffer)
    : owner_(owner), bytes_(buffer.bytes), end_(buffer.spans.back().second) {
  open_.last = end_;
  Take(owner, buffer.spans);
}

bool Room::HasPlaceFor(size_t guest, const SharingBuffer& buffer, const Meetings& meetings) const {
  return buffer.bytes <= bytes_ && open_.MayHold(buffer.spans) &&
         absl::c_all_of(buffer.spans,
                        [&](const auto& span) { return IsFree(guest, span, meetings); });
}

void Room::Take(size_t buffer, const Spans& spans) {
  for (const auto& span : spans) taken_[span.first].push_back({span.second, buffer});
  while (const auto stay = StayAt(open_.first)) {
    if (open_.first > 0 && stay->first == open_.first) break;
    open_.first = stay->second + 1;
  }
  while (const auto stay = StayAt(open_.last)) {
    if (open_.last < end_ && stay->second == open_.last) break;
    open_.last = stay->first - 1;
  }
}

std::optional<std::pair<int64_t, int64_t>> Room::StayAt(int64_t step) const {
  const auto after = taken_.upper_bound(step);
  if (after == taken_.begin()) return std::nullopt;
  const auto& [first, stays] = *std::prev(after);
  int64_t last = first;
  for (const Stay& stay : stays) last = std::max(last, stay.last);
  if (last < step) return std::nullopt;
  return std::make_pair(first, last);
}

bool Room::IsFree(size_t guest, const std::pair<int64_t, int64_t>& span,
                  const Meetings& meetings) const {
  const auto after = taken_.upper_bound(span.first);
  for (auto it = after; it != taken_.end() && it->first <= span.second; ++it) {
    if (it->first < span.second) return false;
    for (const Stay& stay : it->second) {
      if (!meetings.contains({stay.buffer, guest, span.second})) return false;
    }
  }
  // In front of it at most one stay ends, as stays are apart; two may begin where they meet.
  if (after == taken_.begin()) return true;
  const auto& [first, stays] = *std::prev(after);
  for (const Stay& stay : stays) {
    const bool may_meet = stay.last == span.first && first < span.first &&
                          meetings.contains({guest, stay.buffer, span.first});
    if (stay.last >= span.first && !may_meet) return false;
  }
  return true;
}

void Rooms::Add(size_t owner, const SharingBuffer& buffer) {
  rooms_.emplace_back(owner, buffer);
  SumBlock((rooms_.size() - 1) / kBlock);
}

size_t Rooms::Place(size_t guest, const SharingBuffer& buffer, const Meetings& meetings) {
  for (size_t block = blocks_.size(); block-- > 0;) {
    if (!blocks_[block].MayHold(buffer.spans)) continue;
    for (size_t k = EndOf(block); k-- > block * kBlock;) {
      if (!rooms_[k].HasPlaceFor(guest, buffer, meetings)) continue;
      rooms_[k].Take(guest, buffer.spans);
      SumBlock(block);
      return rooms_[k].owner();
    }
  }
  return guest;
}

size_t Rooms::EndOf(size_t block) const { return std::min(rooms_.size(), (block + 1) * kBlock); }

void Rooms::SumBlock(size_t block) {
  blocks_.resize(std::max(blocks_.size(), block + 1));
  Openness open = rooms_[block * kBlock].open();
  for (size_t k = block * kBlock; k < EndOf(block); ++k) {
    open.first = std::min(open.first, rooms_[k].open().first);
    open.last = std::max(open.last, rooms_[k].open().last);
  }
  blocks_[block] = open;
}

}  // namespace tessera::target
