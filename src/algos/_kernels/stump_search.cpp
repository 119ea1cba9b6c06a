#include "stump_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common.hpp"

namespace algos {
namespace {

constexpr double kSlack = 1 + 1e-12;  // bounds are computed with rounding
constexpr int kEndRows = 4;             // rows of a feature's first and last group

// A double's bits as an unsigned number of the same order; both zeros are one.
std::uint64_t ordered_key(double x) {
  std::uint64_t bits;
  x += 0.0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// Sorts (key, row) pairs by key, least digit first; digits that all keys share cost one count.
class RadixSort {
 public:
  struct Item {
    std::uint64_t key;
    std::uint32_t row;
  };
  explicit RadixSort(std::size_t n) : items(n), other_(n) {}

  void sort() {
    for (int shift = 0; shift < 64; shift += kBits) {
      std::uint32_t start[kDigits + 1] = {};
      for (const Item& item : items) ++start[(item.key >> shift & (kDigits - 1)) + 1];
      if (std::find(start, start + kDigits + 1, items.size()) != start + kDigits + 1) continue;
      for (int digit = 0; digit < kDigits; ++digit) start[digit + 1] += start[digit];
      for (const Item& item : items) other_[start[item.key >> shift & (kDigits - 1)]++] = item;
      items.swap(other_);
    }
  }

  std::vector<Item> items;

 private:
  static constexpr int kBits = 11, kDigits = 1 << kBits;
  std::vector<Item> other_;
};

// A criterion says what a cut is worth, given the sum of the rows on its - side. `Boundary` is what it keeps of a cut
// between groups; `upper` is at least the cut's score, and `bound` at least that of any cut between two such.

// Sums of |signed weight| over the positive and over the negative ones, added in one instruction.
struct SignedSums {
  using Sum = std::uint64_t;  // positive * 2^32 + negative

  SignedSums(const std::int32_t* signed_weights, std::int64_t n) : rows(n) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t weight = signed_weights[i];
      rows[i] = weight > 0 ? std::uint64_t(weight) << 32 : std::uint64_t(-weight);
      total += rows[i];
    }
  }
  static double positive(Sum sum) { return double(sum >> 32); }
  static double negative(Sum sum) { return double(sum & 0xffffffff); }

  AlignedVector<Sum> rows;
  Sum total = 0;
};

// |edge|. With the positive and the negative sum each between two ends, it is largest at an end.
class EdgeCriterion : public SignedSums {
 public:
  using SignedSums::SignedSums;
  using Boundary = Sum;

  Boundary boundary(Sum minus) const { return minus; }
  double score(Sum minus) const { return std::fabs(edge(minus)); }
  double upper(Sum minus) const { return score(minus); }
  double bound(Sum before, Sum after) const {
    const double all = positive(total) - negative(total);
    return std::max(all - 2 * (positive(before) - negative(after)), 2 * (positive(after) - negative(before)) - all);
  }

 private:
  double edge(Sum minus) const {
    return positive(total) - negative(total) - 2 * (positive(minus) - negative(minus));
  }
};

// -(sqrt(P_- N_-) + sqrt(P_+ N_+)), P and N a side's positive and negative sum: minus half of what the exponential loss
// becomes when either side has the coefficient that suits it best. It is convex in (P_-, N_-), so largest at a corner.
class ConfidenceCriterion : public SignedSums {
 public:
  using SignedSums::SignedSums;
  struct Boundary {
    double positive, negative, score;
  };

  Boundary boundary(Sum minus) const { return {positive(minus), negative(minus), score(minus)}; }
  double score(Sum minus) const { return worth(positive(minus), negative(minus)); }
  double upper(const Boundary& cut) const { return cut.score; }
  double bound(const Boundary& before, const Boundary& after) const {
    const double pure = std::max(worth(after.positive, before.negative), worth(before.positive, after.negative));
    return std::max(pure, std::max(before.score, after.score)) / kSlack;  // scores are negative
  }

