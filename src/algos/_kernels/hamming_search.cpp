// Compiled once for each instruction set: ALGOS_ISA names the namespace. Integer sums are exact and the doubles are
// added in a fixed order without contraction, so every instruction set gives the same bits.
#include "hamming_search.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>

namespace algos::ALGOS_ISA {
namespace {

// W is the row width known to the compiler; 0 stands for one known only at run time.
template <int W>
inline int lanes(int width) {
  return W > 0 ? W : width;
}

template <int W>
struct Lanes {
  std::int32_t fixed[W > 0 ? W : 1];
  std::vector<std::int32_t> dynamic;
  explicit Lanes(int width) {
    if constexpr (W == 0) dynamic.resize(width);
  }
  std::int32_t* data() {
    if constexpr (W > 0) return fixed;
    else return dynamic.data();
  }
};

template <int W>
inline void clear(std::int32_t* row, int width) {
  for (int l = 0; l < lanes<W>(width); ++l) row[l] = 0;
}

template <int W>
inline void add(std::int32_t* __restrict to, const std::int32_t* __restrict from, int width) {
  for (int l = 0; l < lanes<W>(width); ++l) to[l] += from[l];
}

// Sum over classes of |edge| when the points summed in `minus` are on the - side.
template <int W>
inline std::int32_t cut_score(const std::int32_t* __restrict total, const std::int32_t* __restrict minus, int classes,
                              int width) {
  std::int32_t score = 0;
  for (int l = 0; l < lanes<W>(width); ++l) score += std::abs((total[l] - minus[l]) - minus[l]);
  return score - std::abs((total[classes] - minus[classes]) - minus[classes]);  // the lane of counts is no class
}

// The least score that would replace the best: ties go to the lower column, then to the lower threshold.
inline std::int32_t score_needed(const Cut& best, int column) { return best.score + (column > best.feature ? 1 : 0); }

template <int W>
inline void take(Cut& best, std::int32_t score, int column, int slot, std::int32_t last_minus, bool presorted,
                 const std::int32_t* total, const std::int32_t* minus, int width) {
  best.score = score;
  best.feature = column;
  best.slot = slot;
  best.last_minus = last_minus;
  best.presorted = presorted;
  for (int l = 0; l < lanes<W>(width); ++l) best.edges[l] = (total[l] - minus[l]) - minus[l];
}

template <int W>
void sum_rows(const std::int32_t* weights, Rows rows, int width, std::int32_t* total) {
  Lanes<W> sum(width);
  clear<W>(sum.data(), width);
  for (std::int32_t p = 0; p < rows.count; ++p)
    add<W>(sum.data(), weights + std::int64_t{rows.index[p]} * lanes<W>(width), width);
  std::memcpy(total, sum.data(), sizeof(std::int32_t) * lanes<W>(width));
}

template <int W>
void complete_frequent_bins(const HistogramFeatures& features, const HistogramBlock& block, const std::int32_t* total,
                            int width, std::int32_t* histogram) {
  Lanes<W> rest(width);
  for (int f = block.first_feature; f < block.last_feature; ++f) {
    clear<W>(rest.data(), width);
    for (std::int64_t b = features.start[f]; b < features.start[f + 1]; ++b)
      add<W>(rest.data(), histogram + b * lanes<W>(width), width);
    std::int32_t* missing = histogram + (features.start[f] + features.frequent_bin[f]) * lanes<W>(width);
    for (int l = 0; l < lanes<W>(width); ++l) missing[l] = total[l] - rest.data()[l];
  }
}

template <int W>
void build_histogram(const HistogramFeatures& features, const std::int32_t* weights, Rows rows, int width,
                     const std::int32_t* total, std::int32_t* histogram) {
  for (const HistogramBlock& block : features.blocks) {
    std::int32_t* base = histogram + block.first_bin * lanes<W>(width);
    for (std::int32_t p = 0; p < rows.count; ++p) {
      const std::int32_t row = rows.index[p];
      const std::int32_t* weight = weights + std::int64_t{row} * lanes<W>(width);
      for (std::int64_t e = block.row_start[row]; e < block.row_start[row + 1]; ++e)
        add<W>(base + std::int64_t{block.bins[e]} * lanes<W>(width), weight, width);
    }
    complete_frequent_bins<W>(features, block, total, width, histogram);
  }
}

template <int W>
void scan_histogram(const HistogramFeatures& features, const std::int32_t* histogram, const std::int32_t* total,
                    int classes, int width, Cut& best) {
  Lanes<W> sums(width);
  std::int32_t* minus = sums.data();
  for (std::size_t f = 0; f < features.column.size(); ++f) {
    const int column = features.column[f];
    std::int32_t needed = score_needed(best, column);
    clear<W>(minus, width);
    for (std::int64_t b = features.start[f]; b < features.start[f + 1]; ++b) {
      const std::int32_t* bin = histogram + b * lanes<W>(width);
      if (bin[classes] == 0) continue;  // no point of the node has this value
      add<W>(minus, bin, width);
      if (minus[classes] == total[classes]) break;  // the + side is empty
      const std::int32_t score = cut_score<W>(total, minus, classes, width);
      if (score < needed) continue;
      take<W>(best, score, column, static_cast<int>(f), static_cast<std::int32_t>(b - features.start[f]), false,
              total, minus, width);
      needed = score + 1;
    }
  }
}

template <int W>
void scan_presorted(int column, int slot, const std::int32_t* codes, Rows order, const std::int32_t* weights,
                    const std::int32_t* mass, const std::int32_t* total, int classes, int width, Cut& best) {
  Lanes<W> sums(width);
  std::int32_t* minus = sums.data();
  clear<W>(minus, width);
  std::int32_t needed = score_needed(best, column);
  // Moving a point changes the score by at most twice its mass: no cut is scored while that bound is too low.
  std::int64_t bound = cut_score<W>(total, minus, classes, width);
  for (std::int32_t p = 0; p + 1 < order.count; ++p) {
    const std::int32_t row = order.index[p];
    add<W>(minus, weights + std::int64_t{row} * lanes<W>(width), width);
    bound += 2 * std::int64_t{mass[row]};
    if (bound < needed || codes[row] == codes[order.index[p + 1]]) continue;
    const std::int32_t score = cut_score<W>(total, minus, classes, width);
    bound = score;
    if (score < needed) continue;
    take<W>(best, score, column, slot, codes[row], true, total, minus, width);
    needed = score + 1;
  }
}

template <int W>
void leaf_edges(const double* signed_weights, const std::int32_t* leaf_of, const double* votes, int n, int width,
                double* edges) {
  for (int i = 0; i < n; ++i) {
    const double* weight = signed_weights + std::int64_t{i} * lanes<W>(width);
    const double* vote = votes + std::int64_t{leaf_of[i]} * lanes<W>(width);
    for (int l = 0; l < lanes<W>(width); ++l) edges[l] += weight[l] * vote[l];
  }
}

// Nearest integer, halves to even, for |x| < 2^51: adding 1.5 * 2^52 pushes the fraction out of the mantissa.
inline std::int32_t round_to_int(double x) {
  constexpr double magic = 6755399441055744.0;
  return static_cast<std::int32_t>((x + magic) - magic);
}

template <int W>
void reweight(double* signed_weights, const std::int32_t* leaf_of, const double* votes, int n, int classes, int width,
              double right, double wrong, double* sums, std::int32_t* weights, std::int32_t* mass) {
  for (int i = 0; i < n; ++i) {
    double* __restrict weight = signed_weights + std::int64_t{i} * lanes<W>(width);
    const double* __restrict vote = votes + std::int64_t{leaf_of[i]} * lanes<W>(width);
    std::int32_t* __restrict fixed = weights + std::int64_t{i} * lanes<W>(width);
    std::int32_t row_mass = 0;
    for (int l = 0; l < lanes<W>(width); ++l) {
      const double updated = weight[l] * (weight[l] * vote[l] > 0 ? right : wrong);
      weight[l] = updated;
      sums[l] += std::fabs(updated);
      fixed[l] = round_to_int(updated * kFixedPointScale);
      row_mass += std::abs(fixed[l]);
    }
    mass[i] = row_mass;
    fixed[classes] = 1;
  }
}

template <int W>
SearchKernels table() {
  return {sum_rows<W>,       build_histogram<W>, scan_histogram<W>,
          scan_presorted<W>, leaf_edges<W>,      reweight<W>};
}

}  // namespace

SearchKernels kernels(int width) {
  switch (width) {
    case 4: return table<4>();
    case 8: return table<8>();
    case 16: return table<16>();
    case 32: return table<32>();
    case 48: return table<48>();
    case 64: return table<64>();
    default: return table<0>();
  }
}

}  // namespace algos::ALGOS_ISA
