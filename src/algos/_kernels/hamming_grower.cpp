#include "hamming_grower.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace algos {

int row_width(int classes) {
  if (classes < 4) return 4;
  if (classes < 8) return 8;
  return (classes / 16 + 1) * 16;
}

std::vector<std::string> instruction_sets() {
  std::vector<std::string> sets;
#ifdef ALGOS_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    sets.push_back("avx512");
  if (__builtin_cpu_supports("avx2")) sets.push_back("avx2");
#endif
  sets.push_back("baseline");
  return sets;
}

SearchKernels search_kernels(const std::string& instruction_set, int width) {
#ifdef ALGOS_X86
  if (instruction_set == "avx512") return avx512::kernels(width);
  if (instruction_set == "avx2") return avx2::kernels(width);
#else
  (void)instruction_set;
#endif
  return baseline::kernels(width);
}

namespace {

constexpr std::int64_t kBlockBytes = 512 * 1024;  // a block's histogram stays in the second-level cache

// Halfway between two neighbours; never the lower one, so that `x >= threshold` tells them apart.
double midpoint(double low, double high) {
  const double middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

// +1 where the edge is positive (13).
void votes_of(const std::int32_t* edges, int classes, std::int8_t* votes) {
  for (int l = 0; l < classes; ++l) votes[l] = edges[l] > 0 ? 1 : -1;
}

}  // namespace

HammingGrower::HammingGrower(std::vector<CodedColumn> columns, int n, int classes, const double* signed_weights,
                             int max_histogram_values, const std::string& instruction_set)
    : columns_(std::move(columns)),
      n_(n),
      classes_(classes),
      width_(row_width(classes)),
      kernels_(search_kernels(instruction_set, width_)),
      rows_(n),
      scratch_(n),
      on_plus_side_(n),
      signed_weights_(std::size_t(n) * width_),
      weights_(std::size_t(n) * width_),
      mass_(n),
      leaf_of_(n) {
  histogram_features_.start.push_back(0);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const CodedColumn& column = columns_[j];
    if (column.n_values < 2) continue;  // a constant column has no cut
    if (column.n_values > max_histogram_values) {
      presorted_.push_back(int(j));
      continue;
    }
    std::vector<std::int64_t> counts(column.n_values);
    for (int i = 0; i < n_; ++i) ++counts[column.codes[i]];
    histogram_features_.column.push_back(int(j));
    histogram_features_.frequent_bin.push_back(
        int(std::max_element(counts.begin(), counts.end()) - counts.begin()));
    histogram_features_.start.push_back(histogram_features_.start.back() + column.n_values);
  }
  add_histogram_blocks();
  initial_order_.resize(presorted_.size() * std::size_t(n));
  for (std::size_t s = 0; s < presorted_.size(); ++s) {
    const std::int32_t* codes = columns_[presorted_[s]].codes;
    auto begin = initial_order_.begin() + s * n_;
    std::iota(begin, begin + n_, 0);
    std::stable_sort(begin, begin + n_, [codes](std::int32_t a, std::int32_t b) { return codes[a] < codes[b]; });
  }
  for (int i = 0; i < n_; ++i)
    std::copy_n(signed_weights + std::size_t(i) * classes_, classes_, &signed_weights_[std::size_t(i) * width_]);
  quantise();
}

void HammingGrower::add_histogram_blocks() {
  const auto& start = histogram_features_.start;
  const std::int64_t most_bins = std::min<std::int64_t>(65536, kBlockBytes / (4 * width_));
  const int n_features = int(histogram_features_.column.size());
  for (int first = 0; first < n_features;) {
    int last = first + 1;
    while (last < n_features && start[last + 1] - start[first] <= most_bins) ++last;
    HistogramBlock block;
    block.first_feature = first;
    block.last_feature = last;
    block.first_bin = start[first];
    add_rows_to_block(block);
    histogram_features_.blocks.push_back(std::move(block));
    first = last;
  }
}

void HammingGrower::add_rows_to_block(HistogramBlock& block) {
  const HistogramFeatures& features = histogram_features_;
  block.row_start.push_back(0);
  for (int i = 0; i < n_; ++i) {
    for (int f = block.first_feature; f < block.last_feature; ++f) {
      const std::int32_t code = columns_[features.column[f]].codes[i];
      if (code != features.frequent_bin[f])
        block.bins.push_back(std::uint16_t(features.start[f] - block.first_bin + code));
    }
    block.row_start.push_back(std::int64_t(block.bins.size()));
  }
}

