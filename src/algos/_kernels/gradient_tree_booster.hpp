// The state of multi-class gradient boosting around the trees: scores, probabilities, losses, and the model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gradient_tree_grower.hpp"

namespace algos {

// All trees of a model, one after the other, and which of them make a round.
struct TreeForest {
  std::vector<std::int64_t> round_start{0}, node_start{0}, leaf_start{0};
  std::vector<std::int32_t> feature, left, right;  // of inner nodes
  std::vector<double> threshold, gain;
  std::vector<double> value;  // of leaves, learning rate included
  std::vector<std::int32_t> plus, minus;

  void append(const Tree& tree);
};

// How a node of an AOSO tree chooses its pair of classes.
enum class PairRule { second_order, first_order, exhaustive };

// Softmax probabilities of the training rows, and gradients drawn from them.
class SoftmaxState {
 public:
  SoftmaxState(std::vector<std::int32_t> labels, std::vector<double> weights, std::vector<std::int32_t> counts,
               int classes, const TreeKernels& kernels);

  int classes() const { return classes_; }
  std::int64_t n() const { return rows_.n; }
  const RowValues& rows() const { return rows_; }
  const TreeKernels& kernels() const { return kernels_; }
  const double* probabilities(int k) const { return probabilities_.data() + k * rows_.n; }
  const std::vector<double>& scores() const { return scores_; }
  const std::vector<double>& all_probabilities() const { return probabilities_; }
  const FixedPoint& newton_scale() const { return newton_; }
  const FixedPoint& least_squares_scale() const { return least_squares_; }

  // Adds a tree's leaves to the scores.
  void add(const Tree& tree);
  // Brings probabilities, losses and the scale of gradients up to the scores.
  void update();
  // Total loss -sum w log p, and that of each class's rows.
  double loss() const;
  std::vector<double> class_losses() const;
  // The total loss if these trees were added.
  double loss_with(const std::vector<const Tree*>& trees) const;

 private:
  void set_scales();

  std::vector<std::int32_t> labels_;
  std::vector<double> weights_;
  std::vector<std::int32_t> counts_;
  int classes_;
  TreeKernels kernels_;
  RowValues rows_;
  std::vector<double> scores_, probabilities_;  // classes x n
  std::vector<double> losses_, residuals_;      // of rows
  FixedPoint newton_, least_squares_;
};

class GradientBooster {
 public:
  GradientBooster(BinnedData data, std::vector<std::int32_t> labels, std::vector<double> weights,
                  std::vector<std::int32_t> counts, int classes, const TreeLimits& limits, bool least_squares,
                  const std::string& instruction_set);

  // Grow a tree on the current scores and return its number. It is pending until a round is accepted.
  int grow_class(int plus, double factor);   // for the score of one class
  int grow_pair(int plus, int minus);        // for the difference of two
  int grow_node_pairs(PairRule rule);        // for a pair of classes that each node chooses
  // The training loss if these pending trees were accepted.
  double loss_with(const std::vector<int>& trees) const;
  // Makes the pending trees named a round, forgets the others, and returns the training loss.
  double accept(const std::vector<int>& trees);

  const SoftmaxState& state() const { return state_; }
  const TreeForest& forest() const { return forest_; }

 private:
  int keep(Tree tree);

  BinnedData data_;
  SoftmaxState state_;
  TreeGrower grower_;
  bool least_squares_;
  std::vector<Tree> pending_;
  TreeForest forest_;
  std::unique_ptr<GradientSource> class_source_, node_source_;
};

// scores (n x classes) += the trees of the rounds [first, last). X is row-major with n_features columns.
void add_scores(const TreeForest& forest, std::int64_t first, std::int64_t last, const double* X, std::int64_t n,
                int n_features, int classes, double* scores);

// counts[t] += errors after round t. labels (n) holds class indices: an error is an argmax (first on ties) elsewhere.
void count_errors(const TreeForest& forest, const double* X, std::int64_t n, int n_features, int classes,
                  const std::int32_t* labels, std::int64_t* counts);

}  // namespace algos