 private:
  double worth(double P, double N) const {
    return -(std::sqrt(P * N) + std::sqrt((positive(total) - P) * (negative(total) - N)));
  }
};

// Sums of positive gradients, of negative ones without their sign, and of weights, added in one instruction.
struct GradientSum {
  typedef std::int32_t Lanes __attribute__((vector_size(16)));
  Lanes lanes{};
  GradientSum& operator+=(const GradientSum& other) {
    lanes += other.lanes;
    return *this;
  }
  GradientSum operator-(const GradientSum& other) const { return {lanes - other.lanes}; }
  double positive() const { return lanes[0]; }
  double negative() const { return lanes[1]; }
  double weight() const { return lanes[2]; }
  double gradient() const { return positive() - negative(); }
};

// S_-^2/W_- + S_+^2/W_+.
class LeastSquaresCriterion {
 public:
  using Sum = GradientSum;
  struct Boundary {
    double positive, negative;   // of the - side
    double per_minus, per_plus;  // 1 / weight of either side, to rounding
  };

  LeastSquaresCriterion(const std::int32_t* gradients, const std::int32_t* weights, std::int64_t n) : rows(n) {
    for (std::int64_t i = 0; i < n; ++i) {
      rows[i].lanes = GradientSum::Lanes{std::max(gradients[i], 0), std::max(-gradients[i], 0), weights[i], 0};
      total += rows[i];
      if (weights[i] > 0) steepest_ = std::max(steepest_, std::fabs(double(gradients[i])) / weights[i]);
    }
    gradient_ = total.gradient();
  }
  Boundary boundary(const Sum& minus) const {
    const double weight = std::max(minus.weight(), kNoWeight);
    const double rest = std::max(total.weight() - minus.weight(), kNoWeight);
    const double per_both = 1 / (weight * rest);
    return {minus.positive(), minus.negative(), per_both * rest, per_both * weight};
  }
  double score(const Sum& minus) const {
    return worth(minus.gradient(), minus.weight()) +
           worth(gradient_ - minus.gradient(), total.weight() - minus.weight());
  }
  double upper(const Boundary& cut) const {
    const double minus = cut.positive - cut.negative, plus = gradient_ - minus;
    return kSlack * (minus * minus * cut.per_minus + plus * plus * cut.per_plus);
  }
  // The gradient of the - side lies between two ends, and each side is worth at most a convex function of it, so the
  // sum is largest at an end.
  double bound(const Boundary& before, const Boundary& after) const {
    const double most = after.positive - before.negative, least = before.positive - after.negative;
    const MostWorth minus = most_worth(most, least, before.per_minus);
    const MostWorth plus = most_worth(gradient_ - least, gradient_ - most, after.per_plus);
    return kSlack * std::max(minus.at_first + plus.at_second, minus.at_second + plus.at_first);
  }

  AlignedVector<Sum> rows;
  Sum total;

 private:
  static constexpr double kNoWeight = 1e-3;  // less than any weight but none

  static double worth(double S, double W) { return W > 0 ? S * S / W : 0.0; }
  // What a side is worth at most at two ends of its gradient S: by S^2/W with the least weight W it can have, or, as
  // |S| <= steepest W, by steepest |S| where that is less. The same for both ends, for either is convex and the less of
  // the two is not.
  struct MostWorth {
    double at_first, at_second;
  };
  MostWorth most_worth(double first, double second, double per_weight) const {
    first = std::fabs(first);
    second = std::fabs(second);
    if (std::max(first, second) * per_weight > steepest_) return {steepest_ * first, steepest_ * second};
    return {first * first * per_weight, second * second * per_weight};
  }
  double gradient_ = 0, steepest_ = 0;
};

template <class Sum, class Row>
Sum sum_rows(const Sum* rows, const Row* first, const Row* last) {
  Sum even{}, odd{};  // two chains of additions run side by side
  for (; last - first >= 2; first += 2) {
    even += rows[first[0]];
    odd += rows[first[1]];
  }
  if (first != last) even += rows[*first];
  even += odd;
  return even;
}

// Whether a cut of this score replaces the best: ties go to the lower feature, then to the lower cut.
bool wins(double score, std::int32_t feature, std::int64_t position, const StumpCut& best, std::int64_t best_position) {
  if (score != best.score) return score > best.score;
  return feature < best.feature || (feature == best.feature && position < best_position);
}

}  // namespace