// Fixed-point weights of the current signed weights: a reweighting that changes nothing.
void HammingGrower::quantise() {
  std::fill(leaf_of_.begin(), leaf_of_.end(), 0);
  const std::vector<double> votes(width_, 1.0);
  std::vector<double> sums(width_);
  kernels_.reweight(signed_weights_.data(), leaf_of_.data(), votes.data(), n_, classes_, width_, 1.0, 1.0, sums.data(),
                    weights_.data(), mass_.data());
}

double HammingGrower::grow(int n_inner_nodes) {
  start_tree();
  std::vector<Node> open(1);
  open[0].end = n_;
  evaluate(open[0], true);
  open[0].key = open[0].cut.score;
  for (int used = 1; used <= n_inner_nodes; ++used) {
    const auto top = std::max_element(open.begin(), open.end(),
                                      [](const Node& a, const Node& b) { return a.key < b.key; });  // first of equals
    if (open.empty() || top->key <= 0) break;
    Node node = std::move(*top);
    open.erase(top);
    std::vector<std::int8_t> votes(classes_);
    votes_of(node.cut.edges.data(), classes_, votes.data());
    if (node.cut.feature < 0) {  // the constant classifier: better votes for this leaf, nothing to cut
      hang(node, ~std::int32_t(tree_.leaf_start.back()));
      assign_leaf(node, votes.data());
      release(node);
      continue;
    }
    const auto inner = std::int32_t(tree_.feature.size());
    hang(node, inner);
    const CodedColumn& column = columns_[node.cut.feature];
    tree_.feature.push_back(node.cut.feature);
    tree_.threshold.push_back(midpoint(column.values[node.cut.last_minus], column.values[next_code(node)]));
    tree_.gain.push_back(double(node.key) / kFixedPointScale);
    tree_.minus_child.push_back(0);
    tree_.plus_child.push_back(0);
    inner_votes_.insert(inner_votes_.end(), votes.begin(), votes.end());
    split(node);
    const std::size_t n_open = open.size();
    add_children(node, inner, open);
    if (used < n_inner_nodes) {
      Node& minus = open[n_open];
      Node& plus = open[n_open + 1];
      Node& small = minus.end - minus.begin <= plus.end - plus.begin ? minus : plus;
      Node& large = &small == &minus ? plus : minus;
      evaluate(small, true);
      if (node.histogram >= 0) {  // sibling = parent - child
        large.histogram = node.histogram;
        node.histogram = -1;
        std::int32_t* whole = histograms_[large.histogram].data();
        const std::int32_t* part = histograms_[small.histogram].data();
        const std::size_t size = histograms_[large.histogram].size();
        for (std::size_t b = 0; b < size; ++b) whole[b] -= part[b];
      }
      evaluate(large, false);
      for (Node* child : {&minus, &plus}) child->key = child->cut.score - parent_edge(*child);
    }
    release(node);
  }
  finish_tree(open);
  for (Node& node : open) release(node);
  std::vector<double> edges(width_);
  kernels_.leaf_edges(signed_weights_.data(), leaf_of_.data(), leaf_votes_.data(), n_, width_, edges.data());
  return std::accumulate(edges.begin(), edges.begin() + classes_, 0.0);
}

double HammingGrower::accept(double right, double wrong) {
  std::vector<double> sums(width_);
  kernels_.reweight(signed_weights_.data(), leaf_of_.data(), leaf_votes_.data(), n_, classes_, width_, right, wrong,
                    sums.data(), weights_.data(), mass_.data());
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(forest_.feature, tree_.feature);
  append(forest_.minus_child, tree_.minus_child);
  append(forest_.plus_child, tree_.plus_child);
  append(forest_.threshold, tree_.threshold);
  append(forest_.gain, tree_.gain);
  append(forest_.votes, tree_.votes);
  forest_.node_start.push_back(std::int64_t(forest_.feature.size()));
  forest_.leaf_start.push_back(std::int64_t(forest_.votes.size()) / classes_);
  return std::accumulate(sums.begin(), sums.begin() + classes_, 0.0);
}

