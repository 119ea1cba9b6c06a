#include "hamming_grower.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace algos {

int row_width(int classes) {
  const int lanes = classes + 2;
  if (lanes <= 4) return 4;
  if (lanes <= 8) return 8;
  return (lanes + 15) / 16 * 16;
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

// +1 where the edge is positive (13).
void votes_of(const std::int32_t* edges, int classes, std::int8_t* votes) {
  for (int l = 0; l < classes; ++l) votes[l] = edges[l] > 0 ? 1 : -1;
}

}  // namespace

HammingGrower::HammingGrower(std::vector<CodedColumn> columns, int n, int classes, const double* signed_weights,
                             int max_bins, const std::string& instruction_set)
    : columns_(std::move(columns)),
      n_(n),
      classes_(classes),
      width_(row_width(classes)),
      kernels_(search_kernels(instruction_set, width_)),
      rows_(n),
      scratch_(n),
      node_of_(n),
      signed_weights_(std::size_t(n) * width_),
      weights_(std::size_t(n) * width_),
      leaf_of_(n) {
  features_.start.push_back(0);
  features_.rows_start.push_back(0);
  for (std::size_t j = 0; j < columns_.size(); ++j)
    if (columns_[j].n_values > 1) bin_column(int(j), max_bins);  // a constant column has no cut
  add_blocks();
  set_weights(signed_weights);
}

void HammingGrower::set_weights(const double* signed_weights) {
  for (int i = 0; i < n_; ++i)
    std::copy_n(signed_weights + std::size_t(i) * classes_, classes_, &signed_weights_[std::size_t(i) * width_]);
  quantise();
}

// Groups a column's codes into bins of about n / max_bins rows; a value as frequent as that has a bin of its own.
void HammingGrower::bin_column(int j, int max_bins) {
  const CodedColumn& column = columns_[j];
  std::vector<std::int64_t> count(column.n_values);
  for (int i = 0; i < n_; ++i) ++count[column.codes[i]];
  const std::int64_t enough = column.n_values <= max_bins ? 1 : (n_ + max_bins - 1) / max_bins;
  std::int64_t in_bin = 0, most = -1;
  std::int32_t first_code = 0, frequent_bin = 0;
  for (std::int32_t code = 0; code < column.n_values; ++code) {
    in_bin += count[code];
    const bool next_is_frequent = code + 1 < column.n_values && count[code + 1] >= enough;
    if (in_bin < enough && !next_is_frequent && code + 1 < column.n_values) continue;
    features_.last_code.push_back(code);
    features_.grouped.push_back(code > first_code);
    if (in_bin > most) {
      most = in_bin;
      frequent_bin = std::int32_t(std::int64_t(features_.last_code.size()) - 1 - features_.start.back());
    }
    if (code > first_code) {
      auto& rows = features_.rows_by_code;
      const auto begin = std::ptrdiff_t(rows.size());
      for (int i = 0; i < n_; ++i)
        if (column.codes[i] >= first_code && column.codes[i] <= code) rows.push_back(i);
      std::stable_sort(rows.begin() + begin, rows.end(), [&column](std::int32_t a, std::int32_t b) {
        return column.codes[a] < column.codes[b];
      });
    }
    features_.rows_start.push_back(std::int64_t(features_.rows_by_code.size()));
    in_bin = 0;
    first_code = code + 1;
  }
  features_.column.push_back(j);
  features_.codes.push_back(column.codes);
  features_.frequent_bin.push_back(frequent_bin);
  features_.start.push_back(std::int64_t(features_.last_code.size()));
}

void HammingGrower::add_blocks() {
  const auto& start = features_.start;
  const std::int64_t most_bins = std::min<std::int64_t>(65536, kBlockBytes / (4 * width_));
  const int n_features = int(features_.column.size());
  for (int first = 0; first < n_features;) {
    BinnedFeatures::Block block;
    block.first = first;
    block.last = first + 1;
    while (block.last < n_features && start[block.last + 1] - start[first] <= most_bins) ++block.last;
    add_rows_to_block(block);
    first = block.last;
    features_.blocks.push_back(std::move(block));
  }
}

