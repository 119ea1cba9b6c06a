// Compiled once for each instruction set: ALGOS_ISA names the namespace. Integer sums are exact and each double is
// computed by the same operations without contraction, so every instruction set gives the same bits.
#include "gradient_tree_search.hpp"

#include <cmath>
#include <cstring>

namespace algos::ALGOS_ISA {
namespace {

using Pair = std::int64_t __attribute__((vector_size(16)));  // Sums in one register
static_assert(sizeof(Pair) == sizeof(Sums));

inline Pair load(const Sums* sums) {
  Pair pair;
  std::memcpy(&pair, sums, sizeof pair);
  return pair;
}

inline void store(Sums* sums, Pair pair) { std::memcpy(sums, &pair, sizeof pair); }

// Nearest integer, halves to even, for |x| < 2^51: adding 1.5 * 2^52 leaves it in the low bits of the double.
inline std::int64_t round_to_int(double x) {
  constexpr double magic = 6755399441055744.0;
  constexpr std::int64_t bits_of_magic = 0x4338000000000000;
  const double shifted = x + magic;
  std::int64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  return bits - bits_of_magic;
}

template <int Sign>
void add_listed(const BinBlock& block, const Sums* gradients, const std::int32_t* rows, std::int64_t count,
                Sums* base) {
  constexpr std::int64_t ahead = 8;  // rows of a small node lie far apart
  for (std::int64_t p = 0; p < count; ++p) {
    const std::int64_t row = rows[p];
    if (p + ahead < count) {
      __builtin_prefetch(block.bins + block.row_start[rows[p + ahead]]);
      __builtin_prefetch(gradients + rows[p + ahead]);
    }
    const Pair value = load(gradients + row);
    const std::uint16_t* end = block.bins + block.row_start[row + 1];
    for (const std::uint16_t* bin = block.bins + block.row_start[row]; bin < end; ++bin)
      store(base + *bin, Sign > 0 ? load(base + *bin) + value : load(base + *bin) - value);
  }
}

void add_rows(const BinBlock& block, const Sums* gradients, const std::int32_t* rows, std::int64_t count, int sign,
              Sums total, Sums* histogram) {
  Sums* base = histogram + block.start[block.first];
  if (sign > 0) add_listed<1>(block, gradients, rows, count, base);
  else add_listed<-1>(block, gradients, rows, count, base);
  for (int f = block.first; f < block.last; ++f) {
    Sums* frequent = histogram + block.start[f] + block.frequent_bin[f];
    *frequent = Sums{};
    Pair missing = load(&total);
    for (std::int64_t b = block.start[f]; b < block.start[f + 1]; ++b) missing -= load(histogram + b);
    store(frequent, missing);
  }
}

// Sums of the - side of each cut, a cut being named by the last bin on that side.
void running_sums(const Sums* histogram, const std::int64_t* start, std::int64_t n_features, std::int64_t* g,
                  std::int64_t* w) {
  for (std::int64_t f = 0; f < n_features; ++f) {
    Pair sum = {0, 0};
    for (std::int64_t b = start[f]; b < start[f + 1]; ++b) {
      sum += load(histogram + b);
      g[b] = sum[0];
      w[b] = sum[1];
    }
  }
}

std::int64_t search(const Sums* histogram, const std::int64_t* start, std::int64_t n_features, Sums total,
                    int count_bits, std::int64_t least, std::int64_t padded, double* scratch, double* score) {
  constexpr int lanes = 8;
  double* __restrict scores = scratch;
  std::int64_t* __restrict g = reinterpret_cast<std::int64_t*>(scratch + padded);
  std::int64_t* __restrict w = g + padded;
  running_sums(histogram, start, n_features, g, w);
  for (std::int64_t b = start[n_features]; b < padded; ++b) g[b] = w[b] = 0;
  const std::int64_t mask = (std::int64_t{1} << count_bits) - 1;
  const std::int64_t most = (total.w & mask) - least;
  const std::int64_t total_w = total.w >> count_bits;
  double best[lanes];
  for (int l = 0; l < lanes; ++l) best[l] = -1;
  for (std::int64_t b = 0; b < padded; b += lanes) {
    for (int l = 0; l < lanes; ++l) {
      const std::int64_t rows = w[b + l] & mask;
      const double left_w = double(w[b + l] >> count_bits), right_w = double(total_w - (w[b + l] >> count_bits));
      const double left = double(g[b + l]), right = double(total.g - g[b + l]);
      const double both = left_w * right_w;
      const double gain = (left * left * right_w + right * right * left_w) / both;
      const bool allowed = (rows >= least) & (rows <= most) & (both > 0);
      const double found = allowed ? gain : -1;
      scores[b + l] = found;
      best[l] = found > best[l] ? found : best[l];
    }
  }
  for (int l = 1; l < lanes; ++l) best[0] = best[l] > best[0] ? best[l] : best[0];
  *score = best[0];
  if (best[0] < 0) return -1;
  std::int64_t first = 0;
  while (scores[first] != best[0]) ++first;
  return first;
}

// exp(x) for x <= 0, within two units in the last place, down to exp(-708); smaller x give that.
inline double exp_of_negative(double x) {
  constexpr double magic = 6755399441055744.0;
  x = x < -708.0 ? -708.0 : x;
  const double shifted = x * 1.4426950408889634 + magic;  // the power of two, in the low bits
  const double power = shifted - magic;
  const double r = (x - power * 6.93147180369123816490e-01) - power * 1.90821492927058770002e-10;
  double y = 1.0 / 6227020800.0;
  y = y * r + 1.0 / 479001600.0;
  y = y * r + 1.0 / 39916800.0;
  y = y * r + 1.0 / 3628800.0;
  y = y * r + 1.0 / 362880.0;
  y = y * r + 1.0 / 40320.0;
  y = y * r + 1.0 / 5040.0;
  y = y * r + 1.0 / 720.0;
  y = y * r + 1.0 / 120.0;
  y = y * r + 1.0 / 24.0;
  y = y * r + 1.0 / 6.0;
  y = y * r + 0.5;
  y = y * r * r + r + 1.0;
  std::int64_t bits, exponent;
  std::memcpy(&bits, &y, sizeof bits);
  std::memcpy(&exponent, &shifted, sizeof exponent);
  bits += exponent << 52;
  std::memcpy(&y, &bits, sizeof y);
  return y;
}

void softmax(const std::int32_t* __restrict labels, std::int64_t count, int classes, const double* scores,
             std::int64_t stride, double* probabilities, double* losses, double* residuals) {
  double most[kSoftmaxBlock], sum[kSoftmaxBlock], others[kSoftmaxBlock];
  for (std::int64_t i = 0; i < count; ++i) {
    most[i] = scores[i];
    sum[i] = others[i] = 0;
  }
  for (int k = 1; k < classes; ++k) {
    const double* __restrict score = scores + k * stride;
    for (std::int64_t i = 0; i < count; ++i) most[i] = score[i] > most[i] ? score[i] : most[i];
  }
  for (int k = 0; k < classes; ++k) {
    const double* __restrict score = scores + k * stride;
    double* __restrict p = probabilities + k * stride;
    for (std::int64_t i = 0; i < count; ++i) {
      const double e = exp_of_negative(score[i] - most[i]);
      p[i] = e;
      sum[i] += e;
      others[i] += labels[i] == k ? 0.0 : e;
    }
  }
  for (int k = 0; k < classes; ++k) {
    double* __restrict p = probabilities + k * stride;
    for (std::int64_t i = 0; i < count; ++i) p[i] /= sum[i];
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const double score = scores[labels[i] * stride + i];
    // Where the label has the highest score its exponential is 1, and the small others are summed without it.
    losses[i] = score == most[i] ? std::log1p(others[i]) : std::log(sum[i]) + (most[i] - score);
    residuals[i] = others[i] / sum[i];
  }
}

inline double residual(std::int32_t label, int k, double p) { return (label == k ? 1.0 : 0.0) - p; }

inline double pair_hessian(double p, double q) { return (p * (1 - p) + q * (1 - q)) + 2 * (p * q); }

inline void put(Sums* gradients, std::int64_t* hessians, std::int64_t at, std::int64_t g, double h, double w,
                std::int32_t count, const FixedPoint& scale) {
  gradients[at].g = g;
  gradients[at].w = (round_to_int(w * scale.w) << scale.count_bits) + count;
  hessians[at] = round_to_int(h * scale.h);
}

void class_gradients(const RowValues& rows, int plus, const double* __restrict p, const FixedPoint& scale,
                     bool least_squares, Sums* __restrict gradients, std::int64_t* __restrict hessians) {
  const FixedPoint factors = scale;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const double weight = rows.weights[i];
    const double h = p[i] * (1 - p[i]) * weight;
    const std::int64_t g = round_to_int(residual(rows.labels[i], plus, p[i]) * weight * factors.g);
    put(gradients, hessians, i, g, h, least_squares ? weight : h, rows.counts[i], factors);
  }
}

void pair_gradients(const RowValues& rows, int plus, int minus, const double* __restrict p, const double* __restrict q,
                    const FixedPoint& scale, bool least_squares, Sums* __restrict gradients,
                    std::int64_t* __restrict hessians) {
  const FixedPoint factors = scale;
  for (std::int64_t i = 0; i < rows.n; ++i) {
    const double weight = rows.weights[i];
    const double h = pair_hessian(p[i], q[i]) * weight;
    const std::int64_t g = round_to_int(residual(rows.labels[i], plus, p[i]) * weight * factors.g) -
                           round_to_int(residual(rows.labels[i], minus, q[i]) * weight * factors.g);
    put(gradients, hessians, i, g, h, least_squares ? weight : h, rows.counts[i], factors);
  }
}

void sum_residuals(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width,
                   const double* by_row, const FixedPoint& scale, std::int64_t* __restrict sums) {
  for (int k = 0; k < width; ++k) sums[k] = 0;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int32_t row = index[at], label = rows.labels[row];
    const double weight = rows.weights[row];
    const double* __restrict p = by_row + std::int64_t{row} * width;
    for (int k = 0; k < width; ++k) sums[k] += round_to_int((0.0 - p[k]) * weight * scale.g);
    sums[label] += round_to_int(residual(label, label, p[label]) * weight * scale.g) -
                   round_to_int((0.0 - p[label]) * weight * scale.g);
  }
}