void HammingGrower::start_tree() {
  tree_ = Forest{};
  inner_votes_.clear();
  leaf_votes_.clear();
  std::iota(rows_.begin(), rows_.end(), 0);
  order_ = initial_order_;
}

// Finds the best stump of a node: the constant classifier first, then every cut (appendix B).
void HammingGrower::evaluate(Node& node, bool build_histogram) {
  const Rows rows{rows_.data() + node.begin, node.end - node.begin};
  node.total.resize(width_);
  kernels_.sum_rows(weights_.data(), rows, width_, node.total.data());
  node.cut.edges = node.total;
  for (int l = 0; l < classes_; ++l) node.cut.score += std::abs(node.total[l]);
  if (!histogram_features_.column.empty()) {
    if (build_histogram) {
      node.histogram = free_histogram();
      kernels_.build_histogram(histogram_features_, weights_.data(), rows, width_, node.total.data(),
                               histograms_[node.histogram].data());
    }
    kernels_.scan_histogram(histogram_features_, histograms_[node.histogram].data(), node.total.data(), classes_,
                            width_, node.cut);
  }
  for (std::size_t s = 0; s < presorted_.size(); ++s) {
    const Rows order{order_.data() + s * n_ + node.begin, node.end - node.begin};
    kernels_.scan_presorted(presorted_[s], int(s), columns_[presorted_[s]].codes, order, weights_.data(), mass_.data(),
                            node.total.data(), classes_, width_, node.cut);
  }
}

int HammingGrower::free_histogram() {
  const std::size_t size = std::size_t(histogram_features_.start.back()) * width_;
  if (free_histograms_.empty()) {
    histograms_.emplace_back(size);
    return int(histograms_.size()) - 1;
  }
  const int buffer = free_histograms_.back();
  free_histograms_.pop_back();
  std::fill(histograms_[buffer].begin(), histograms_[buffer].end(), 0);
  return buffer;
}

void HammingGrower::release(Node& node) {
  if (node.histogram >= 0) free_histograms_.push_back(node.histogram);
  node.histogram = -1;
}

// The smallest code on the + side of a node's cut. Rows are already in the order of the node.
std::int32_t HammingGrower::next_code(const Node& node) const {
  const std::int32_t* codes = columns_[node.cut.feature].codes;
  std::int32_t next = columns_[node.cut.feature].n_values - 1;
  for (std::int32_t p = node.begin; p < node.end; ++p) {
    const std::int32_t code = codes[rows_[p]];
    if (code > node.cut.last_minus && code < next) next = code;
  }
  return next;
}

// Partitions the rows of a node, - side first, each side in its old order, and the presorted lists with them.
void HammingGrower::split(const Node& node) {
  const std::int32_t* codes = columns_[node.cut.feature].codes;
  for (std::int32_t p = node.begin; p < node.end; ++p)
    on_plus_side_[rows_[p]] = codes[rows_[p]] > node.cut.last_minus;
  auto partition = [&](std::int32_t* list) {
    std::int32_t minus = node.begin, plus = 0;
    for (std::int32_t p = node.begin; p < node.end; ++p) {
      const std::int32_t row = list[p];
      const std::uint8_t to_plus = on_plus_side_[row];
      list[minus] = row;  // both writes always happen, only one counter moves: no branch to mispredict
      scratch_[plus] = row;
      minus += 1 - to_plus;
      plus += to_plus;
    }
    std::copy_n(scratch_.begin(), plus, list + minus);
  };
  partition(rows_.data());
  for (std::size_t s = 0; s < presorted_.size(); ++s) partition(order_.data() + s * n_);
}

void HammingGrower::add_children(Node& parent, std::int32_t inner, std::vector<Node>& open) {
  std::int32_t middle = parent.begin;
  while (middle < parent.end && !on_plus_side_[rows_[middle]]) ++middle;
  for (int side : {-1, 1}) {
    Node child;
    child.begin = side < 0 ? parent.begin : middle;
    child.end = side < 0 ? middle : parent.end;
    child.parent = inner;
    child.side = side;
    open.push_back(std::move(child));
  }
}

