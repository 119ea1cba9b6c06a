// The dictionary step: one SVM+ over all pairs of label and example, visited example by example (see
// svm_plus_loops.hpp). ALGOS_ISA names the namespace.
//
// With Z = W D an example's scores are Z x_j, and raising a_ij by t adds t y_ij (W w_i) x_j' to Z. So a visit needs the
// columns of W W' of the labels whose multiplier moved, and touches Z once, on the non-zeros of x_j. Arrays run along
// labels, so all loops but the choice of steps are vector loops.
#include "svm_plus_solvers.hpp"
#include "svm_plus_steps.hpp"
#include "svm_plus_vectors.hpp"

namespace algos::ALGOS_ISA {
namespace {

// An example seen by the correcting vectors: its labels, and how many of them advise each label.
struct Example {
  const std::int32_t *first = nullptr, *last = nullptr;
  std::vector<double> count;
};

// The correcting vectors of all labels on the other labels, transposed: wt_il = value[l][i] + shift[i] for l in the pool
// of i. Without pools the diagonal is not meant: it is left out of sums, and cleared at the end.
class AllCorrections {
 public:
  AllCorrections(const LabelFeatures& features, double* values, double* constants)
      : features_(features), L_(features.n_labels), values_(values), constants_(constants), member_(0), shift_(L_),
        sum_(L_), size_(L_, L_ - 1.0) {
    if (features_.pool) transpose_pool();
    for (int l = 0; l < L_; ++l)
      for (int i = 0; i < L_; ++i) sum_[i] += values_[at(l, i)];
  }

  void open(std::int64_t j, Example& example) const {
    const Pattern& labels = features_.labels_of;
    example.first = labels.column + labels.start[j];
    example.last = labels.column + labels.start[j + 1];
    example.count.assign(L_, 0.0);
    for (const std::int32_t* l = example.first; l < example.last; ++l) count_advice(*l, 1, example.count.data());
  }

  // slack[i] = <wt_i, yt_ij>
  void slacks(const Example& example, double* __restrict slack) const {
    std::fill(slack, slack + L_, 0.0);
    for (const std::int32_t* l = example.first; l < example.last; ++l) {
      const double* __restrict row = values_ + at(*l, 0);
      for (int i = 0; i < L_; ++i) slack[i] += row[i];
      if (!features_.pool) slack[*l] -= row[*l];
    }
    const double c = features_.constant;
    const double* __restrict count = example.count.data();
    for (int i = 0; i < L_; ++i) slack[i] = 2 * (slack[i] + count[i] * shift_[i]) - sum_[i] + c * constants_[i];
  }

  // wt_i += t[i] yt_ij
  void add(const Example& example, const double* __restrict t) {
    for (const std::int32_t* l = example.first; l < example.last; ++l) {
      double* __restrict row = values_ + at(*l, 0);
      if (features_.pool) {
        const std::uint8_t* __restrict member = member_.data() + at(*l, 0);
        for (int i = 0; i < L_; ++i) row[i] += 2 * t[i] * member[i];
      } else {
        for (int i = 0; i < L_; ++i) row[i] += 2 * t[i];
        row[*l] -= 2 * t[*l];
      }
    }
    const double* __restrict count = example.count.data();
    for (int i = 0; i < L_; ++i) {
      shift_[i] -= t[i];
      sum_[i] += t[i] * (2 * count[i] - size_[i]);
      constants_[i] += features_.constant * t[i];
    }
  }

  // inner[i] = <yt_ij, yt_iq>: the two differ in labels that one of them has alone.
  void inner(const Example& j, const Example& q, double* __restrict inner) const {
    std::fill(inner, inner + L_, 0.0);
    const std::int32_t *u = j.first, *v = q.first;  // both ascend
    while (u < j.last || v < q.last) {
      if (v == q.last || (u < j.last && *u < *v)) count_advice(*u++, 1, inner);
      else if (u == j.last || *v < *u) count_advice(*v++, 1, inner);
      else ++u, ++v;
    }
    for (int i = 0; i < L_; ++i) inner[i] = norm(i) - 2 * inner[i];
  }

  double norm(int i) const { return size_[i] + features_.constant * features_.constant; }
  double along(const Example& j, int i) const {
    return features_.constant != 0 ? features_.constant : size_[i] - 2 * j.count[i];
  }
  double towards(int i) const { return features_.constant != 0 ? constants_[i] : -sum_[i]; }
  double direction_squared(int i) const { return features_.constant != 0 ? 1 : size_[i]; }