void HammingGrower::add_rows_to_block(BinnedFeatures::Block& block) {
  std::vector<std::vector<std::int32_t>> bin_of_code;
  for (int f = block.first; f < block.last; ++f) {
    auto& bins = bin_of_code.emplace_back();
    for (std::int64_t b = features_.start[f]; b < features_.start[f + 1]; ++b)
      bins.resize(std::size_t(features_.last_code[b]) + 1, std::int32_t(b - features_.start[f]));
  }
  block.row_start.push_back(0);
  for (int i = 0; i < n_; ++i) {
    for (int f = block.first; f < block.last; ++f) {
      const std::int32_t bin = bin_of_code[f - block.first][features_.codes[f][i]];
      if (bin != features_.frequent_bin[f])
        block.bins.push_back(std::uint16_t(features_.start[f] - features_.start[block.first] + bin));
    }
    block.row_start.push_back(std::int64_t(block.bins.size()));
  }
}

// Fixed-point weights of the current signed weights: a reweighting that changes nothing.
void HammingGrower::quantise() {
  std::fill(leaf_of_.begin(), leaf_of_.end(), 0);
  const AlignedVector<double> one(width_, 1.0);
  reweight(one, one);
}

double HammingGrower::reweight(const AlignedVector<double>& positive, const AlignedVector<double>& negative) {
  std::vector<double> sums(width_);
  kernels_.reweight(signed_weights_.data(), leaf_of_.data(), positive.data(), negative.data(), n_, classes_, width_,
                    sums.data(), weights_.data());
  return std::accumulate(sums.begin(), sums.begin() + classes_, 0.0);
}

double HammingGrower::grow(int n_inner_nodes) {
  single_label_ = false;
  return grow_best_first(n_inner_nodes);
}

double HammingGrower::grow_single_label(int n_inner_nodes, int against) {
  single_label_ = true;
  against_ = against;
  return grow_best_first(n_inner_nodes);
}

// Figure 2: always cut the leaf whose cut improves the edge most.
double HammingGrower::grow_best_first(int n_inner_nodes) {
  start_tree();
  std::vector<Node> open;
  open.push_back(root());
  for (int used = 1; used <= n_inner_nodes && !open.empty(); ++used) {
    const auto top = std::max_element(open.begin(), open.end(),
                                      [](const Node& a, const Node& b) { return a.key < b.key; });  // first of equals
    if (top->key <= 0) break;
    Node node = std::move(*top);
    open.erase(top);
    if (node.cut.feature < 0) {  // the constant classifier: better votes for this leaf, nothing to cut
      add_leaf(node);
    } else {
      split(node, add_inner_node(node), open);
      open_children(node, open, n_inner_nodes - used);
    }
    release(node);
  }
  for (Node& node : open) {  // what was not cut keeps its parent's votes
    if (node.parent >= 0 && !single_label_)
      for (int l = 0; l < classes_; ++l)
        node.cut.edges[l] = node.side * inner_votes_[std::size_t(node.parent) * classes_ + l];
    add_leaf(node);
    release(node);
  }
  return pending_edge();
}