// The edge that the parent's votes have on a child's points: what cutting the child is compared with.
std::int64_t HammingGrower::parent_edge(const Node& node) const {
  std::int64_t edge = 0;
  for (int l = 0; l < classes_; ++l)
    edge += std::int64_t{node.side * inner_votes_[std::size_t(node.parent) * classes_ + l]} * node.total[l];
  return edge;
}

void HammingGrower::hang(const Node& node, std::int32_t child) {
  if (node.parent < 0) return;
  (node.side < 0 ? tree_.minus_child : tree_.plus_child)[node.parent] = child;
}

void HammingGrower::assign_leaf(const Node& node, const std::int8_t* votes) {
  const auto leaf = std::int32_t(tree_.leaf_start.back());
  tree_.leaf_start.back() += 1;
  for (std::int32_t p = node.begin; p < node.end; ++p) leaf_of_[rows_[p]] = leaf;
  tree_.votes.insert(tree_.votes.end(), votes, votes + classes_);
  leaf_votes_.insert(leaf_votes_.end(), votes, votes + classes_);
  leaf_votes_.resize(std::size_t(leaf + 1) * width_);
}

// The nodes left in the queue are leaves: -v on the - side and +v on the + side of their parent.
void HammingGrower::finish_tree(const std::vector<Node>& open) {
  for (const Node& node : open) {
    std::vector<std::int8_t> votes(classes_);
    if (node.parent < 0)
      votes_of(node.total.data(), classes_, votes.data());  // nothing was cut and no stump has an edge
    else
      for (int l = 0; l < classes_; ++l)
        votes[l] = std::int8_t(node.side * inner_votes_[std::size_t(node.parent) * classes_ + l]);
    hang(node, ~std::int32_t(tree_.leaf_start.back()));
    assign_leaf(node, votes.data());
  }
}

namespace {

const std::int8_t* leaf_votes(const Forest& forest, int tree, const double* x, int classes) {
  const std::int64_t first = forest.node_start[tree];
  std::int32_t node = first == forest.node_start[tree + 1] ? ~0 : 0;
  while (node >= 0) {
    const std::int64_t at = first + node;
    node = x[forest.feature[at]] >= forest.threshold[at] ? forest.plus_child[at] : forest.minus_child[at];
  }
  return &forest.votes[std::size_t(forest.leaf_start[tree] + ~node) * classes];
}

// Calls visit(row, tree, scores) after each tree. Rows go through the trees in blocks, so a tree is read once a block.
template <class Visit>
void walk(const Forest& forest, const double* alphas, int first, int last, const double* X, std::int64_t n,
          int n_features, int classes, double* scores, Visit visit) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = 0; begin < n; begin += block)
    for (int t = first; t < last; ++t)
      for (std::int64_t i = begin; i < std::min(n, begin + block); ++i) {
        const std::int8_t* votes = leaf_votes(forest, t, X + i * n_features, classes);
        double* score = scores + i * classes;
        for (int l = 0; l < classes; ++l) score[l] += alphas[t] * votes[l];
        visit(i, t, score);
      }
}

}  // namespace

void add_scores(const Forest& forest, const double* alphas, int first, int last, const double* X, std::int64_t n,
                int n_features, int classes, double* scores) {
  walk(forest, alphas, first, last, X, n, n_features, classes, scores, [](std::int64_t, int, const double*) {});
}

void count_errors(const Forest& forest, const double* alphas, int n_trees, const double* X, std::int64_t n,
                  int n_features, int classes, const std::int32_t* labels, std::int64_t* counts) {
  std::vector<double> scores(std::size_t(n) * classes);
  walk(forest, alphas, 0, n_trees, X, n, n_features, classes, scores.data(),
       [=](std::int64_t i, int t, const double* score) {
         counts[t] += std::max_element(score, score + classes) - score != labels[i];
       });
}

void count_label_errors(const Forest& forest, const double* alphas, int n_trees, const double* X, std::int64_t n,
                        int n_features, int classes, const std::uint8_t* labels, std::int64_t* counts) {
  std::vector<double> scores(std::size_t(n) * classes);
  walk(forest, alphas, 0, n_trees, X, n, n_features, classes, scores.data(),
       [=](std::int64_t i, int t, const double* score) {
         for (int l = 0; l < classes; ++l) counts[t] += (score[l] > 0) != (labels[i * classes + l] != 0);
       });
}

}  // namespace algos