  // ||wt_i||^2 of all labels.
  std::vector<double> squared() const {
    std::vector<double> total(L_);
    for (int i = 0; i < L_; ++i) total[i] = constants_[i] * constants_[i];
    for (int l = 0; l < L_; ++l)
      for (int i = 0; i < L_; ++i) total[i] += spelt_out(l, i) * spelt_out(l, i);
    return total;
  }

  void close() {
    for (int l = 0; l < L_; ++l)
      for (int i = 0; i < L_; ++i) values_[at(l, i)] = spelt_out(l, i);
    std::fill(shift_.begin(), shift_.end(), 0.0);
  }

 private:
  // Adds t for each label that label l advises.
  void count_advice(int l, double t, double* __restrict count) const {
    if (features_.pool) {
      const std::uint8_t* __restrict member = member_.data() + at(l, 0);
      for (int i = 0; i < L_; ++i) count[i] += t * member[i];
    } else {
      for (int i = 0; i < L_; ++i) count[i] += t;
      count[l] -= t;
    }
  }
  std::int64_t at(int l, int i) const { return std::int64_t{l} * L_ + i; }
  bool is_member(int l, int i) const { return features_.pool ? member_[at(l, i)] != 0 : l != i; }
  double spelt_out(int l, int i) const { return is_member(l, i) ? values_[at(l, i)] + shift_[i] : 0; }
  void transpose_pool() {
    member_.resize(std::size_t(L_) * L_);
    std::fill(size_.begin(), size_.end(), 0.0);
    for (int i = 0; i < L_; ++i)
      for (int l = 0; l < L_; ++l) {
        member_[at(l, i)] = features_.pool[at(i, l)];
        size_[i] += features_.pool[at(i, l)];
      }
  }

  const LabelFeatures& features_;
  int L_;
  double *values_, *constants_;
  std::vector<std::uint8_t> member_;  // advising label x advised label
  std::vector<double> shift_, sum_, size_;
};

template <class R>
class DictionarySolver {
 public:
  DictionarySolver(const DictionaryProblem& problem, const LabelFeatures& features, const R& rows)
      : problem_(problem), features_(features), rows_(rows), n_(problem.rows.n), L_(features.n_labels),
        corrections_(features, problem.correction, problem.constant), norm_(n_), score_(L_), slack_(L_),
        partner_slack_(L_), inner_(L_), moved_(L_), partner_moved_(L_), change_(L_), sign_(L_, -1.0) {
    for (std::int64_t j = 0; j < n_; ++j)
      rows_.each(j, [&](int, double x) { norm_[j] += x * x; });
  }

  void solve() {
    std::vector<std::int32_t> order = counting(n_);
    Shuffler shuffle(problem_.stop.seed);
    double accuracy = kFirstAccuracy;
    std::int64_t sweeps = 0;
    while (sweeps < problem_.stop.max_sweeps) {
      shuffle(order);
      worst_ = 0;
      for (const std::int32_t j : order) visit(j);
      ++sweeps;
      if (problem_.stop.plain() && worst_ <= kStill) break;
      if (problem_.stop.plain() || worst_ > accuracy || sweeps == problem_.stop.max_sweeps) continue;
      const double worst = worst_;
      polish(order, accuracy / 10);
      if (evaluate()) break;
      accuracy = kNextAccuracy * std::min(accuracy, worst);
    }
    evaluate();
    corrections_.close();
    *problem_.outcome.sweeps = sweeps;
    *problem_.outcome.primal = primal_;
    *problem_.outcome.dual = dual_;
  }

 private:
  // The coordinate steps (algorithms P3) for a_ij and b_ij of all labels i, and the rank-one update.
  void visit(std::int64_t j) {
    begin(j);
    scores(j);
    flip_signs(j);
    double* a = problem_.a + j * L_;
    bool scores_changed = false;
    for (int i = 0; i < L_; ++i) {
      const double* gram = problem_.gram + std::int64_t{i} * L_;
      const double gradient = sign_[i] * (score_[i] + norm_[j] * change_[i]) + slack_[i] - 1;
      const double step = move(i, {a[i], gradient, gram[i] * norm_[j] + corrections_.norm(i) / problem_.gamma});
      if (step != 0) {
        a[i] = std::max(0.0, a[i] + step);
        add(step * sign_[i], gram, change_.data(), L_);
        scores_changed = true;
      }
      move_b(i, j);
    }
    flip_signs(j);
    end(j);
    if (!scores_changed) return;
    rows_.each(j, [&](int f, double x) {
      if (x != 0) add(x, change_.data(), problem_.z + std::int64_t{f} * L_, L_);
    });
    std::fill(change_.begin(), change_.end(), 0.0);
  }

