// Rows of a matrix times a vector, and orders of visits: what the coordinate descents share. Included by the sources that
// are compiled once for each instruction set. Sums run in a fixed order of lanes, so all instruction sets give the same
// bits.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "svm_plus_loops.hpp"

namespace algos::ALGOS_ISA {

inline double dot(const double* __restrict x, const double* __restrict z, int width) {
  constexpr int kLanes = 16;
  double lane[kLanes] = {};
  int f = 0;
  for (; f + kLanes <= width; f += kLanes)
    for (int u = 0; u < kLanes; ++u) lane[u] += x[f + u] * z[f + u];
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int u = 0; u < half; ++u) lane[u] += lane[u + half];
  double rest = 0;
  for (; f < width; ++f) rest += x[f] * z[f];
  return lane[0] + rest;
}

inline void add(double t, const double* __restrict x, double* __restrict z, int width) {
  for (int f = 0; f < width; ++f) z[f] += t * x[f];
}

struct DenseRows {
  const double* value;
  int width;
  explicit DenseRows(const Rows& rows) : value(rows.value), width(rows.width) {}
  const double* row(std::int64_t j) const { return value + j * width; }
  double times(std::int64_t j, const double* z) const { return dot(row(j), z, width); }
  void add_to(double* z, std::int64_t j, double t) const { add(t, row(j), z, width); }
  template <class Visit>
  void each(std::int64_t j, Visit visit) const {
    for (int f = 0; f < width; ++f) visit(f, row(j)[f]);
  }
};

struct SparseRows {
  const double* value;
  const std::int64_t* start;
  const std::int32_t* column;
  explicit SparseRows(const Rows& rows) : value(rows.value), start(rows.start), column(rows.column) {}
  double times(std::int64_t j, const double* z) const {
    std::int64_t e = start[j];
    const std::int64_t end = start[j + 1];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; e + 4 <= end; e += 4) {
      s0 += value[e] * z[column[e]];
      s1 += value[e + 1] * z[column[e + 1]];
      s2 += value[e + 2] * z[column[e + 2]];
      s3 += value[e + 3] * z[column[e + 3]];
    }
    for (; e < end; ++e) s0 += value[e] * z[column[e]];
    return (s0 + s1) + (s2 + s3);
  }
  void add_to(double* z, std::int64_t j, double t) const {
    for (std::int64_t e = start[j]; e < start[j + 1]; ++e) z[column[e]] += t * value[e];
  }
  template <class Visit>
  void each(std::int64_t j, Visit visit) const {
    for (std::int64_t e = start[j]; e < start[j + 1]; ++e) visit(column[e], value[e]);
  }
};

// Sparse rows whose entries are all equal, such as words that are there or not: a third of the memory to read.
struct EvenRows {
  const std::int64_t* start;
  const std::int32_t* column;
  std::vector<double> value;  // of each row
  explicit EvenRows(const Rows& rows) : start(rows.start), column(rows.column), value(rows.n) {
    for (std::int64_t j = 0; j < rows.n; ++j)
      if (start[j] < start[j + 1]) value[j] = rows.value[start[j]];
  }
  static bool fits(const Rows& rows) {
    for (std::int64_t j = 0; j < rows.n; ++j)
      for (std::int64_t e = rows.start[j]; e < rows.start[j + 1]; ++e)
        if (rows.value[e] != rows.value[rows.start[j]]) return false;
    return true;
  }
  double times(std::int64_t j, const double* z) const {
    std::int64_t e = start[j];
    const std::int64_t end = start[j + 1];
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (; e + 4 <= end; e += 4) {
      s0 += z[column[e]];
      s1 += z[column[e + 1]];
      s2 += z[column[e + 2]];
      s3 += z[column[e + 3]];
    }
    for (; e < end; ++e) s0 += z[column[e]];
    return value[j] * ((s0 + s1) + (s2 + s3));
  }
  void add_to(double* z, std::int64_t j, double t) const {
    const double step = t * value[j];
    for (std::int64_t e = start[j]; e < start[j + 1]; ++e) z[column[e]] += step;
  }
  template <class Visit>
  void each(std::int64_t j, Visit visit) const {
    for (std::int64_t e = start[j]; e < start[j + 1]; ++e) visit(column[e], value[j]);
  }
};

template <class Call>
inline void with_dense_or_sparse(const Rows& rows, Call call) {
  if (rows.start) call(SparseRows(rows));
  else call(DenseRows(rows));
}

template <class Call>
inline void with_rows(const Rows& rows, Call call) {
  if (rows.start && EvenRows::fits(rows)) call(EvenRows(rows));
  else with_dense_or_sparse(rows, call);
}

// SplitMix64: the same order of visits on every machine and with every library.
class Shuffler {
 public:
  explicit Shuffler(std::uint64_t seed) : state_(seed) {}
  void operator()(std::vector<std::int32_t>& order) {
    for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[next() % left]);
  }

 private:
  std::uint64_t next() {
    std::uint64_t x = (state_ += 0x9e3779b97f4a7c15u);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t state_;
};

inline std::vector<std::int32_t> counting(std::int64_t n) {
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace algos::ALGOS_ISA
