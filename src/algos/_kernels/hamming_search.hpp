// The vector loops of Hamming-tree boosting, compiled once for each instruction set (see hamming_search.cpp).
//
// Signed weights are w_il * y_il (Kegl 2014, eq. 3). Searches sum them in fixed point (int32, 2^30 = the whole
// weight 1), so every order of summation gives the same number and ties are ties. Rows are padded to `width` lanes:
// lane K of a fixed-point row holds 1, so that a sum over rows also counts them, and lane K + 1 the row's mass, the
// sum of its absolute weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace algos {

constexpr double kFixedPointScale = 1073741824.0;  // 2^30

// The best cut found so far at one node. Feature -1 is the constant classifier (all points on the + side).
struct Cut {
  std::int32_t score = 0;           // what the two sides are worth, fixed point
  std::int32_t feature = -1;        // column of the data matrix
  std::int32_t last_minus = 0;      // codes up to this one are on the - side
  std::vector<std::int32_t> edges;  // class-wise edges of the cut with votes of 1, `width` lanes
};

// Each feature's codes (ranks of its distinct values) are grouped into bins, one value each where a feature has few.
// A node's histogram holds the sum of its rows in each bin. Where a bin groups several values, the cuts between them
// are examined only if a bound says one of them could be the best: the search stays exact.
struct BinnedFeatures {
  std::vector<std::int32_t> column;        // feature -> column of the data matrix
  std::vector<const std::int32_t*> codes;  // feature -> code of each row
  std::vector<std::int64_t> start;         // feature -> its first bin; one more entry at the end
  std::vector<std::int32_t> frequent_bin;  // feature -> most frequent bin, left out of the rows' lists
  std::vector<std::int32_t> last_code;     // bin -> its largest code
  std::vector<std::uint8_t> grouped;       // bin -> whether it holds more than one value
  std::vector<std::int64_t> rows_start;    // bin -> where its rows start in rows_by_code; one more at the end
  std::vector<std::int32_t> rows_by_code;  // rows of the grouped bins, by ascending code

  // The rows' bins for some neighbouring features whose histograms fit the cache together.
  struct Block {
    int first = 0, last = 0;              // features [first, last)
    std::vector<std::int64_t> row_start;  // n + 1 offsets into bins
    std::vector<std::uint16_t> bins;      // relative to the block's first bin
  };
  std::vector<Block> blocks;
};

struct Rows {
  const std::int32_t* index;
  std::int32_t count;
};

// What the search knows of a node.
struct NodeSums {
  const std::int32_t* histogram;  // bin x width
  const std::int32_t* total;      // width
  const std::int32_t* node_of;    // row -> node it is in
  std::int32_t node;
};

// One entry an instruction set and row width.
struct SearchKernels {
  // Sums the rows of a node into its total and its (zeroed) histogram.
  void (*build_histogram)(const BinnedFeatures& features, const std::int32_t* weights, Rows rows, int width,
                          std::int32_t* total, std::int32_t* histogram);
  // Improves `best` by every cut of every feature, scored by the sum over classes of |class-wise edge|.
  void (*search)(const BinnedFeatures& features, const NodeSums& node, const std::int32_t* weights, int classes,
                 int width, Cut& best);
  // The same, scored by the largest class-wise sum of the - side plus that of the + side.
  void (*search_single_label)(const BinnedFeatures& features, const NodeSums& node, const std::int32_t* weights,
                              int classes, int width, Cut& best);
  // edges[l] += signed weight * leaf vote, rows in order.
  void (*leaf_edges)(const double* signed_weights, const std::int32_t* leaf_of, const double* votes, int n, int width,
                     double* edges);
  // Multiplies each signed weight by its leaf's and class's entry of `positive` or `negative` (leaf x width), which its
  // sign chooses, adds |weight| to sums, rounds to fixed point.
  void (*reweight)(double* signed_weights, const std::int32_t* leaf_of, const double* positive, const double* negative,
                   int n, int classes, int width, double* sums, std::int32_t* weights);
};

// Lanes of a row for this number of classes (two more hold the count and the mass).
int row_width(int classes);

// The kernels of an instruction set of this machine.
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