void sum_pair_hessians(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width, int plus,
                       const double* by_row, const FixedPoint& scale, std::int64_t* __restrict sums) {
  for (int k = 0; k < width; ++k) sums[k] = 0;
  for (std::int64_t at = 0; at < count; ++at) {
    const double weight = rows.weights[index[at]];
    const double* __restrict p = by_row + std::int64_t{index[at]} * width;
    const double of_plus = p[plus];
    for (int k = 0; k < width; ++k) sums[k] += round_to_int(pair_hessian(of_plus, p[k]) * weight * scale.w);
  }
}

void node_gradients(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width, int plus,
                    int minus, const double* by_row, const FixedPoint& scale, Sums* gradients,
                    std::int64_t* hessians) {
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t row = index[at];
    const double* values = by_row + row * width;
    const double p = values[plus], q = values[minus], weight = rows.weights[row];
    const double h = pair_hessian(p, q) * weight;
    const std::int64_t g = round_to_int(residual(rows.labels[row], plus, p) * weight * scale.g) -
                           round_to_int(residual(rows.labels[row], minus, q) * weight * scale.g);
    put(gradients, hessians, row, g, h, h, rows.counts[row], scale);
  }
}

}  // namespace

TreeKernels tree_kernels() {
  return {add_rows,      search,         softmax,           class_gradients,
          pair_gradients, sum_residuals, sum_pair_hessians, node_gradients};
}

}  // namespace algos::ALGOS_ISA
