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

  // The same for label i alone, and <yt_ij, yt_iq>: the two differ in labels that one of the examples has alone.
  double slack(std::int64_t j, int i) const {
    double value = 0;
    int count = 0;
    each_adviser(j, i, [&](int l) { value += values_[at(l, i)]; ++count; });
    return 2 * (value + count * shift_[i]) - sum_[i] + features_.constant * constants_[i];
  }
  void add(std::int64_t j, int i, double t) {
    int count = 0;
    each_adviser(j, i, [&](int l) { values_[at(l, i)] += 2 * t; ++count; });
    shift_[i] -= t;
    sum_[i] += t * (2 * count - size_[i]);
    constants_[i] += features_.constant * t;
  }
  double inner(std::int64_t j, std::int64_t q, int i) const {
    int different = 0;
    each_adviser(j, i, [&](int l) { different += has(q, l) ? 0 : 1; });
    each_adviser(q, i, [&](int l) { different += has(j, l) ? 0 : 1; });
    return norm(i) - 2 * different;
  }
  bool has(std::int64_t j, int l) const {
    const Pattern& labels = features_.labels_of;
    return std::binary_search(labels.column + labels.start[j], labels.column + labels.start[j + 1], l);
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
  template <class Visit>
  void each_adviser(std::int64_t j, int i, Visit visit) const {
    const Pattern& labels = features_.labels_of;
    for (std::int64_t e = labels.start[j]; e < labels.start[j + 1]; ++e)
      if (is_member(labels.column[e], i)) visit(labels.column[e]);
  }
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
        corrections_(features, problem.correction, problem.constant), norm_(n_), image_(problem.rows.width), sign_(L_),
        score_(L_), slack_(L_), moved_(L_), change_(L_), partner_(L_, -1) {
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
      last_worst_ = worst_;
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
  enum class Kind { none, a, b };

  // The coordinate steps (algorithms P3) for a_ij and b_ij of all labels i, and the rank-one update.
  void visit(std::int64_t j) {
    look_at(j);
    rows_.each(j, [&](int f, double x) { image_[f] += x; });
    for (int i = 0; i < L_; ++i) {
      raise_a(i, move(i, Kind::a, a_of(i)));
      raise_b(j_, i, move(i, Kind::b, b_of(i)));
      if (a(j, i) > 0 || b(j, i) > 0) partner_[i] = j;
    }
    rows_.each(j, [&](int f, double) { image_[f] = 0; });
    correct();
    if (!changed_) return;
    rows_.each(j, [&](int f, double x) {
      if (x != 0) add(x, change_.data(), problem_.z + std::int64_t{f} * L_, L_);
    });
    std::fill(change_.begin(), change_.end(), 0.0);
    changed_ = false;
  }

  // The example's labels, slacks and scores.
  void look_at(std::int64_t j) {
    open(j);
    scores();
    const Pattern& labels = features_.labels_of;
    std::fill(sign_.begin(), sign_.end(), -1.0);
    for (std::int64_t e = labels.start[j]; e < labels.start[j + 1]; ++e) sign_[labels.column[e]] = 1;
  }

  void open(std::int64_t j) {
    j_ = j;
    corrections_.open(j, example_);
    corrections_.slacks(example_, slack_.data());
  }

  // What the correcting vectors have moved by along the example.
  void correct() {
    corrections_.add(example_, moved_.data());
    std::fill(moved_.begin(), moved_.end(), 0.0);
  }

  double& a(std::int64_t j, int i) { return problem_.a[j * L_ + i]; }
  double& b(std::int64_t j, int i) { return problem_.b[j * L_ + i]; }
  const double* gram(int i) const { return problem_.gram + std::int64_t{i} * L_; }
  double per_unit(int i) const { return corrections_.norm(i) / problem_.gamma; }

  Multiplier a_of(int i) {
    const double gradient = sign_[i] * (score_[i] + norm_[j_] * change_[i]) + slack_[i] - 1;
    return {a(j_, i), gradient, gram(i)[i] * norm_[j_] + per_unit(i)};
  }
  Multiplier b_of(int i) { return {b(j_, i), slack_[i], per_unit(i)}; }

  void raise_a(int i, double t) {
    if (t == 0) return;
    a(j_, i) = std::max(0.0, a(j_, i) + t);
    add(t * sign_[i], gram(i), change_.data(), L_);
    changed_ = true;
  }
  void raise_b(std::int64_t j, int i, double t) { b(j, i) = std::max(0.0, b(j, i) + t); }

  // The best step of a multiplier of the example and label i. The label's partner, the last example visited that has a
  // multiplier for it, moves with it: its b, or its a where b is 0. The latter costs as much as a visit, so small
  // gradients do without.
  double move(int i, Kind kind, const Multiplier& multiplier) {
    if (multiplier.rests()) return 0;
    worst_ = std::max(worst_, std::fabs(multiplier.gradient));
    const Kind with = partner_kind(i);
    const double worth = with == Kind::a ? kWorthwhile * last_worst_ : kStill;
    if (with != Kind::none && std::fabs(multiplier.gradient) > worth)
      return move_with_partner(i, kind, with, multiplier);
    const double step = multiplier.step();
    moved_[i] += step / problem_.gamma;
    slack_[i] += step * per_unit(i);
    return step;
  }

  Kind partner_kind(int i) {
    const std::int64_t q = partner_[i];
    if (problem_.stop.plain() || q < 0 || q == j_) return Kind::none;
    if (b(q, i) > 0) return Kind::b;
    return !polishing_ && a(q, i) > 0 ? Kind::a : Kind::none;
  }

  double move_with_partner(int i, Kind kind, Kind with, const Multiplier& multiplier) {
    const std::int64_t q = partner_[i];
    const double inner = corrections_.inner(j_, q, i), slack = corrections_.slack(q, i) + moved_[i] * inner;
    const double sign = corrections_.has(q, i) ? 1 : -1, cross = with == Kind::a ? rows_.times(q, image_.data()) : 0;
    Multiplier partner = {b(q, i), slack, per_unit(i)};
    if (with == Kind::a) {
      const double gradient = sign * (score_of(q, i) + cross * change_[i]) + slack - 1;
      partner = {a(q, i), gradient, gram(i)[i] * norm_[q] + per_unit(i)};
    }
    double mixed = inner / problem_.gamma;
    if (kind == Kind::a) mixed += sign_[i] * sign * gram(i)[i] * cross;
    const PairStep step = pair_step(multiplier, partner, mixed);
    moved_[i] += step.first / problem_.gamma;
    corrections_.add(q, i, step.second / problem_.gamma);
    slack_[i] += step.first * per_unit(i) + step.second * inner / problem_.gamma;
    if (with == Kind::b) raise_b(q, i, step.second);
    else raise_partner_a(q, i, step.second, sign, cross);
    return step.first;
  }

  // Changes Z at once, and the scores of the example with it.
  void raise_partner_a(std::int64_t q, int i, double t, double sign, double cross) {
    if (t == 0) return;
    a(q, i) = std::max(0.0, a(q, i) + t);
    add(t * sign * cross, gram(i), score_.data(), L_);
    rows_.each(q, [&](int f, double x) {
      if (x != 0) add(t * sign * x, gram(i), problem_.z + std::int64_t{f} * L_, L_);
    });
  }

  double score_of(std::int64_t q, int i) const {
    double score = 0;
    rows_.each(q, [&](int f, double x) { score += x * problem_.z[std::int64_t{f} * L_ + i]; });
    return score;
  }

  // score = Z x_j, four features at a time, so that the sums are read and written a quarter as often.
  void scores() {
    std::fill(score_.begin(), score_.end(), 0.0);
    const double* row[4];
    double x[4];
    int held = 0;
    rows_.each(j_, [&](int f, double value) {
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

  // Passes over b alone, which need no features: slacks below 0 cost most when a point is made feasible.
  void polish(const std::vector<std::int32_t>& order, double accuracy) {
    polishing_ = true;
    for (int pass = 0; pass < kPolishing; ++pass) {
      worst_ = 0;
      for (const std::int32_t j : order) {
        open(j);
        for (int i = 0; i < L_; ++i) {
          raise_b(j, i, move(i, Kind::b, b_of(i)));
          if (b(j, i) > 0) partner_[i] = j;
        }
        correct();
      }
      if (worst_ <= accuracy) break;
    }
    polishing_ = false;
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

  // Calls see(a, margins) for all examples in turn, each looked at.
  template <class See>
  void each_example(See see) {
    std::vector<double> margin(L_);
    for (std::int64_t j = 0; j < n_; ++j) {
      look_at(j);
      for (int i = 0; i < L_; ++i) margin[i] = sign_[i] * score_[i];
      see(problem_.a + j * L_, margin);
    }
  }

  // The duality gap over all pairs; tells whether it is small enough.
  bool evaluate() {
    std::vector<Range> nonnegative(L_);
    Totals totals(L_);
    each_example([&](const double* a, const std::vector<double>& margin) {
      for (int i = 0; i < L_; ++i) {
        const double along = corrections_.along(example_, i);
        nonnegative[i].need(-slack_[i], along);
        totals.slack[i] += slack_[i];
        totals.gain[i] += along;
        totals.squared += a[i] * margin[i];  // ||D||^2 = sum_ij a_ij y_ij <w_i, D x_j>
        totals.a += a[i];
      }
    });
    totals.correcting = corrections_.squared();
    dual_ = totals.a - totals.squared / 2;
    for (int i = 0; i < L_; ++i) dual_ -= problem_.gamma * totals.correcting[i] / 2;
    primal_ = feasible_primal(least_margin(nonnegative), totals);
    return primal_ - dual_ <= problem_.stop.tolerance * primal_;
  }

  // Sums over examples, of each label where there is more than one.
  struct Totals {
    std::vector<double> slack, gain, correcting;
    double squared = 0, a = 0;
    explicit Totals(int L) : slack(L), gain(L) {}
  };

  // The least of the margins and slacks together, 1 at most, once the labels' slacks are raised to 0.
  double least_margin(const std::vector<Range>& nonnegative) {
    double least = 1;
    each_example([&](const double*, const std::vector<double>& margin) {
      for (int i = 0; i < L_; ++i) {
        const double step = nonnegative[i].step();
        if (step < kInfinity)
          least = std::min(least, margin[i] + slack_[i] + step * corrections_.along(example_, i));
      }
    });
    return least;
  }

  // The least primal value of some feasible points: slacks are raised until all margins reach a target, and then the
  // whole point is scaled until they reach 1.
  double feasible_primal(double least, const Totals& totals) {
    const std::vector<double> targets = margin_targets(least);
    std::vector<std::vector<Range>> needs(targets.size(), std::vector<Range>(L_));
    each_example([&](const double*, const std::vector<double>& margin) {
      for (int i = 0; i < L_; ++i)
        for (std::size_t t = 0; t < targets.size(); ++t)
          needs[t][i].need(std::max(0.0, targets[t] - margin[i]) - slack_[i],
                           corrections_.along(example_, i));
    });
    double best = kInfinity;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      std::vector<double> steps(L_);
      for (int i = 0; i < L_; ++i) steps[i] = needs[t][i].step();
      best = std::min(best, value_after(steps, 1 / targets[t], totals));
    }
    return best;
  }

  double value_after(const std::vector<double>& steps, double factor, const Totals& totals) const {
    double slacks = 0, squared = totals.squared;
    for (int i = 0; i < L_; ++i) {
      const double step = steps[i];
      if (step == kInfinity) return kInfinity;
      slacks += totals.slack[i] + step * totals.gain[i];
      squared += problem_.gamma * (totals.correcting[i] + 2 * step * corrections_.towards(i) +
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
  std::vector<double> norm_, image_;  // image: the example's features, spelt out
  // Of the example in turn, an entry a label. moved: of the correcting vectors along it, over gamma; change: Z is to grow
  // by this times x_j'.
  std::int64_t j_ = -1;
  Example example_;
  std::vector<double> sign_, score_, slack_, moved_, change_;
  bool changed_ = false, polishing_ = false;
  std::vector<std::int64_t> partner_;
  double worst_ = 0, last_worst_ = 0;  // largest gradients of this sweep and of the one before
  double primal_ = 0, dual_ = 0;
};

}  // namespace

void solve_dictionary(const DictionaryProblem& problem, const LabelFeatures& features) {
  with_dense_or_sparse(problem.rows, [&](const auto& rows) {
    DictionarySolver<std::decay_t<decltype(rows)>>(problem, features, rows).solve();
  });
}

SolverKernels kernels() { return {solve_hinge, solve_plus_rows, solve_plus_labels, solve_dictionary}; }

}  // namespace algos::ALGOS_ISA
