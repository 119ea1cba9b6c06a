// Regression trees grown best-first on fixed-point gradients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common.hpp"
#include "gradient_tree_search.hpp"

namespace algos {

// Features as bins: of one value each, or of neighbouring ones where a feature has too many.
class BinnedData {
 public:
  // codes: feature x n; bins: feature -> its bins [start, next start), with their least and largest value.
  BinnedData(const std::int32_t* codes, std::int64_t n, std::vector<std::int64_t> start, std::vector<double> lowest,
             std::vector<double> highest);

  std::int64_t n() const { return n_; }
  std::int64_t n_features() const { return std::int64_t(start_.size()) - 1; }
  std::int64_t n_bins() const { return start_.back(); }
  const std::int64_t* start() const { return start_.data(); }
  int feature_of(std::int64_t bin) const { return feature_of_[bin]; }
  const std::uint16_t* codes(int feature) const { return codes_.data() + feature * n_; }
  // Halfway between two bins of one feature.
  double threshold(std::int64_t below, std::int64_t above) const { return midpoint(highest_[below], lowest_[above]); }
  std::vector<BinBlock> blocks() const;

 private:
  struct Rows {
    int first, last;
    std::vector<std::int64_t> row_start;
    std::vector<std::uint16_t> bins;
  };
  void add_block(int first, int last);

  std::int64_t n_;
  std::vector<std::int64_t> start_;
  std::vector<double> lowest_, highest_;
  std::vector<std::int32_t> feature_of_, frequent_bin_;
  std::vector<std::uint16_t> codes_;
  std::vector<Rows> blocks_;
};

// One tree: a child is the index of an inner node, or ~leaf. A leaf adds its value to the score of class `plus` and
// takes it from that of class `minus` (-1: none).
struct Tree {
  std::vector<std::int32_t> feature, left, right;
  std::vector<double> threshold, gain;
  std::vector<double> value;
  std::vector<std::int32_t> plus, minus;
  std::vector<std::uint16_t> leaf_of;  // row -> leaf
};

// Where a tree's gradients come from: fixed for the whole tree, or chosen anew at each node.
class GradientSource {
 public:
  struct Choice {
    Sums total;
    std::int32_t plus, minus;
  };
  virtual ~GradientSource() = default;
  // Makes the gradients of a node's rows ready and returns their sum. `total`, if given, is that sum if they are fixed.
  virtual Choice enter(const std::int32_t* rows, std::int64_t count, const Sums* total) = 0;
  virtual bool fixed() const = 0;

  const Sums* gradients() const { return gradients_.data(); }
  const std::int64_t* hessians() const { return hessians_.data(); }
  const FixedPoint& scale() const { return scale_; }

 protected:
  explicit GradientSource(std::int64_t n) : gradients_(n), hessians_(n) {}
  AlignedVector<Sums> gradients_;
  AlignedVector<std::int64_t> hessians_;
  FixedPoint scale_;
};

struct TreeLimits {
  int max_leaves;
  std::int64_t least;  // count of a leaf
  double max_value;    // of a leaf, before `learning_rate`
  double learning_rate;
};

class TreeGrower {
 public:
  TreeGrower(const BinnedData& data, const TreeLimits& limits, const TreeKernels& kernels);

  // `factor` multiplies the leaves' Newton steps S/H.
  Tree grow(GradientSource& source, double factor);

 private:
  struct Node {
    std::int64_t begin = 0, end = 0;  // rows
    std::int32_t parent = -1;
    bool is_right = false;
    GradientSource::Choice choice{};
    int histogram = -1;     // buffer
    std::int64_t cut = -1;  // last bin of the - side
    double gain = 0;        // in the units of S^2/W
    std::int64_t n_rows() const { return end - begin; }
  };

  Node root(GradientSource& source);
  void split(GradientSource& source, Node& node, Tree& tree, std::vector<Node>& open);
  void sum_children(const GradientSource& source, Node& parent, Node& left, Node& right);
  void search(Node& node, int count_bits);
  bool worth_a_search(const GradientSource& source, const Node& node) const {
    return (node.choice.total.w & source.scale().count_mask()) >= 2 * limits_.least;
  }
  void build(const GradientSource& source, Node& node);
  void add_rows(const GradientSource& source, const Node& rows, int sign, Sums total, int histogram);
  std::int64_t next_bin(const Node& node, std::int64_t count_mask) const;
  void release(Node& node);
  void add_leaf(const GradientSource& source, const Node& node, double factor, Tree& tree);

  const BinnedData& data_;
  TreeLimits limits_;
  TreeKernels kernels_;
  std::vector<BinBlock> blocks_;
  std::int64_t padded_;
  std::vector<std::int32_t> rows_, scratch_;
  AlignedVector<double> search_scratch_;
  std::vector<AlignedVector<Sums>> histograms_;
  std::vector<int> free_histograms_;
};

}  // namespace algos
