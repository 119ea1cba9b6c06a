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
  alignas(64) std::int32_t fixed[W > 0 ? W : 1];
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

inline std::int32_t distance(std::int32_t total, std::int32_t minus) { return std::abs((total - minus) - minus); }

// What a cut is worth with the points summed in `minus` on its - side. For both kinds, moving a point of mass m from
// one side to the other changes the score by at most 2 m, which the bounds below rely on.

// Each class may be voted for on one side and against on the other: sum over classes of |edge|.
struct HammingScore {
  template <int W>
  static std::int32_t of(const std::int32_t* __restrict total, const std::int32_t* __restrict minus, int classes,
                         int width) {
    std::uint32_t score = 0;  // lanes K and K + 1 are no classes; unsigned, since they may wrap around before they go
    for (int l = 0; l < lanes<W>(width); ++l) score += std::uint32_t(distance(total[l], minus[l]));
    score -= std::uint32_t(distance(total[classes], minus[classes]));
    score -= std::uint32_t(distance(total[classes + 1], minus[classes + 1]));
    return std::int32_t(score);
  }
};

// Each side names one class: the largest sum of either side.
struct SingleLabelScore {
  template <int W>
  static std::int32_t of(const std::int32_t* __restrict total, const std::int32_t* __restrict minus, int classes, int) {
    std::int32_t best_minus = minus[0], best_plus = total[0] - minus[0];
    for (int l = 1; l < classes; ++l) {
      best_minus = minus[l] > best_minus ? minus[l] : best_minus;
      best_plus = total[l] - minus[l] > best_plus ? total[l] - minus[l] : best_plus;
    }
    return best_minus + best_plus;
  }
};

// The least score with which a cut after code `last_minus` would replace the best: ties go to the lower column, then
// to the lower threshold.
inline std::int32_t score_needed(const Cut& best, int column, std::int32_t last_minus) {
  const bool comes_first = column < best.feature || (column == best.feature && last_minus < best.last_minus);
  return best.score + (comes_first ? 0 : 1);
}

template <int W>
inline void take(Cut& best, std::int32_t score, int column, std::int32_t last_minus, const std::int32_t* total,
                 const std::int32_t* minus, int width) {
  best.score = score;
  best.feature = column;
  best.last_minus = last_minus;
  for (int l = 0; l < lanes<W>(width); ++l) best.edges[l] = (total[l] - minus[l]) - minus[l];
}

template <int W>
void complete_frequent_bins(const BinnedFeatures& features, const BinnedFeatures::Block& block,
                            const std::int32_t* total, int width, std::int32_t* histogram) {
  Lanes<W> rest(width);
  for (int f = block.first; f < block.last; ++f) {
    clear<W>(rest.data(), width);
    for (std::int64_t b = features.start[f]; b < features.start[f + 1]; ++b)
      add<W>(rest.data(), histogram + b * lanes<W>(width), width);
    std::int32_t* missing = histogram + (features.start[f] + features.frequent_bin[f]) * lanes<W>(width);
    for (int l = 0; l < lanes<W>(width); ++l) missing[l] = total[l] - rest.data()[l];
  }
}

template <int W>
void build_histogram(const BinnedFeatures& features, const std::int32_t* weights, Rows rows, int width,
                     std::int32_t* total, std::int32_t* histogram) {
  constexpr std::int32_t ahead = 8;  // rows of a small node lie far apart
  clear<W>(total, width);
  for (std::size_t k = 0; k < features.blocks.size() || k == 0; ++k) {
    const BinnedFeatures::Block* block = k < features.blocks.size() ? &features.blocks[k] : nullptr;
    std::int32_t* base = block ? histogram + features.start[block->first] * lanes<W>(width) : nullptr;
    for (std::int32_t p = 0; p < rows.count; ++p) {
      const std::int32_t row = rows.index[p];
      const std::int32_t* weight = weights + std::int64_t{row} * lanes<W>(width);
      if (p + ahead < rows.count) {
        const char* next = reinterpret_cast<const char*>(weights + std::int64_t{rows.index[p + ahead]} * lanes<W>(width));
        for (int byte = 0; byte < 4 * lanes<W>(width); byte += 64) __builtin_prefetch(next + byte);
      }
      if (k == 0) add<W>(total, weight, width);
      if (!block) continue;
      for (std::int64_t e = block->row_start[row]; e < block->row_start[row + 1]; ++e)
        add<W>(base + std::int64_t{block->bins[e]} * lanes<W>(width), weight, width);
    }
    if (block) complete_frequent_bins<W>(features, *block, total, width, histogram);
  }
}

// Since moving a point changes the score by at most twice its mass, no cut within a bin of mass m between cuts of
// scores s and t scores more than (s + t) / 2 + m. Twice that bound:
inline std::int64_t twice_bound(std::int32_t score_before, std::int32_t score_after, std::int32_t mass) {
  return std::int64_t{score_before} + score_after + 2 * std::int64_t{mass};
}