// A product of stumps v_j phi_j is V phi_1 ... phi_m with one vote vector V, the product of the v_j. With the other
// cuts fixed, factor j is the best stump for weights whose sign is flipped where the others' product is -1; V is the
// sign of that stump's class-wise edges, so the other factors' votes are not needed. The first pass adds factors, later
// ones refit them; the first fit that does not raise the edge (lower the energy) ends it and is undone.
double HammingGrower::grow_product(int n_factors) {
  single_label_ = false;
  start_tree();
  std::fill(leaf_of_.begin(), leaf_of_.end(), 0);  // parity of the number of factors with the row on their - side
  std::vector<Cut> factors;
  Cut last;  // the best fit; its edges with the other factors' signs are the product's
  last.edges.resize(width_);
  for (int j = 0;; j = (j + 1) % n_factors) {
    const bool refit = j < int(factors.size());
    if (refit && n_factors == 1) break;  // nothing else to refit it to
    if (refit) flip(factors[j]);         // leaves the other factors
    Node node = root();
    release(node);
    if (node.cut.score <= last.score) {
      if (refit) flip(factors[j]);
      break;
    }
    last = std::move(node.cut);
    flip(last);
    if (!refit) factors.emplace_back();
    factors[j] = last;
  }
  for (int i = 0; i < n_; ++i)
    if (leaf_of_[i] != 0) negate(i);
  add_factors(factors, double(last.score) / kFixedPointScale);
  tree_.votes.resize(std::size_t(2) * classes_);
  leaf_votes_.resize(std::size_t(2) * width_);
  votes_of(last.edges.data(), classes_, tree_.votes.data());
  for (int l = 0; l < classes_; ++l) {
    tree_.votes[classes_ + l] = std::int8_t(-tree_.votes[l]);
    leaf_votes_[l] = tree_.votes[l];
    leaf_votes_[width_ + l] = -tree_.votes[l];
  }
  return pending_edge();
}

double HammingGrower::pending_edge() const {
  std::vector<double> edges(width_);
  kernels_.leaf_edges(signed_weights_.data(), leaf_of_.data(), leaf_votes_.data(), n_, width_, edges.data());
  return std::accumulate(edges.begin(), edges.begin() + classes_, 0.0);
}

double HammingGrower::accept(double right, double wrong) {
  AlignedVector<double> positive(leaf_votes_.size()), negative(leaf_votes_.size());
  for (std::size_t v = 0; v < leaf_votes_.size(); ++v) {
    positive[v] = leaf_votes_[v] > 0 ? right : wrong;
    negative[v] = leaf_votes_[v] < 0 ? right : wrong;
  }
  keep_tree();
  return reweight(positive, negative);
}

double HammingGrower::accept_real(double smoothing) {
  AlignedVector<double> positive(leaf_votes_.size()), negative(leaf_votes_.size());  // first W+ and W-, then factors
  for (int i = 0; i < n_; ++i) {
    const double* weight = &signed_weights_[std::size_t(i) * width_];
    const std::size_t at = std::size_t(leaf_of_[i]) * width_;
    for (int l = 0; l < classes_; ++l) (weight[l] > 0 ? positive : negative)[at + l] += std::abs(weight[l]);
  }
  const std::size_t n_leaves = leaf_votes_.size() / width_;
  tree_.votes.clear();
  tree_.real_votes.reserve(n_leaves * classes_);
  double before = 0, after = 0;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf)
    for (int l = 0; l < classes_; ++l) {
      double& plus = positive[leaf * width_ + l];
      double& minus = negative[leaf * width_ + l];
      const double vote = 0.5 * std::log((plus + smoothing) / (minus + smoothing));
      const double right = std::exp(-vote), wrong = std::exp(vote);
      before += plus + minus;
      after += plus * right + minus * wrong;
      tree_.real_votes.push_back(vote);
      plus = right;
      minus = wrong;
    }
  for (double& factor : positive) factor /= after;
  for (double& factor : negative) factor /= after;
  keep_tree();
  reweight(positive, negative);
  return after / before;
}

void HammingGrower::keep_tree() {
  auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(forest_.feature, tree_.feature);
  append(forest_.minus_child, tree_.minus_child);
  append(forest_.plus_child, tree_.plus_child);
  append(forest_.threshold, tree_.threshold);
  append(forest_.gain, tree_.gain);
  append(forest_.votes, tree_.votes);
  append(forest_.real_votes, tree_.real_votes);
  forest_.node_start.push_back(std::int64_t(forest_.feature.size()));
  forest_.leaf_start.push_back(forest_.leaf_start.back() + std::int64_t(leaf_votes_.size()) / width_);
}

