// Hamming trees (Kegl 2014, figure 2), products (Kegl & Busa-Fekete 2009) and single-label trees grown on fixed-point
// weights, and the boosting state around them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common.hpp"
#include "hamming_search.hpp"

namespace algos {

// Column j of the data, as ranks of its distinct values.
struct CodedColumn {
  const std::int32_t* codes;  // n ranks
  const double* values;       // distinct values, ascending
  std::int32_t n_values;
};

// All trees of a model, one after the other. A child is the index of an inner node of the same tree, or ~leaf.
// A product of cuts is stored as a diagram that counts - sides modulo 2: factor j > 0 has two nodes, 2j - 1 for an even
// number of - sides before it and 2j for an odd one, and there are two leaves, of opposite votes.
struct Forest {
  std::vector<std::int64_t> node_start{0}, leaf_start{0};  // tree -> first node, first leaf
  std::vector<std::int32_t> feature, minus_child, plus_child;
  std::vector<double> threshold, gain;
  std::vector<std::int8_t> votes;  // leaf x class: -1 or +1, in single-label trees perhaps 0 in place of -1
  std::vector<double> real_votes;  // in place of `votes` where they are real-valued
};

class HammingGrower {
 public:
  // signed_weights: n x classes, w_il * y_il, the absolute values summing to 1.
  HammingGrower(std::vector<CodedColumn> columns, int n, int classes, const double* signed_weights,
                int max_bins, const std::string& instruction_set);

  // Grows one tree on the current weights; returns its edge (11) in double precision. The tree stays pending.
  double grow(int n_inner_nodes);
  // The same for a product of at most n_factors stumps, which then is the pending "tree".
  double grow_product(int n_factors);
  // The same for a tree each leaf of which names one class: the one with the largest sum of signed weights. Its vote
  // is 1, those of the other classes `against` (-1 or 0); the answer is the sum of signed weights times votes.
  double grow_single_label(int n_inner_nodes, int against);
  // The class that the pending single-label tree names for each row.
  std::vector<std::int32_t> named() const;
  // Takes other signed weights, n x classes, the absolute values summing to 1.
  void set_weights(const double* signed_weights);
  // Keeps the pending tree; weights it gets right are multiplied by `right`, the others by `wrong`.
  // Returns the new sum of the weights.
  double accept(double right, double wrong);
  // Keeps the pending tree with the real-valued votes 1/2 log((W+ + smoothing) / (W- + smoothing)), W+ and W- being the
  // positive and negative weight of a class in a leaf. Weights are multiplied by exp(-vote * sign) and normalised.
  // Returns Z, what the weights would sum to without that, as a fraction of what they summed to before.
  double accept_real(double smoothing);

  const Forest& forest() const { return forest_; }

 private:
  struct Node {
    std::int32_t id = 0;
    std::int32_t begin = 0, end = 0;  // rows
    std::int32_t parent = -1;         // inner node of the tree
    int side = 1;
    int histogram = -1;  // buffer
    std::int64_t key = 0;
    std::vector<std::int32_t> total;
    Cut cut;
  };

  void bin_column(int column, int max_bins);
  void add_blocks();
  void add_rows_to_block(BinnedFeatures::Block& block);
  void quantise();
  void start_tree();
  Node root();
  void sum(Node& node);
  void search(Node& node);
  void open_children(Node& parent, std::vector<Node>& open, int cuts_left);
  bool can_be_cut(const Node& node, const std::vector<Node>& open, int cuts_left) const;
  int zeroed_histogram();
  void release(Node& node);
  std::int32_t add_inner_node(const Node& node);
  void split(const Node& parent, std::int32_t inner, std::vector<Node>& open);
  double grow_best_first(int n_inner_nodes);
  std::int64_t uncut_edge(const Node& node) const;
  void hang(const Node& node, std::int32_t child);
  void add_leaf(const Node& node);
  void flip(const Cut& cut);
  void negate(int row);
  void add_factors(const std::vector<Cut>& factors, double edge);
  double pending_edge() const;
  double reweight(const AlignedVector<double>& positive, const AlignedVector<double>& negative);
  void keep_tree();

  std::vector<CodedColumn> columns_;
  int n_, classes_, width_;
  SearchKernels kernels_;
  BinnedFeatures features_;
  std::vector<std::int32_t> rows_, scratch_;  // the rows of each node lie together, ascending
  std::vector<std::int32_t> node_of_;
  std::int32_t n_nodes_ = 0;
  bool single_label_ = false;  // kind of the pending tree
  int against_ = -1;           // its votes against classes, if it is a single-label tree
  std::vector<AlignedVector<std::int32_t>> histograms_;
  std::vector<int> free_histograms_;

  AlignedVector<double> signed_weights_;  // n x width
  AlignedVector<std::int32_t> weights_;   // the same in fixed point

  Forest forest_, tree_;
  std::vector<std::int8_t> inner_votes_;  // inner node x class of the pending tree
  std::vector<std::int32_t> leaf_of_;
  AlignedVector<double> leaf_votes_;  // leaf x width of the pending tree
};

// scores (n x classes) += sum over trees [first, last) of alpha * votes, X row-major with n_features columns.
void add_scores(const Forest& forest, const double* alphas, int first, int last, const double* X, std::int64_t n,
                int n_features, int classes, double* scores);

// counts[t] += errors after tree t. labels (n) holds class indices: an error is an argmax (first on ties) elsewhere.
void count_errors(const Forest& forest, const double* alphas, int n_trees, const double* X, std::int64_t n,
                  int n_features, int classes, const std::int32_t* labels, std::int64_t* counts);

// The same for label patterns (n x classes, 0 or 1): a label is predicted where its score is > 0.
void count_label_errors(const Forest& forest, const double* alphas, int n_trees, const double* X, std::int64_t n,
                        int n_features, int classes, const std::uint8_t* labels, std::int64_t* counts);

}  // namespace algos