// Improves `best` by the cuts between bins of one feature; returns the largest twice_bound of its grouped bins.
template <int W, class Score>
std::int64_t search_between_bins(const BinnedFeatures& features, int f, const NodeSums& node, int classes, int width,
                                 Cut& best) {
  const int column = features.column[f];
  Lanes<W> sums(width);
  std::int32_t* minus = sums.data();
  clear<W>(minus, width);
  std::int32_t before = Score::template of<W>(node.total, minus, classes, width);
  std::int64_t bound = -1;
  for (std::int64_t b = features.start[f]; b < features.start[f + 1]; ++b) {
    const std::int32_t* bin = node.histogram + b * lanes<W>(width);
    if (bin[classes] == 0) continue;  // no point of the node has such a value
    add<W>(minus, bin, width);
    const std::int32_t score = Score::template of<W>(node.total, minus, classes, width);
    if (features.grouped[b] && bin[classes] > 1) {
      const std::int64_t inside = twice_bound(before, score, bin[classes + 1]);
      if (inside > bound) bound = inside;
    }
    before = score;
    if (minus[classes] == node.total[classes]) break;  // the + side is empty
    if (score >= score_needed(best, column, features.last_code[b]))
      take<W>(best, score, column, features.last_code[b], node.total, minus, width);
  }
  return bound;
}

// Improves `best` by the cuts between the values of one bin. `minus` holds the sum of the bins before it.
template <int W, class Score>
void search_in_bin(const BinnedFeatures& features, int f, std::int64_t b, const NodeSums& node,
                   const std::int32_t* weights, int classes, int width, std::int32_t* minus, Cut& best) {
  const std::int32_t* codes = features.codes[f];
  std::int64_t bound = Score::template of<W>(node.total, minus, classes, width);
  std::int32_t last = -1;
  for (std::int64_t p = features.rows_start[b]; p < features.rows_start[b + 1]; ++p) {
    const std::int32_t row = features.rows_by_code[p];
    if (node.node_of[row] != node.node) continue;
    const std::int32_t code = codes[row];
    if (last >= 0 && code != last && bound >= score_needed(best, features.column[f], last)) {
      const std::int32_t score = Score::template of<W>(node.total, minus, classes, width);
      bound = score;
      if (score >= score_needed(best, features.column[f], last))
        take<W>(best, score, features.column[f], last, node.total, minus, width);
    }
    const std::int32_t* weight = weights + std::int64_t{row} * lanes<W>(width);
    add<W>(minus, weight, width);
    bound += 2 * std::int64_t{weight[classes + 1]};
    last = code;
  }
}

template <int W, class Score>
void search_within_bins(const BinnedFeatures& features, int f, const NodeSums& node, const std::int32_t* weights,
                        int classes, int width, Cut& best) {
  Lanes<W> sums(width), inside(width);
  std::int32_t* minus = sums.data();
  clear<W>(minus, width);
  std::int32_t before = Score::template of<W>(node.total, minus, classes, width);
  for (std::int64_t b = features.start[f]; b < features.start[f + 1]; ++b) {
    const std::int32_t* bin = node.histogram + b * lanes<W>(width);
    if (bin[classes] == 0) continue;
    std::memcpy(inside.data(), minus, sizeof(std::int32_t) * lanes<W>(width));
    add<W>(minus, bin, width);
    const std::int32_t score = Score::template of<W>(node.total, minus, classes, width);
    const std::int64_t bound = twice_bound(before, score, bin[classes + 1]);
    before = score;
    // The bin's first code is the lowest possible threshold inside it, the easiest one to win a tie with.
    const std::int32_t first_code = b == features.start[f] ? 0 : features.last_code[b - 1] + 1;
    if (features.grouped[b] && bin[classes] > 1 &&
        bound >= 2 * std::int64_t{score_needed(best, features.column[f], first_code)})
      search_in_bin<W, Score>(features, f, b, node, weights, classes, width, inside.data(), best);
  }
}

template <int W, class Score>
void search(const BinnedFeatures& features, const NodeSums& node, const std::int32_t* weights, int classes, int width,
            Cut& best) {
  const int n_features = int(features.column.size());
  std::vector<std::int64_t> bounds(n_features);
  for (int f = 0; f < n_features; ++f)
    bounds[f] = search_between_bins<W, Score>(features, f, node, classes, width, best);
  for (int f = 0; f < n_features; ++f)
    if (bounds[f] >= 2 * std::int64_t{score_needed(best, features.column[f], 0)})
      search_within_bins<W, Score>(features, f, node, weights, classes, width, best);
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
void reweight(double* signed_weights, const std::int32_t* leaf_of, const double* positive, const double* negative,
              int n, int classes, int width, double* sums, std::int32_t* weights) {
  for (int i = 0; i < n; ++i) {
    double* __restrict weight = signed_weights + std::int64_t{i} * lanes<W>(width);
    const double* __restrict if_positive = positive + std::int64_t{leaf_of[i]} * lanes<W>(width);
    const double* __restrict if_negative = negative + std::int64_t{leaf_of[i]} * lanes<W>(width);
    std::int32_t* __restrict fixed = weights + std::int64_t{i} * lanes<W>(width);
    std::int32_t mass = 0;
    for (int l = 0; l < lanes<W>(width); ++l) {
      const double updated = weight[l] * (weight[l] > 0 ? if_positive[l] : if_negative[l]);
      weight[l] = updated;
      sums[l] += std::fabs(updated);
      fixed[l] = round_to_int(updated * kFixedPointScale);
      mass += std::abs(fixed[l]);
    }
    fixed[classes] = 1;
    fixed[classes + 1] = mass;
  }
}

template <int W>
SearchKernels table() {
  return {build_histogram<W>, search<W, HammingScore>, search<W, SingleLabelScore>, leaf_edges<W>, reweight<W>};
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