// Rows by feature, in order of value. A group of a feature is a run of its rows.
template <class Row>
struct StumpSearch::Columns {
  std::int64_t n;
  std::vector<std::int32_t> feature;       // those that are not constant
  std::vector<Row> order;                  // feature x n: rows in ascending order of value
  std::vector<bool> ends_value;            // feature x n: whether the next row has a larger value
  std::vector<std::int64_t> group_start;   // feature -> first group; one more entry at the end
  std::vector<std::int32_t> group_end;     // group -> position after its last row
  std::vector<std::uint8_t> many_values;   // group -> whether it holds more than one value
  std::vector<std::int64_t> largest;       // feature -> its largest group, summed as what the others leave

  Columns(const double* X, std::int64_t rows, int d, int group_rows) : n(rows), group_start{0} {
    RadixSort sorter{std::size_t(n)};
    for (int j = 0; j < d; ++j) {
      for (std::int64_t i = 0; i < n; ++i) sorter.items[i] = {ordered_key(X[i * d + j]), std::uint32_t(i)};
      sorter.sort();
      if (sorter.items.front().key != sorter.items.back().key) add(j, sorter.items, group_rows);
    }
  }

  void add(int j, const std::vector<RadixSort::Item>& sorted, int group_rows) {
    std::int64_t start = 0, largest_group = -1, most = 0;
    bool many = false;
    for (std::int64_t p = 0; p < n; ++p) {
      order.push_back(Row(sorted[p].row));
      const bool ends = p + 1 == n || sorted[p].key != sorted[p + 1].key;
      ends_value.push_back(ends);
      if (!ends) continue;
      // Bounds are weak where little lies on one side, so groups are smaller there.
      const std::int64_t near_end = std::max<std::int64_t>(kEndRows, std::min(start, (n - start) / 2));
      const std::int64_t enough = std::min<std::int64_t>(group_rows, near_end);
      const std::int64_t ahead = p + enough;
      const bool next_is_frequent = ahead < n && sorted[p + 1].key == sorted[ahead].key;
      if (p + 1 - start < enough && p + 1 < n && !next_is_frequent) {
        many = true;
        continue;
      }
      if (p + 1 - start > most) {
        most = p + 1 - start;
        largest_group = std::int64_t(group_end.size());
      }
      group_end.push_back(std::int32_t(p + 1));
      many_values.push_back(many);
      start = p + 1;
      many = false;
    }
    feature.push_back(j);
    largest.push_back(largest_group);
    group_start.push_back(std::int64_t(group_end.size()));
  }

  template <class Criterion>
  StumpCut search(const Criterion& criterion) const {
    Search<Criterion> search(*this, criterion);
    return search.run();
  }

  template <class Criterion>
  class Search {
   public:
    using Sum = typename Criterion::Sum;
    using Boundary = typename Criterion::Boundary;
    Search(const Columns& columns, const Criterion& criterion)
        : columns_(columns), criterion_(criterion), bounds_(columns.feature.size()), sums_(columns.group_end.size()) {
      best_.score = criterion.score(Sum{});
    }

    StumpCut run() {
      const std::size_t n_features = columns_.feature.size();
      for (std::size_t f = 0; f < n_features; ++f) bounds_[f] = search_between_groups(f);
      for (std::size_t f = 0; f < n_features; ++f)
        if (wins(bounds_[f], std::int32_t(f), 0, best_, position_)) search_within_groups(f);
      if (best_.feature < 0) return best_;
      const Row* order = rows_of(best_.feature);
      best_.below = order[position_ - 1];
      best_.above = order[position_];
      best_.feature = columns_.feature[best_.feature];
      return best_;
    }

   private:
    const Row* rows_of(std::size_t f) const { return columns_.order.data() + f * columns_.n; }

