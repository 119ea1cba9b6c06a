// What the kernels share: aligned arrays, thresholds, and the instruction sets of this machine.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace algos {

// Arrays start at cache lines, so that no vector load or store touches two of them.
template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const { return true; }
  template <class U>
  bool operator!=(const CacheLineAllocator<U>&) const { return false; }
};
template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

// Halfway between two neighbours; never the lower one, so that `x >= threshold` tells them apart.
inline double midpoint(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

// The instruction sets this machine can run, best first.
inline std::vector<std::string> instruction_sets() {
  std::vector<std::string> sets;
#ifdef ALGOS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    sets.push_back("avx512");
  if (__builtin_cpu_supports("avx2")) sets.push_back("avx2");
#endif
  sets.push_back("baseline");
  return sets;
}

}  // namespace algos