void HammingGrower::start_tree() {
  tree_ = Forest{};
  inner_votes_.clear();
  leaf_votes_.clear();
  std::iota(rows_.begin(), rows_.end(), 0);
  std::fill(node_of_.begin(), node_of_.end(), 0);
  n_nodes_ = 1;
}

// All rows and their best stump.
HammingGrower::Node HammingGrower::root() {
  Node node;
  node.end = n_;
  sum(node);
  search(node);
  node.key = node.cut.score - uncut_edge(node);
  return node;
}

void HammingGrower::sum(Node& node) {
  node.total.resize(width_);
  node.histogram = zeroed_histogram();
  kernels_.build_histogram(features_, weights_.data(), {rows_.data() + node.begin, node.end - node.begin}, width_,
                           node.total.data(), histograms_[node.histogram].data());
}

// Finds the best stump of a node: the constant classifier (no cut) first, then every cut (appendix B).
void HammingGrower::search(Node& node) {
  node.cut.edges = node.total;
  if (single_label_) {
    node.cut.score = std::int32_t(uncut_edge(node));
  } else {
    for (int l = 0; l < classes_; ++l) node.cut.score += std::abs(node.total[l]);
  }
  const NodeSums sums{histograms_[node.histogram].data(), node.total.data(), node_of_.data(), node.id};
  const auto search_cuts = single_label_ ? kernels_.search_single_label : kernels_.search;
  search_cuts(features_, sums, weights_.data(), classes_, width_, node.cut);
}

// Finds the cuts of a node's two children, the last two of the queue. The smaller one's sums are made from its rows,
// the other's are what that leaves of the parent's.
void HammingGrower::open_children(Node& parent, std::vector<Node>& open, int cuts_left) {
  if (cuts_left == 0) return;
  Node& minus = open[open.size() - 2];
  Node& plus = open[open.size() - 1];
  Node& small = minus.end - minus.begin <= plus.end - plus.begin ? minus : plus;
  Node& large = &small == &minus ? plus : minus;
  sum(small);
  large.total = parent.total;
  for (int l = 0; l < width_; ++l) large.total[l] -= small.total[l];
  std::swap(large.histogram, parent.histogram);
  std::int32_t* whole = histograms_[large.histogram].data();
  const std::int32_t* part = histograms_[small.histogram].data();
  const std::size_t size = histograms_[large.histogram].size();
  for (std::size_t b = 0; b < size; ++b) whole[b] -= part[b];
  for (Node* child : {&minus, &plus}) {
    const std::int64_t edge = uncut_edge(*child);
    child->key = child->total[classes_ + 1] - edge;  // no cut has an edge above the node's mass
    if (can_be_cut(*child, open, cuts_left)) {
      search(*child);
      child->key = child->cut.score - edge;
    } else {
      child->key = 0;
    }
  }
}

// Whether a node whose key is at most `node.key` can still come to be cut: not if as many nodes as there are cuts left
// come before it. (Of equal keys the node made first is cut first.)
bool HammingGrower::can_be_cut(const Node& node, const std::vector<Node>& open, int cuts_left) const {
  int before = 0;
  for (const Node& other : open) before += other.id < node.id && other.key >= node.key;
  return before < cuts_left && node.key > 0;
}

