#include "gradient_tree_booster.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace algos {

namespace {

__extension__ using Wide = __int128;

// Losses are summed in units of 2^-80, so that their sum does not depend on the order of rows.
constexpr double kLossScale = 1208925819614629174706176.0;

int bit_length(std::int64_t n) {
  int bits = 0;
  for (; n > 0; n >>= 1) ++bits;
  return bits;
}

// The least e with x <= 2^e.
int exponent_of(double x) {
  int exponent;
  std::frexp(x, &exponent);
  return std::max(exponent, -300);
}

// Gradients of one class or of a pair, the same for all nodes of a tree.
class FixedSource final : public GradientSource {
 public:
  FixedSource(const SoftmaxState& state, bool least_squares)
      : GradientSource(state.n()), state_(state), least_squares_(least_squares) {}

  void set(int plus, int minus) {
    plus_ = plus;
    minus_ = minus;
    scale_ = least_squares_ ? state_.least_squares_scale() : state_.newton_scale();
    const double* p = state_.probabilities(plus);
    if (minus < 0)
      state_.kernels().class_gradients(state_.rows(), plus, p, scale_, least_squares_, gradients_.data(),
                                       hessians_.data());
    else
      state_.kernels().pair_gradients(state_.rows(), plus, minus, p, state_.probabilities(minus), scale_,
                                      least_squares_, gradients_.data(), hessians_.data());
  }
  Choice enter(const std::int32_t* rows, std::int64_t count, const Sums* total) override {
    if (total) return {*total, plus_, minus_};
    Sums sum;
    for (std::int64_t p = 0; p < count; ++p) {
      sum.g += gradients_[rows[p]].g;
      sum.w += gradients_[rows[p]].w;
    }
    return {sum, plus_, minus_};
  }
  bool fixed() const override { return true; }

 private:
  const SoftmaxState& state_;
  bool least_squares_;
  std::int32_t plus_ = 0, minus_ = -1;
};

// Gradients of the pair of classes that a node chooses from its own rows (AOSO).
class NodePairSource final : public GradientSource {
 public:
  explicit NodePairSource(const SoftmaxState& state)
      : GradientSource(state.n()),
        state_(state),
        width_((state.classes() + 7) / 8 * 8),
        by_row_(state.n() * width_),
        residuals_(width_),
        hessian_sums_(width_) {}

  void set(PairRule rule) {
    rule_ = rule;
    scale_ = state_.newton_scale();
    for (int k = 0; k < state_.classes(); ++k) {
      const double* p = state_.probabilities(k);
      for (std::int64_t i = 0; i < state_.n(); ++i) by_row_[i * width_ + k] = p[i];
    }
  }
  Choice enter(const std::int32_t* rows, std::int64_t count, const Sums*) override {
    state_.kernels().sum_residuals(state_.rows(), rows, count, width_, by_row_.data(), scale_, residuals_.data());
    Best best;
    if (rule_ == PairRule::exhaustive) {
      for (int plus = 0; plus + 1 < state_.classes(); ++plus) improve(best, rows, count, plus, plus + 1);
    } else {
      const auto end = residuals_.begin() + state_.classes();
      const int plus = int(std::max_element(residuals_.begin(), end) - residuals_.begin());
      const int minus = int(std::min_element(residuals_.begin(), end) - residuals_.begin());
      if (rule_ == PairRule::second_order || plus == minus) improve(best, rows, count, plus, 0);
      else improve(best, rows, count, plus, minus, minus + 1);
    }
    state_.kernels().node_gradients(state_.rows(), rows, count, width_, best.plus, best.minus, by_row_.data(), scale_,
                                    gradients_.data(), hessians_.data());
    Sums total{residuals_[best.plus] - residuals_[best.minus], best.hessian << scale_.count_bits};
    for (std::int64_t p = 0; p < count; ++p) total.w += state_.rows().counts[rows[p]];
    return {total, best.plus, best.minus};
  }
  bool fixed() const override { return false; }

 private:
  struct Best {
    double gain = -1;
    std::int32_t plus = 0, minus = 1;
    std::int64_t hessian = 0;
  };
  // The best of the pairs (plus, k), first <= k < last, by g^2/h; the first of equals.
  void improve(Best& best, const std::int32_t* rows, std::int64_t count, int plus, int first, int last = -1) {
    state_.kernels().sum_pair_hessians(state_.rows(), rows, count, width_, plus, by_row_.data(), scale_,
                                       hessian_sums_.data());
    for (int k = first; k < (last < 0 ? state_.classes() : last); ++k) {
      if (k == plus) continue;
      const double g = double(residuals_[plus] - residuals_[k]), h = double(hessian_sums_[k]);
      const double gain = h > 0 ? g * g / h : 0.0;
      if (gain > best.gain) best = {gain, plus, k, hessian_sums_[k]};
    }
  }

  const SoftmaxState& state_;
  PairRule rule_ = PairRule::second_order;
  int width_;
  AlignedVector<double> by_row_;  // n x width probabilities
  AlignedVector<std::int64_t> residuals_, hessian_sums_;
};

}  // namespace

