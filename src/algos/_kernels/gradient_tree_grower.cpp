#include "gradient_tree_grower.hpp"

#include <algorithm>
#include <numeric>

namespace algos {

namespace {

constexpr std::int64_t kBlockBins = 16384;  // a block's histogram stays in the second-level cache

}  // namespace

TreeKernels tree_kernels(const std::string& instruction_set) {
#ifdef ALGOS_X86
  if (instruction_set == "avx512") return avx512::tree_kernels();
  if (instruction_set == "avx2") return avx2::tree_kernels();
#else
  (void)instruction_set;
#endif
  return baseline::tree_kernels();
}

BinnedData::BinnedData(const std::int32_t* codes, std::int64_t n, std::vector<std::int64_t> start,
                       std::vector<double> lowest, std::vector<double> highest)
    : n_(n),
      start_(std::move(start)),
      lowest_(std::move(lowest)),
      highest_(std::move(highest)),
      codes_(codes, codes + n * n_features()) {
  for (int f = 0; f < n_features(); ++f) {
    std::vector<std::int64_t> rows(start_[f + 1] - start_[f]);
    for (std::int64_t i = 0; i < n_; ++i) ++rows[this->codes(f)[i]];
    frequent_bin_.push_back(std::int32_t(std::max_element(rows.begin(), rows.end()) - rows.begin()));
    feature_of_.insert(feature_of_.end(), rows.size(), f);
  }
  for (int first = 0; first < n_features();) {
    int last = first + 1;
    while (last < n_features() && start_[last + 1] - start_[first] <= kBlockBins) ++last;
    add_block(first, last);
    first = last;
  }
}

void BinnedData::add_block(int first, int last) {
  Rows block{first, last, {0}, {}};
  for (std::int64_t i = 0; i < n_; ++i) {
    for (int f = first; f < last; ++f)
      if (codes(f)[i] != frequent_bin_[f]) block.bins.push_back(std::uint16_t(start_[f] - start_[first] + codes(f)[i]));
    block.row_start.push_back(std::int64_t(block.bins.size()));
  }
  blocks_.push_back(std::move(block));
}

std::vector<BinBlock> BinnedData::blocks() const {
  std::vector<BinBlock> list;
  for (const Rows& block : blocks_)
    list.push_back({block.first, block.last, block.row_start.data(), block.bins.data(), start_.data(),
                    frequent_bin_.data()});
  return list;
}

TreeGrower::TreeGrower(const BinnedData& data, const TreeLimits& limits, const TreeKernels& kernels)
    : data_(data),
      limits_(limits),
      kernels_(kernels),
      blocks_(data.blocks()),
      padded_((data.n_bins() + 7) / 8 * 8),
      rows_(data.n()),
      scratch_(data.n()),
      search_scratch_(3 * padded_) {}

// Always splits the leaf whose split gains most; of equals the one made first.
Tree TreeGrower::grow(GradientSource& source, double factor) {
  Tree tree;
  tree.leaf_of.resize(data_.n());
  std::vector<Node> open{root(source)};
  while (int(open.size()) < limits_.max_leaves) {
    const auto top = std::max_element(open.begin(), open.end(),
                                      [](const Node& a, const Node& b) { return a.gain < b.gain; });
    if (top->gain <= 0) break;
    Node node = std::move(*top);
    open.erase(top);
    split(source, node, tree, open);
  }
  for (Node& node : open) {
    add_leaf(source, node, factor, tree);
    release(node);
  }
  return tree;
}

TreeGrower::Node TreeGrower::root(GradientSource& source) {
  std::iota(rows_.begin(), rows_.end(), 0);
  Node node;
  node.end = data_.n();
  node.choice = source.enter(rows_.data(), node.n_rows(), nullptr);
  if (limits_.max_leaves > 1 && worth_a_search(source, node)) {
    build(source, node);
    search(node, source.scale().count_bits);
  }
  return node;
}

// Parts the rows of a node, each side in its old order, and opens its two children.
void TreeGrower::split(GradientSource& source, Node& node, Tree& tree, std::vector<Node>& open) {
  const int feature = data_.feature_of(node.cut);
  const std::uint16_t* codes = data_.codes(feature);
  const auto last_left = std::int32_t(node.cut - data_.start()[feature]);
  const auto inner = std::int32_t(tree.feature.size());
  std::int64_t middle = node.begin, n_right = 0;
  for (std::int64_t p = node.begin; p < node.end; ++p) {
    const std::int32_t row = rows_[p], to_right = codes[row] > last_left;
    rows_[middle] = row;  // both writes always happen, only one counter moves: no branch to mispredict
    scratch_[n_right] = row;
    middle += 1 - to_right;
    n_right += to_right;
  }
  std::copy_n(scratch_.begin(), n_right, rows_.begin() + middle);
  if (node.parent >= 0) (node.is_right ? tree.right : tree.left)[node.parent] = inner;
  tree.feature.push_back(feature);
  tree.threshold.push_back(data_.threshold(node.cut, next_bin(node, source.scale().count_mask())));
  tree.gain.push_back(node.gain * source.scale().w / source.scale().g / source.scale().g);
  tree.left.push_back(0);
  tree.right.push_back(0);

  Node left, right;
  left.begin = node.begin;
  left.end = right.begin = middle;
  right.end = node.end;
  left.parent = right.parent = inner;
  right.is_right = true;
  Node& small = left.n_rows() <= right.n_rows() ? left : right;
  Node& large = &small == &left ? right : left;
  small.choice = source.enter(rows_.data() + small.begin, small.n_rows(), nullptr);
  const Sums rest{node.choice.total.g - small.choice.total.g, node.choice.total.w - small.choice.total.w};
  large.choice = source.enter(rows_.data() + large.begin, large.n_rows(), &rest);
  if (int(open.size()) + 2 < limits_.max_leaves) {
    sum_children(source, node, small, large);
    for (Node* child : {&left, &right})
      if (child->histogram >= 0) search(*child, source.scale().count_bits);
  }
  release(node);
  open.push_back(std::move(left));
  open.push_back(std::move(right));
}

// The first bin after the cut that holds rows of the node. (The bin before the cut does: of equal cuts the first is
// taken.)
std::int64_t TreeGrower::next_bin(const Node& node, std::int64_t count_mask) const {
  const Sums* histogram = histograms_[node.histogram].data();
  std::int64_t bin = node.cut + 1;
  while ((histogram[bin].w & count_mask) == 0) ++bin;
  return bin;
}

// Histograms of the children that may be split. Of fixed gradients the smaller child's is made from its rows, and the
// other's is what that leaves of the parent's.
void TreeGrower::sum_children(const GradientSource& source, Node& parent, Node& small, Node& large) {
  if (!source.fixed()) {
    release(parent);
    for (Node* child : {&small, &large})
      if (worth_a_search(source, *child)) build(source, *child);
  } else if (worth_a_search(source, small)) {
    build(source, small);
    std::swap(large.histogram, parent.histogram);
    Sums* whole = histograms_[large.histogram].data();
    const Sums* part = histograms_[small.histogram].data();
    for (std::int64_t b = 0; b < data_.n_bins(); ++b) {
      whole[b].g -= part[b].g;
      whole[b].w -= part[b].w;
    }
  } else if (worth_a_search(source, large)) {
    std::swap(large.histogram, parent.histogram);
    add_rows(source, small, -1, large.choice.total, large.histogram);
  }
}

// The gain is the squared-sum gain S_L^2/W_L + S_R^2/W_R - S^2/W of the best cut.
void TreeGrower::search(Node& node, int count_bits) {
  double score = -1;
  node.cut = kernels_.search(histograms_[node.histogram].data(), data_.start(), data_.n_features(), node.choice.total,
                             count_bits, limits_.least, padded_, search_scratch_.data(), &score);
  if (node.cut < 0) return release(node);
  const double g = double(node.choice.total.g), w = double(node.choice.total.w >> count_bits);
  node.gain = score - g * g / w;
}

void TreeGrower::build(const GradientSource& source, Node& node) {
  if (free_histograms_.empty()) {
    node.histogram = int(histograms_.size());
    histograms_.emplace_back(data_.n_bins());
  } else {
    node.histogram = free_histograms_.back();
    free_histograms_.pop_back();
    std::fill(histograms_[node.histogram].begin(), histograms_[node.histogram].end(), Sums{});
  }
  add_rows(source, node, 1, node.choice.total, node.histogram);
}

void TreeGrower::add_rows(const GradientSource& source, const Node& rows, int sign, Sums total, int histogram) {
  for (const BinBlock& block : blocks_)
    kernels_.add_rows(block, source.gradients(), rows_.data() + rows.begin, rows.n_rows(), sign, total,
                      histograms_[histogram].data());
}

void TreeGrower::release(Node& node) {
  if (node.histogram >= 0) free_histograms_.push_back(node.histogram);
  node.histogram = -1;
}

// A leaf's value is factor * sum of gradients / sum of Hessians, clipped; 0 where no Hessian is left.
void TreeGrower::add_leaf(const GradientSource& source, const Node& node, double factor, Tree& tree) {
  const auto leaf = std::int32_t(tree.value.size());
  if (node.parent >= 0) (node.is_right ? tree.right : tree.left)[node.parent] = ~leaf;
  std::int64_t g = 0, h = 0;
  for (std::int64_t p = node.begin; p < node.end; ++p) {
    const std::int32_t row = rows_[p];
    tree.leaf_of[row] = std::uint16_t(leaf);
    g += source.gradients()[row].g;
    h += source.hessians()[row];
  }
  const double step = h > 0 ? factor * ((double(g) / source.scale().g) / (double(h) / source.scale().h)) : 0.0;
  tree.value.push_back(limits_.learning_rate * std::clamp(step, -limits_.max_value, limits_.max_value));
  tree.plus.push_back(node.choice.plus);
  tree.minus.push_back(node.choice.minus);
}

}  // namespace algos
