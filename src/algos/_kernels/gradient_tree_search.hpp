// The vector loops of gradient boosting, compiled once for each instruction set (see gradient_tree_search.cpp).
//
// A tree is grown on pairs (g, w) of a row: g is its gradient, w what a squared sum of gradients is divided by in the
// gain S^2/W: a Hessian (Newton steps, robust LogitBoost) or the row's weight (least squares, MART). Both are rounded
// to fixed point, so every order of summation gives the same number and ties are ties. The low bits of w count rows.
#pragma once

#include <cstdint>
#include <string>

namespace algos {

struct Sums {
  std::int64_t g = 0, w = 0;
};

// Factors (powers of two) that turn gradients and Hessians into fixed point.
struct FixedPoint {
  double g = 1, w = 1;  // what searches sum
  double h = 1;         // Hessians of the leaves' values, more exact than w
  int count_bits = 1;   // low bits of w
  std::int64_t count_mask() const { return (std::int64_t{1} << count_bits) - 1; }
};

// The bins of all features, one after the other, and the rows' bins in one block of neighbouring features.
struct BinBlock {
  int first = 0, last = 0;               // features [first, last)
  const std::int64_t* row_start;         // n + 1 offsets into bins
  const std::uint16_t* bins;             // relative to the block's first bin; a feature's most frequent bin is left out
  const std::int64_t* start;             // feature -> its first bin; one more entry at the end
  const std::int32_t* frequent_bin;      // feature -> its most frequent bin, relative to `start`
};

// What a round knows of every row.
struct RowValues {
  std::int64_t n;
  const std::int32_t* labels;
  const double* weights;
  const std::int32_t* counts;  // what a row counts for in the least size of a leaf
};

struct TreeKernels {
  // sign * (g, w) of the rows are added to the histogram's bins, and the frequent bins are made what is missing of
  // `total`, the sum of the rows that the histogram then holds.
  void (*add_rows)(const BinBlock& block, const Sums* gradients, const std::int32_t* rows, std::int64_t count,
                   int sign, Sums total, Sums* histogram);
  // The best cut of a node with these histogram and total: the first bin of highest S_L^2/W_L + S_R^2/W_R, among cuts
  // that leave a count of `least` and a positive w on each side; -1 where there is none. `scratch` holds 3 * padded numbers.
  std::int64_t (*search)(const Sums* histogram, const std::int64_t* start, std::int64_t n_features, Sums total,
                         int count_bits, std::int64_t least, std::int64_t padded, double* scratch, double* score);
  // Probabilities of some rows from their scores, both classes x stride; the loss -log p of each row's label and 1 - p
  // of it.
  void (*softmax)(const std::int32_t* labels, std::int64_t count, int classes, const double* scores,
                  std::int64_t stride, double* probabilities, double* losses, double* residuals);
  // (g, w) and Hessians of one class, or of a pair of them, from their probabilities.
  void (*class_gradients)(const RowValues& rows, int plus, const double* p, const FixedPoint& scale,
                          bool least_squares, Sums* gradients, std::int64_t* hessians);
  void (*pair_gradients)(const RowValues& rows, int plus, int minus, const double* p, const double* q,
                         const FixedPoint& scale, bool least_squares, Sums* gradients, std::int64_t* hessians);
  // For some rows of n x width probabilities: sums of the residuals of each class, and of the Hessians of the pairs
  // (plus, k), in the units of g and w.
  void (*sum_residuals)(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width,
                        const double* by_row, const FixedPoint& scale, std::int64_t* sums);
  void (*sum_pair_hessians)(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width, int plus,
                            const double* by_row, const FixedPoint& scale, std::int64_t* sums);
  // (g, w) and Hessians of the pair (plus, minus) for some rows of n x width probabilities.
  void (*node_gradients)(const RowValues& rows, const std::int32_t* index, std::int64_t count, int width, int plus,
                         int minus, const double* by_row, const FixedPoint& scale, Sums* gradients,
                         std::int64_t* hessians);
};

constexpr std::int64_t kSoftmaxBlock = 128;  // most rows that `softmax` takes at once

// The kernels of an instruction set of this machine.
TreeKernels tree_kernels(const std::string& instruction_set);

namespace baseline {
TreeKernels tree_kernels();
}
#ifdef ALGOS_X86
namespace avx2 {
TreeKernels tree_kernels();
}
namespace avx512 {
TreeKernels tree_kernels();
}
#endif

}  // namespace algos