int HammingGrower::zeroed_histogram() {
  if (free_histograms_.empty()) {
    histograms_.emplace_back(std::size_t(features_.start.back()) * width_);
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

std::int32_t HammingGrower::add_inner_node(const Node& node) {
  const auto inner = std::int32_t(tree_.feature.size());
  hang(node, inner);
  tree_.feature.push_back(node.cut.feature);
  tree_.gain.push_back(double(node.key) / kFixedPointScale);
  tree_.minus_child.push_back(0);
  tree_.plus_child.push_back(0);
  inner_votes_.resize(std::size_t(inner + 1) * classes_);
  votes_of(node.cut.edges.data(), classes_, &inner_votes_[std::size_t(inner) * classes_]);
  return inner;
}

// Parts the rows of a node, - side first, each side in its old order, and queues its two children. The threshold is
// halfway between the node's values on either side.
void HammingGrower::split(const Node& parent, std::int32_t inner, std::vector<Node>& open) {
  const CodedColumn& column = columns_[parent.cut.feature];
  std::int32_t middle = parent.begin, n_plus = 0, below = -1, above = column.n_values;
  for (std::int32_t p = parent.begin; p < parent.end; ++p) {
    const std::int32_t row = rows_[p];
    const std::int32_t code = column.codes[row];
    const std::int32_t to_plus = code > parent.cut.last_minus;
    below = std::max(below, to_plus ? -1 : code);
    above = std::min(above, to_plus ? code : column.n_values);
    rows_[middle] = row;  // both writes always happen, only one counter moves: no branch to mispredict
    scratch_[n_plus] = row;
    node_of_[row] = n_nodes_ + to_plus;
    middle += 1 - to_plus;
    n_plus += to_plus;
  }
  std::copy_n(scratch_.begin(), n_plus, rows_.begin() + middle);
  tree_.threshold.push_back(midpoint(column.values[below], column.values[above]));
  for (int side : {-1, 1}) {
    Node child;
    child.id = n_nodes_++;
    child.begin = side < 0 ? parent.begin : middle;
    child.end = side < 0 ? middle : parent.end;
    child.parent = inner;
    child.side = side;
    child.cut.edges.resize(width_);
    child.total.resize(width_);
    for (int l = 0; l < width_; ++l) {
      const std::int64_t twice = std::int64_t{parent.total[l]} + side * std::int64_t{parent.cut.edges[l]};
      child.total[l] = std::int32_t(twice / 2);  // edges are the + side's sum less the - side's
    }
    open.push_back(std::move(child));
  }
}

// The edge of a node as a leaf, which cutting it is compared with: that of its parent's votes on its points, nothing at
// the root; in a single-label tree that of the best class to name.
std::int64_t HammingGrower::uncut_edge(const Node& node) const {
  if (single_label_) return *std::max_element(node.total.begin(), node.total.begin() + classes_);
  if (node.parent < 0) return 0;
  std::int64_t edge = 0;
  for (int l = 0; l < classes_; ++l)
    edge += std::int64_t{node.side * inner_votes_[std::size_t(node.parent) * classes_ + l]} * node.total[l];
  return edge;
}

void HammingGrower::hang(const Node& node, std::int32_t child) {
  if (node.parent < 0) return;
  (node.side < 0 ? tree_.minus_child : tree_.plus_child)[node.parent] = child;
}

// A leaf with the votes of the node's edges; in a single-label tree it names the first class of largest sum.
void HammingGrower::add_leaf(const Node& node) {
  const auto leaf = std::int32_t(tree_.leaf_start.back()++);
  hang(node, ~leaf);
  for (std::int32_t p = node.begin; p < node.end; ++p) leaf_of_[rows_[p]] = leaf;
  tree_.votes.resize(std::size_t(leaf + 1) * classes_);
  std::int8_t* votes = &tree_.votes[std::size_t(leaf) * classes_];
  if (single_label_) {
    std::fill_n(votes, classes_, std::int8_t(against_));
    votes[std::max_element(node.total.begin(), node.total.begin() + classes_) - node.total.begin()] = 1;
  } else {
    votes_of(node.cut.edges.data(), classes_, votes);
  }
  leaf_votes_.resize(std::size_t(leaf + 1) * width_);
  std::copy_n(votes, classes_, &leaf_votes_[std::size_t(leaf) * width_]);
}

std::vector<std::int32_t> HammingGrower::named() const {
  std::vector<std::int32_t> classes(n_);
  for (int i = 0; i < n_; ++i) {
    const std::int8_t* votes = &tree_.votes[std::size_t(leaf_of_[i]) * classes_];
    classes[i] = std::int32_t(std::max_element(votes, votes + classes_) - votes);
  }
  return classes;
}

// Turns the weights' signs of the rows on a cut's - side, and their parity.
void HammingGrower::flip(const Cut& cut) {
  if (cut.feature < 0) return;  // the constant classifier: all rows are on the + side
  const std::int32_t* codes = columns_[cut.feature].codes;
  for (int i = 0; i < n_; ++i)
    if (codes[i] <= cut.last_minus) {
      leaf_of_[i] ^= 1;
      negate(i);
    }
}

void HammingGrower::negate(int row) {
  std::int32_t* weight = &weights_[std::size_t(row) * width_];
  for (int l = 0; l < classes_; ++l) weight[l] = -weight[l];
}

// The diagram of a product's cuts (see Forest). A constant factor has votes only. The gain is the product's edge in
// equal shares, a factor's in equal shares of its nodes.
void HammingGrower::add_factors(const std::vector<Cut>& factors, double edge) {
  std::vector<const Cut*> cuts;
  for (const Cut& factor : factors)
    if (factor.feature >= 0) cuts.push_back(&factor);
  for (int j = 0; j < int(cuts.size()); ++j) {
    const std::int32_t code = cuts[j]->last_minus;
    const double* values = columns_[cuts[j]->feature].values;
    const bool is_last = j + 1 == int(cuts.size());
    const int n_copies = j == 0 ? 1 : 2;
    for (int parity = 0; parity < n_copies; ++parity) {
      const auto next = [&](int p) { return is_last ? ~p : 2 * j + 1 + p; };
      tree_.feature.push_back(cuts[j]->feature);
      tree_.threshold.push_back(midpoint(values[code], values[code + 1]));
      tree_.gain.push_back(edge / double(cuts.size()) / n_copies);
      tree_.minus_child.push_back(next(1 - parity));
      tree_.plus_child.push_back(next(parity));
    }
  }
}

namespace {

// The leaf that a row comes to, counted over all trees.
std::int64_t leaf_index(const Forest& forest, int tree, const double* x) {
  const std::int64_t first = forest.node_start[tree];
  std::int32_t node = first == forest.node_start[tree + 1] ? ~0 : 0;
  while (node >= 0) {
    const std::int64_t at = first + node;
    node = x[forest.feature[at]] >= forest.threshold[at] ? forest.plus_child[at] : forest.minus_child[at];
  }
  return forest.leaf_start[tree] + ~node;
}

// Calls visit(row, tree, scores) after each tree. Rows go through the trees in blocks, so a tree is read once a block.
template <class Vote, class Visit>
void walk(const Forest& forest, const std::vector<Vote>& votes, const double* alphas, int first, int last,
          const double* X, std::int64_t n, int n_features, int classes, double* scores, Visit visit) {
  constexpr std::int64_t block = 64;
  for (std::int64_t begin = 0; begin < n; begin += block)
    for (int t = first; t < last; ++t)
      for (std::int64_t i = begin; i < std::min(n, begin + block); ++i) {
        const Vote* vote = &votes[std::size_t(leaf_index(forest, t, X + i * n_features)) * classes];
        double* score = scores + i * classes;
        for (int l = 0; l < classes; ++l) score[l] += alphas[t] * vote[l];
        visit(i, t, score);
      }
}

template <class Visit>
void walk(const Forest& forest, const double* alphas, int first, int last, const double* X, std::int64_t n,
          int n_features, int classes, double* scores, Visit visit) {
  if (forest.real_votes.empty())
    walk(forest, forest.votes, alphas, first, last, X, n, n_features, classes, scores, visit);
  else
    walk(forest, forest.real_votes, alphas, first, last, X, n, n_features, classes, scores, visit);
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