void TreeForest::append(const Tree& tree) {
  auto extend = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  extend(feature, tree.feature);
  extend(left, tree.left);
  extend(right, tree.right);
  extend(threshold, tree.threshold);
  extend(gain, tree.gain);
  extend(value, tree.value);
  extend(plus, tree.plus);
  extend(minus, tree.minus);
  node_start.push_back(std::int64_t(feature.size()));
  leaf_start.push_back(std::int64_t(value.size()));
}

SoftmaxState::SoftmaxState(std::vector<std::int32_t> labels, std::vector<double> weights,
                           std::vector<std::int32_t> counts, int classes, const TreeKernels& kernels)
    : labels_(std::move(labels)),
      weights_(std::move(weights)),
      counts_(std::move(counts)),
      classes_(classes),
      kernels_(kernels),
      rows_{std::int64_t(labels_.size()), labels_.data(), weights_.data(), counts_.data()},
      scores_(labels_.size() * classes),
      probabilities_(labels_.size() * classes),
      losses_(labels_.size()),
      residuals_(labels_.size()) {
  update();
}

namespace {

// Adds a tree's leaves to the scores (classes x stride) of the rows [begin, end), the first of which is at `scores`.
void add_leaves(const Tree& tree, std::int64_t begin, std::int64_t end, double* scores, std::int64_t stride) {
  const std::uint16_t* leaf_of = tree.leaf_of.data() + begin;
  const double* value = tree.value.data();
  const std::int64_t count = end - begin;
  const auto same = [](const std::vector<std::int32_t>& classes) {
    return std::all_of(classes.begin(), classes.end(), [&](std::int32_t k) { return k == classes[0]; });
  };
  if (same(tree.plus) && same(tree.minus)) {  // the common case has no choice inside its loops
    double* plus = scores + tree.plus[0] * stride;
    for (std::int64_t i = 0; i < count; ++i) plus[i] += value[leaf_of[i]];
    if (tree.minus[0] < 0) return;
    double* minus = scores + tree.minus[0] * stride;
    for (std::int64_t i = 0; i < count; ++i) minus[i] -= value[leaf_of[i]];
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    scores[tree.plus[leaf_of[i]] * stride + i] += value[leaf_of[i]];
    scores[tree.minus[leaf_of[i]] * stride + i] -= value[leaf_of[i]];
  }
}

Wide fixed_loss(double weight, double loss) { return Wide(weight * loss * kLossScale); }

double to_loss(Wide sum) { return double(sum) / kLossScale; }

}  // namespace

void SoftmaxState::add(const Tree& tree) { add_leaves(tree, 0, rows_.n, scores_.data(), rows_.n); }

void SoftmaxState::update() {
  for (std::int64_t begin = 0; begin < rows_.n; begin += kSoftmaxBlock)
    kernels_.softmax(rows_.labels + begin, std::min(rows_.n - begin, kSoftmaxBlock), classes_, scores_.data() + begin,
                     rows_.n, probabilities_.data() + begin, losses_.data() + begin, residuals_.data() + begin);
  set_scales();
}

// A gradient or Hessian of a row is at most 4 (1 - p of its label), so no sum overflows 2^62.
void SoftmaxState::set_scales() {
  double most = 0, heaviest = 0;
  for (std::int64_t i = 0; i < rows_.n; ++i) {
    most = std::max(most, residuals_[i] * weights_[i]);
    heaviest = std::max(heaviest, weights_[i]);
  }
  const std::int64_t count = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  const int rows = bit_length(rows_.n), counted = bit_length(count), largest = exponent_of(4 * most);
  const auto factor = [](int bits, int exponent) { return std::ldexp(1.0, std::min(50, bits) - exponent); };
  newton_ = {factor(61 - rows, largest), factor(61 - rows - counted, largest), factor(61 - rows, largest), counted};
  least_squares_ = newton_;
  least_squares_.w = factor(61 - rows - counted, exponent_of(heaviest));
}

double SoftmaxState::loss() const {
  Wide sum = 0;
  for (std::int64_t i = 0; i < rows_.n; ++i) sum += fixed_loss(weights_[i], losses_[i]);
  return to_loss(sum);
}

std::vector<double> SoftmaxState::class_losses() const {
  std::vector<Wide> sums(classes_);
  for (std::int64_t i = 0; i < rows_.n; ++i) sums[labels_[i]] += fixed_loss(weights_[i], losses_[i]);
  std::vector<double> losses;
  for (Wide sum : sums) losses.push_back(to_loss(sum));
  return losses;
}