    // The sums of a feature's groups, in their places.
    void sum_groups(std::size_t f) {
      const std::int64_t first = columns_.group_start[f], last = columns_.group_start[f + 1];
      const std::int64_t largest = columns_.largest[f];
      const Row* order = rows_of(f);
      Sum others{};
      for (std::int64_t g = first, begin = 0; g < last; begin = columns_.group_end[g++]) {
        if (g == largest) continue;
        sums_[g] = sum_rows(criterion_.rows.data(), order + begin, order + columns_.group_end[g]);
        others += sums_[g];
      }
      sums_[largest] = criterion_.total - others;
    }

    void try_cut(const Sum& minus, const Boundary& cut, std::size_t f, std::int64_t position) {
      if (criterion_.upper(cut) < best_.score) return;
      const double score = criterion_.score(minus);
      if (!wins(score, std::int32_t(f), position, best_, position_)) return;
      best_.score = score;
      best_.feature = std::int32_t(f);
      position_ = position;
    }

    // Returns the largest bound of the groups of many values.
    double search_between_groups(std::size_t f) {
      sum_groups(f);
      const std::int64_t first = columns_.group_start[f], last = columns_.group_start[f + 1];
      Sum minus{};
      Boundary before = criterion_.boundary(minus);
      double bound = -std::numeric_limits<double>::infinity();
      for (std::int64_t g = first; g < last; ++g) {
        minus += sums_[g];
        const Boundary after = criterion_.boundary(minus);
        if (columns_.many_values[g]) bound = std::max(bound, criterion_.bound(before, after));
        if (g + 1 < last) try_cut(minus, after, f, columns_.group_end[g]);
        before = after;
      }
      return bound;
    }

    void search_within_groups(std::size_t f) {
      const std::int64_t first = columns_.group_start[f], last = columns_.group_start[f + 1];
      Sum before{};
      for (std::int64_t g = first, begin = 0; g < last; begin = columns_.group_end[g++]) {
        Sum after = before;
        after += sums_[g];
        if (columns_.many_values[g]) {
          const double bound = criterion_.bound(criterion_.boundary(before), criterion_.boundary(after));
          if (wins(bound, std::int32_t(f), begin, best_, position_))
            search_in_group(f, begin, columns_.group_end[g], before);
        }
        before = after;
      }
    }

    void search_in_group(std::size_t f, std::int64_t begin, std::int64_t end, Sum minus) {
      const Row* order = rows_of(f);
      for (std::int64_t p = begin; p + 1 < end; ++p) {
        minus += criterion_.rows[order[p]];
        if (columns_.ends_value[f * columns_.n + p]) try_cut(minus, criterion_.boundary(minus), f, p + 1);
      }
    }

    const Columns& columns_;
    const Criterion& criterion_;
    std::vector<double> bounds_;
    std::vector<Sum> sums_;
    StumpCut best_;                // its feature counts those that are not constant, until the end
    std::int64_t position_ = 0;    // rows on its - side
  };
};

StumpSearch::StumpSearch(const double* X, std::int64_t n, int d, int group_rows) : n_(n) {
  if (n <= std::numeric_limits<std::uint16_t>::max()) narrow_ = std::make_unique<Columns<std::uint16_t>>(X, n, d, group_rows);
  else wide_ = std::make_unique<Columns<std::uint32_t>>(X, n, d, group_rows);
}

StumpSearch::~StumpSearch() = default;

template <class Criterion>
StumpCut StumpSearch::search(const Criterion& criterion) const {
  return narrow_ ? narrow_->search(criterion) : wide_->search(criterion);
}

StumpCut StumpSearch::classify(const std::int32_t* signed_weights) const {
  return search(EdgeCriterion(signed_weights, n_));
}

StumpCut StumpSearch::rate(const std::int32_t* signed_weights) const {
  return search(ConfidenceCriterion(signed_weights, n_));
}

StumpCut StumpSearch::regress(const std::int32_t* gradients, const std::int32_t* weights) const {
  return search(LeastSquaresCriterion(gradients, weights, n_));
}

}  // namespace algos
