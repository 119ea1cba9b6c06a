// Exact search for decision stumps on dense features: every cut of every feature, over presorted rows.
//
// Weights come in fixed point (2^30 = the whole), so that sums do not depend on their order and ties are ties.
#pragma once

#include <cstdint>
#include <memory>

namespace algos {

// The best cut: the rows of the - side are those whose value is at most that of row `below`; row `above` has the next
// larger value. Feature -1 is no cut.
struct StumpCut {
  std::int32_t feature = -1;
  std::int32_t below = -1, above = -1;
  double score = 0;
};

// The features' rows in order of value. Each feature's rows are cut into groups of whole values. A search sums the
// groups, scores the cuts between them, and looks at the cuts inside a group only where a bound says that one of them
// could be the best, so it stays exact.
class StumpSearch {
 public:
  // X: n x d, row-major, finite. Groups have about `group_rows` rows unless values are frequent.
  StumpSearch(const double* X, std::int64_t n, int d, int group_rows);
  ~StumpSearch();

  // The cut of the largest |sum of signed weights of the + side - that of the - side|, which must exceed |the sum of
  // all|, the score of no cut. Ties: the first feature, then the lowest cut. The absolute weights (n) sum to < 2^31.
  StumpCut classify(const std::int32_t* signed_weights) const;

  // The cut of the least sqrt(P_L N_L) + sqrt(P_R N_R), P and N being a side's sums of positive and of negative weights;
  // it must be less than sqrt(P N) of all. The score is minus that.
  StumpCut rate(const std::int32_t* signed_weights) const;

  // The cut of the largest S_L^2/W_L + S_R^2/W_R, which must exceed S^2/W, with S and W sums of `gradients` and
  // `weights` (n): both sums of absolute values are < 2^31, and a gradient is 0 where the weight is.
  StumpCut regress(const std::int32_t* gradients, const std::int32_t* weights) const;

 private:
  template <class Row>
  struct Columns;
  template <class Criterion>
  StumpCut search(const Criterion& criterion) const;

  std::int64_t n_;
  std::unique_ptr<Columns<std::uint16_t>> narrow_;  // row numbers of 16 bits where they fit, otherwise `wide_`
  std::unique_ptr<Columns<std::uint32_t>> wide_;
};

}  // namespace algos