  // Slacks of example j and of the partner, the example visited last.
  void begin(std::int64_t j) {
    corrections_.open(j, example_);
    corrections_.slacks(example_, slack_.data());
    std::fill(moved_.begin(), moved_.end(), 0.0);
    if (problem_.stop.plain() || partner_ == j) partner_ = -1;
    if (partner_ < 0) return;
    corrections_.slacks(partner_example_, partner_slack_.data());
    corrections_.inner(example_, partner_example_, inner_.data());
    std::fill(partner_moved_.begin(), partner_moved_.end(), 0.0);
  }

  // Moves the correcting vectors, and makes example j the partner of the next.
  void end(std::int64_t j) {
    corrections_.add(example_, moved_.data());
    if (partner_ >= 0) corrections_.add(partner_example_, partner_moved_.data());
    partner_ = j;
    std::swap(example_, partner_example_);
  }

  void move_b(int i, std::int64_t j) {
    double& b = problem_.b[j * L_ + i];
    b = std::max(0.0, b + move(i, {b, slack_[i], corrections_.norm(i) / problem_.gamma}));
  }

  // The best step of a multiplier of the current example and label i, together with the partner's b.
  double move(int i, const Multiplier& multiplier) {
    if (multiplier.rests()) return 0;
    worst_ = std::max(worst_, std::fabs(multiplier.gradient));
    const double per_unit = corrections_.norm(i) / problem_.gamma;
    double* b = partner_ >= 0 ? problem_.b + partner_ * L_ + i : nullptr;
    PairStep step = {multiplier.step(), 0};
    if (b && *b > 0) step = pair_step(multiplier, {*b, partner_slack_[i], per_unit}, inner_[i] / problem_.gamma);
    slack_[i] += step.first * per_unit;
    moved_[i] += step.first / problem_.gamma;
    if (!b) return step.first;
    partner_slack_[i] += step.first * inner_[i] / problem_.gamma;
    if (step.second != 0) {
      *b = std::max(0.0, *b + step.second);
      slack_[i] += step.second * inner_[i] / problem_.gamma;
      partner_slack_[i] += step.second * per_unit;
      partner_moved_[i] += step.second / problem_.gamma;
    }
    return step.first;
  }

  // score = Z x_j, four features at a time, so that the sums are read and written a quarter as often.
  void scores(std::int64_t j) {
    std::fill(score_.begin(), score_.end(), 0.0);
    const double* row[4];
    double x[4];
    int held = 0;
    rows_.each(j, [&](int f, double value) {
      if (value == 0) return;
      row[held] = problem_.z + std::int64_t{f} * L_;
      x[held++] = value;
      if (held == 4) add_four(x, row, score_.data());
      held %= 4;
    });
    for (int h = 0; h < held; ++h) add(x[h], row[h], score_.data(), L_);
  }

  void add_four(const double* x, const double* const* row, double* __restrict sum) const {
    const double *__restrict r0 = row[0], *__restrict r1 = row[1], *__restrict r2 = row[2], *__restrict r3 = row[3];
    for (int i = 0; i < L_; ++i) sum[i] += (x[0] * r0[i] + x[1] * r1[i]) + (x[2] * r2[i] + x[3] * r3[i]);
  }

  void flip_signs(std::int64_t j) {
    const Pattern& labels = features_.labels_of;
    for (std::int64_t e = labels.start[j]; e < labels.start[j + 1]; ++e) sign_[labels.column[e]] *= -1;
  }

  // Passes over b alone, which need no features: slacks below 0 cost most when a point is made feasible.
  void polish(const std::vector<std::int32_t>& order, double accuracy) {
    for (int pass = 0; pass < kPolishing; ++pass) {
      worst_ = 0;
      for (const std::int32_t j : order) {
        begin(j);
        for (int i = 0; i < L_; ++i) move_b(i, j);
        end(j);
      }
      if (worst_ <= accuracy) return;
    }
  }

