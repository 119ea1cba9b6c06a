// Vector loops over logistics, compiled once for each instruction set (namespace ALGOS_ISA).
#include "logistic.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace algos::ALGOS_ISA {

namespace {

// Sums run over this many lanes in every instruction set, so that all give the same bits.
constexpr int kLanes = 16;
// Factors 1 + e^-|t| lie in [1, 2]: the product of this many is a float, and that of all lanes' products a double.
constexpr int kFactors = 60;
constexpr double kLog2 = 0.69314718055994531;

// e^x for x in [-87, 0] to about one unit in the last place: 2^n times a polynomial on [-ln2/2, ln2/2].
inline float exp_negative(float x) {
  constexpr float log2e = 1.44269504f, ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  constexpr float magic = 12582912.0f;  // 1.5 * 2^23 pushes the fraction out of the mantissa
  const float n = (x * log2e + magic) - magic;
  const float r = (x - n * ln2_high) - n * ln2_low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  std::int32_t bits;
  std::memcpy(&bits, &p, sizeof bits);
  bits += static_cast<std::int32_t>(n) << 23;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

// Of each t = f_r - f_y: its logistic s, and max(t, 0) and e^-|t|, for log(1 + e^t) = max(t, 0) + log(1 + e^-|t|).
void logistics(const float* __restrict t, int n, float* __restrict s, float* __restrict above, float* __restrict tail) {
  for (int r = 0; r < n; ++r) {
    const float x = t[r];
    const float size = std::fabs(x);
    const float e = exp_negative(size > 87.0f ? -87.0f : -size);
    const float numerator = x >= 0.0f ? 1.0f : e;
    tail[r] = e;
    above[r] = (size + x) * 0.5f;
    s[r] = numerator / (1.0f + e);
  }
}

float sum(const float* __restrict values, int n) {
  float lanes[kLanes] = {};
  for (int r = 0; r < n; r += kLanes)
    for (int l = 0; l < kLanes; ++l) lanes[l] += values[r + l];
  for (int half = kLanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  return lanes[0];
}

// Sum of log(1 + e) over values e in [0, 1]. Products less 1 are kept, q' = q + e (1 + q), so that small losses keep
// their digits.
double sum_of_logarithms(const float* __restrict values, int n) {
  double total = 0;
  for (int first = 0; first < n; first += kFactors * kLanes) {
    float lanes[kLanes] = {};
    const int last = std::min(n, first + kFactors * kLanes);
    for (int r = first; r < last; r += kLanes)
      for (int l = 0; l < kLanes; ++l) lanes[l] += values[r + l] * (1.0f + lanes[l]);
    double products[kLanes];
    std::copy(lanes, lanes + kLanes, products);
    for (int half = kLanes / 2; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) products[l] += products[l + half] * (1.0 + products[l]);
    total += std::log1p(products[0]);
  }
  return total;
}

void margin_loss(float* scores, const std::int32_t* labels, const float* weights, std::int64_t n, int classes,
                 double* losses) {
  const int padded = (classes + kLanes - 1) / kLanes * kLanes;
  // The padding's logistics are below 2^-125 and change no sum.
  AlignedVector<float> t(padded, -87.0f), s(padded), above(padded), tail(padded);
  for (std::int64_t i = 0; i < n; ++i) {
    float* __restrict f = scores + i * classes;
    const float own = f[labels[i]];
    for (int r = 0; r < classes; ++r) t[r] = f[r] - own;
    t[labels[i]] = -87.0f;  // its log 2 is added in double, so that it does not cost the others their digits
    logistics(t.data(), padded, s.data(), above.data(), tail.data());
    losses[i] = kLog2 + sum(above.data(), padded) + sum_of_logarithms(tail.data(), padded);
    const float weight = weights[i];
    for (int r = 0; r < classes; ++r) f[r] = weight * s[r];
    f[labels[i]] = -weight * sum(s.data(), padded);
  }
}

void unit_step(const float* logits, const float* direction, const float* __restrict step, const float* coefficients,
               std::int64_t n, int classes, float* moved, float* slope, double* values) {
  constexpr int kRows = 64;  // summed in floats before they are added to the doubles
  AlignedVector<float> sums(classes);
  std::fill(values, values + classes, 0.0);
  for (std::int64_t first = 0; first < n; first += kRows) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::int64_t i = first; i < std::min(n, first + kRows); ++i) {
      const float* __restrict z = logits + i * classes;
      const float* __restrict d = direction + i * classes;
      const float* __restrict c = coefficients + i * classes;
      float* __restrict to = moved + i * classes;
      float* __restrict q = slope + i * classes;
      float* __restrict sum = sums.data();
      for (int r = 0; r < classes; ++r) {
        const float x = z[r] + step[r] * d[r];
        const float size = std::fabs(x);
        const float e = exp_negative(size > 87.0f ? -87.0f : -size);
        const float share = 1.0f / (1.0f + e);
        const float s = (x >= 0.0f ? 1.0f : e) * share;
        to[r] = x;
        q[r] = c[r] * (e * share * share);
        sum[r] += c[r] * s;
      }
    }
    for (int r = 0; r < classes; ++r) values[r] += sums[r];
  }
}

}  // namespace

LogisticKernels kernels() { return {margin_loss, unit_step}; }

}  // namespace algos::ALGOS_ISA
