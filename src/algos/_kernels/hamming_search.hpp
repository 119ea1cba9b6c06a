// The vector loops of Hamming-tree boosting, compiled once for each instruction set (see hamming_search.cpp).
//
// Signed weights are w_il * y_il (Kegl 2014, eq. 3). Searches sum them in fixed point (int32, 2^30 = the whole
// weight 1), so every order of summation gives the same number and ties are ties. Rows are padded to `width` lanes;
// lane K of a fixed-point row holds 1, so that a sum over rows also counts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace algos {

constexpr double kFixedPointScale = 1073741824.0;  // 2^30

// The best cut found so far at one node. Feature -1 is the constant classifier (all points on the + side).
struct Cut {
  std::int32_t score = 0;       // sum over classes of |class-wise edge|, fixed point
  std::int32_t feature = -1;    // column of the data matrix
  std::int32_t slot = -1;       // place among the histogram or the presorted features
  std::int32_t last_minus = 0;  // code of the largest value on the - side
  bool presorted = false;
  std::vector<std::int32_t> edges;  // class-wise edges of the cut with votes of 1, `width` lanes
};

// Features with few distinct values: histograms over their codes, the rows stored as lists of bins.
// A row's list leaves out each feature's most frequent bin; that bin is what is missing from the node's total.
struct HistogramBlock {
  int first_feature = 0, last_feature = 0;  // slots [first, last)
  std::int64_t first_bin = 0;               // where the block's bins start in a node's histogram
  std::vector<std::int64_t> row_start;      // n + 1 offsets into bins
  std::vector<std::uint16_t> bins;          // relative to first_bin
};

struct HistogramFeatures {
  std::vector<std::int32_t> column;        // slot -> column of the data matrix
  std::vector<std::int64_t> start;         // slot -> first bin; one more entry at the end
  std::vector<std::int32_t> frequent_bin;  // slot -> code left out of the rows' lists
  std::vector<HistogramBlock> blocks;
};

struct Rows {
  const std::int32_t* index;
  std::int32_t count;
};

// One entry an instruction set and row width.
struct SearchKernels {
  // total[l] = sum of the rows' fixed-point weights.
  void (*sum_rows)(const std::int32_t* weights, Rows rows, int width, std::int32_t* total);
  // Adds the rows of a node to its (zeroed) histogram, then completes each feature's frequent bin.
  void (*build_histogram)(const HistogramFeatures& features, const std::int32_t* weights, Rows rows, int width,
                          const std::int32_t* total, std::int32_t* histogram);
  // Improves `best` by every cut of every histogram feature.
  void (*scan_histogram)(const HistogramFeatures& features, const std::int32_t* histogram,
                         const std::int32_t* total, int classes, int width, Cut& best);
  // Improves `best` by every cut of one presorted feature. `order` lists the node's rows by ascending code;
  // `mass` holds each row's sum of absolute weights.
  void (*scan_presorted)(int column, int slot, const std::int32_t* codes, Rows order, const std::int32_t* weights,
                         const std::int32_t* mass, const std::int32_t* total, int classes, int width, Cut& best);
  // edges[l] += signed weight * leaf vote, rows in order.
  void (*leaf_edges)(const double* signed_weights, const std::int32_t* leaf_of, const double* votes, int n, int width,
                     double* edges);
  // Multiplies each weight by `right` or `wrong`, adds |weight| to sums, rounds to fixed point.
  void (*reweight)(double* signed_weights, const std::int32_t* leaf_of, const double* votes, int n, int classes,
                   int width, double right, double wrong, double* sums, std::int32_t* weights, std::int32_t* mass);
};

// Lanes of a row for this number of classes (one lane more holds the count).
int row_width(int classes);

// The instruction sets this machine can run, best first, and the kernels of one of them.
std::vector<std::string> instruction_sets();
SearchKernels search_kernels(const std::string& instruction_set, int width);

namespace baseline {
SearchKernels kernels(int width);
}
#ifdef ALGOS_X86
namespace avx2 {
SearchKernels kernels(int width);
}
namespace avx512 {
SearchKernels kernels(int width);
}
#endif

}  // namespace algos