// Block by block, so that a block's scores stay in the cache while all trees are added.
double SoftmaxState::loss_with(const std::vector<const Tree*>& trees) const {
  std::vector<double> scores(classes_ * kSoftmaxBlock), probabilities(scores.size());
  double losses[kSoftmaxBlock], residuals[kSoftmaxBlock];
  Wide sum = 0;
  for (std::int64_t begin = 0; begin < rows_.n; begin += kSoftmaxBlock) {
    const std::int64_t end = std::min(rows_.n, begin + kSoftmaxBlock), count = end - begin;
    for (int k = 0; k < classes_; ++k)
      std::copy_n(scores_.data() + k * rows_.n + begin, count, scores.data() + k * kSoftmaxBlock);
    for (const Tree* tree : trees) add_leaves(*tree, begin, end, scores.data(), kSoftmaxBlock);
    kernels_.softmax(rows_.labels + begin, count, classes_, scores.data(), kSoftmaxBlock, probabilities.data(), losses,
                     residuals);
    for (std::int64_t i = 0; i < count; ++i) sum += fixed_loss(weights_[begin + i], losses[i]);
  }
  return to_loss(sum);
}

GradientBooster::GradientBooster(BinnedData data, std::vector<std::int32_t> labels, std::vector<double> weights,
                                 std::vector<std::int32_t> counts, int classes, const TreeLimits& limits,
                                 bool least_squares, const std::string& instruction_set)
    : data_(std::move(data)),
      state_(std::move(labels), std::move(weights), std::move(counts), classes, tree_kernels(instruction_set)),
      grower_(data_, limits, tree_kernels(instruction_set)),
      least_squares_(least_squares) {}

int GradientBooster::keep(Tree tree) {
  pending_.push_back(std::move(tree));
  return int(pending_.size()) - 1;
}

int GradientBooster::grow_class(int plus, double factor) {
  if (!class_source_) class_source_ = std::make_unique<FixedSource>(state_, least_squares_);
  static_cast<FixedSource&>(*class_source_).set(plus, -1);
  return keep(grower_.grow(*class_source_, factor));
}

int GradientBooster::grow_pair(int plus, int minus) {
  if (!class_source_) class_source_ = std::make_unique<FixedSource>(state_, least_squares_);
  static_cast<FixedSource&>(*class_source_).set(plus, minus);
  return keep(grower_.grow(*class_source_, 1.0));
}

int GradientBooster::grow_node_pairs(PairRule rule) {
  if (!node_source_) node_source_ = std::make_unique<NodePairSource>(state_);
  static_cast<NodePairSource&>(*node_source_).set(rule);
  return keep(grower_.grow(*node_source_, 1.0));
}

double GradientBooster::loss_with(const std::vector<int>& trees) const {
  std::vector<const Tree*> added;
  for (int tree : trees) added.push_back(&pending_.at(tree));
  return state_.loss_with(added);
}

double GradientBooster::accept(const std::vector<int>& trees) {
  for (int tree : trees) {
    state_.add(pending_.at(tree));
    forest_.append(pending_.at(tree));
  }
  forest_.round_start.push_back(std::int64_t(forest_.node_start.size()) - 1);
  pending_.clear();
  state_.update();
  return state_.loss();
}

namespace {

std::int64_t leaf_of(const TreeForest& forest, std::int64_t tree, const double* x) {
  const std::int64_t first = forest.node_start[tree];
  std::int32_t node = first == forest.node_start[tree + 1] ? ~0 : 0;
  while (node >= 0) {
    const std::int64_t at = first + node;
    node = x[forest.feature[at]] >= forest.threshold[at] ? forest.right[at] : forest.left[at];
  }
  return forest.leaf_start[tree] + ~node;
}

// Calls visit(row, round, scores) after each round. Rows go through the trees in blocks, so a tree is read once a block.
template <class Visit>
void walk(const TreeForest& forest, std::int64_t first, std::int64_t last, const double* X, std::int64_t n,
          int n_features, int classes, double* scores, Visit visit) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t end = std::min(n, begin + block);
    for (std::int64_t round = first; round < last; ++round) {
      for (std::int64_t tree = forest.round_start[round]; tree < forest.round_start[round + 1]; ++tree)
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t leaf = leaf_of(forest, tree, X + i * n_features);
          scores[i * classes + forest.plus[leaf]] += forest.value[leaf];
          if (forest.minus[leaf] >= 0) scores[i * classes + forest.minus[leaf]] -= forest.value[leaf];
        }
      for (std::int64_t i = begin; i < end; ++i) visit(i, round, scores + i * classes);
    }
  }
}

}  // namespace

void add_scores(const TreeForest& forest, std::int64_t first, std::int64_t last, const double* X, std::int64_t n,
                int n_features, int classes, double* scores) {
  walk(forest, first, last, X, n, n_features, classes, scores, [](std::int64_t, std::int64_t, const double*) {});
}

void count_errors(const TreeForest& forest, const double* X, std::int64_t n, int n_features, int classes,
                  const std::int32_t* labels, std::int64_t* counts) {
  std::vector<double> scores(std::size_t(n) * classes);
  const auto rounds = std::int64_t(forest.round_start.size()) - 1;
  walk(forest, 0, rounds, X, n, n_features, classes, scores.data(),
       [=](std::int64_t i, std::int64_t round, const double* score) {
         counts[round] += std::max_element(score, score + classes) - score != labels[i];
       });
}

}  // namespace algos