  // Limits of the steps along the labels' directions that make slacks feasible.
  struct Range {
    double least = 0, most = kInfinity;
    bool dead = false;
    void need(double missing, double gain) {
      if (gain > 0) least = std::max(least, missing / gain);
      else if (gain < 0) most = std::min(most, missing / gain);
      else if (missing > kFeasible) dead = true;
    }
    double step() const { return !dead && least <= most + kFeasible ? least : kInfinity; }
  };

  // The duality gap over all pairs; tells whether it is small enough.
  bool evaluate() {
    std::vector<Range> nonnegative(L_), margins(L_);
    std::vector<double> total(L_), gain(L_), steps(L_), raised(L_);
    double squared = 0, sum_a = 0;
    for (std::int64_t j = 0; j < n_; ++j) {
      look_at(j);
      const double* a = problem_.a + j * L_;
      for (int i = 0; i < L_; ++i) {
        const double along = corrections_.along(example_, i), margin = sign_[i] * score_[i];
        nonnegative[i].need(-slack_[i], along);
        margins[i].need(std::max(0.0, 1 - margin) - slack_[i], along);
        total[i] += slack_[i];
        gain[i] += along;
        squared += a[i] * margin;  // ||D||^2 = sum_ij a_ij y_ij <w_i, D x_j>
        sum_a += a[i];
      }
      flip_signs(j);
    }
    for (int i = 0; i < L_; ++i) {
      steps[i] = nonnegative[i].step();
      raised[i] = margins[i].step();
    }
    const std::vector<double> correcting = corrections_.squared();
    dual_ = sum_a - squared / 2;
    for (int i = 0; i < L_; ++i) dual_ -= problem_.gamma * correcting[i] / 2;
    const double least = least_margin(steps);
    primal_ = std::min(least > 0 ? value_after(steps, squared, 1 / least, total, gain, correcting) : kInfinity,
                       value_after(raised, squared, 1, total, gain, correcting));
    return primal_ - dual_ <= problem_.stop.tolerance * primal_;
  }

  void look_at(std::int64_t j) {
    corrections_.open(j, example_);
    corrections_.slacks(example_, slack_.data());
    scores(j);
    flip_signs(j);
  }

  // The least margin (1 at most) once the labels' slacks are raised by these steps.
  double least_margin(const std::vector<double>& steps) {
    double least = 1;
    for (const double step : steps)
      if (step == kInfinity) return 0;
    for (std::int64_t j = 0; j < n_ && least > 0; ++j) {
      look_at(j);
      for (int i = 0; i < L_; ++i)
        least = std::min(least, sign_[i] * score_[i] + slack_[i] + steps[i] * corrections_.along(example_, i));
      flip_signs(j);
    }
    return least;
  }

  double value_after(const std::vector<double>& steps, double squared, double factor, const std::vector<double>& total,
                     const std::vector<double>& gain, const std::vector<double>& correcting) const {
    double slacks = 0;
    for (int i = 0; i < L_; ++i) {
      const double step = steps[i];
      if (step == kInfinity) return kInfinity;
      slacks += total[i] + step * gain[i];
      squared += problem_.gamma * (correcting[i] + 2 * step * corrections_.towards(i) +
                                   step * step * corrections_.direction_squared(i));
    }
    return factor * factor * squared / 2 + factor * problem_.C * slacks;
  }

  const DictionaryProblem& problem_;
  const LabelFeatures& features_;
  const R& rows_;
  std::int64_t n_;
  int L_;
  AllCorrections corrections_;
  Example example_, partner_example_;
  std::int64_t partner_ = -1;
  std::vector<double> norm_, score_, slack_, partner_slack_, inner_, moved_, partner_moved_, change_, sign_;
  double worst_ = 0, primal_ = 0, dual_ = 0;
};

}  // namespace

void solve_dictionary(const DictionaryProblem& problem, const LabelFeatures& features) {
  with_dense_or_sparse(problem.rows, [&](const auto& rows) {
    DictionarySolver<std::decay_t<decltype(rows)>>(problem, features, rows).solve();
  });
}

SolverKernels kernels() { return {solve_hinge, solve_plus_rows, solve_plus_labels, solve_dictionary}; }

}  // namespace algos::ALGOS_ISA
