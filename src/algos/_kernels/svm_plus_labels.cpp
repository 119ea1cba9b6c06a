// Solvers that go label by label (see svm_plus_loops.hpp). ALGOS_ISA names the namespace.
#include "svm_plus_solvers.hpp"

#include "svm_plus_steps.hpp"
#include "svm_plus_vectors.hpp"

namespace algos::ALGOS_ISA {
namespace {

constexpr double kHingeRelaxation = 1.7;  // of the SVM's steps; any factor below 2 converges
constexpr int kQuiet = 4;                 // visits at rest after which a multiplier of the SVM is passed over

// How far a sweep was from optimal, and below which gradient variables at a bound may rest in the next one.
struct Progress {
  double worst = 0;
  double bar = kInfinity;
  void begin(bool shrink) {
    bar = shrink && worst > 0 ? worst : kInfinity;
    worst = 0;
  }
  void saw(double gradient) { worst = std::max(worst, std::fabs(gradient)); }
};

// A linear SVM by dual coordinate descent (Hsieh et al. 2008), for one label at a time.
template <class R>
class HingeSolver {
 public:
  HingeSolver(const HingeProblem& problem, const R& rows)
      : problem_(problem), rows_(rows), norm_(problem.rows.n), sign_(problem.rows.n), a_(problem.rows.n),
        quiet_(problem.rows.n) {
    for (std::size_t j = 0; j < norm_.size(); ++j)
      rows_.each(j, [&](int, double x) { norm_[j] += x * x; });
  }

  void solve(int label) {
    std::fill(sign_.begin(), sign_.end(), -1.0);
    const Pattern& examples = problem_.examples_of;
    for (std::int64_t e = examples.start[label]; e < examples.start[label + 1]; ++e) sign_[examples.column[e]] = 1;
    std::fill(a_.begin(), a_.end(), 0.0);
    std::fill(quiet_.begin(), quiet_.end(), 0);
    total_ = 0;
    z_ = problem_.z + std::int64_t{label} * problem_.rows.width;
    std::fill(z_, z_ + problem_.rows.width, 0.0);
    active_ = counting(problem_.rows.n);
    descend(label);
  }

 private:
  void descend(int label) {
    Shuffler shuffle(problem_.stop.seed);
    Progress progress;
    std::int64_t sweeps = 0;
    while (sweeps < problem_.stop.max_sweeps) {
      progress.begin(problem_.stop.shrink && !problem_.stop.plain());
      shuffle(active_);
      sweep(progress);
      ++sweeps;
      const double primal_seen = total_ - dot(z_, z_, problem_.rows.width) / 2 + gap_seen_;
      if (gap_seen_ > problem_.stop.tolerance * primal_seen && progress.worst > kStill) continue;
      if (evaluate()) break;
      progress.worst = 0;
    }
    evaluate();
    problem_.outcome.sweeps[label] = sweeps;
    problem_.outcome.primal[label] = primal_;
    problem_.outcome.dual[label] = dual_;
  }

  // Over-relaxed coordinate steps (Mangasarian and Musicant 1999). The gap is the sum over examples of
  // C max(0, -gradient) + a gradient; summed over what is visited it says when the whole is worth computing.
  void sweep(Progress& progress) {
    const double relaxation = problem_.stop.plain() ? 1 : kHingeRelaxation;
    std::size_t kept = 0;
    gap_seen_ = 0;
    for (const std::int32_t j : active_) {
      const double gradient = sign_[j] * rows_.times(j, z_) - 1, old = a_[j];
      gap_seen_ += problem_.C * std::max(0.0, -gradient) + old * gradient;
      const bool rests = (old <= 0 && gradient >= 0) || (old >= problem_.C && gradient <= 0);
      quiet_[j] = rests ? quiet_[j] + 1 : 0;
      if (progress.bar < kInfinity && (quiet_[j] >= kQuiet || (rests && std::fabs(gradient) > progress.bar))) continue;
      active_[kept++] = j;
      if (rests || norm_[j] <= 0) continue;
      progress.saw(gradient);
      if (std::fabs(gradient) <= kStill) continue;
      a_[j] = std::min(std::max(old - relaxation * gradient / norm_[j], 0.0), problem_.C);
      total_ += a_[j] - old;
      rows_.add_to(z_, j, (a_[j] - old) * sign_[j]);
    }
    active_.resize(kept);
  }

  // The duality gap; wakes whatever is not at its optimum. Tells whether the gap is small enough.
  bool evaluate() {
    double gap = 0;
    active_.clear();
    for (std::int64_t j = 0; j < problem_.rows.n; ++j) {
      const double gradient = sign_[j] * rows_.times(j, z_) - 1;
      gap += problem_.C * std::max(0.0, -gradient) + a_[j] * gradient;
      quiet_[j] = 0;
      if (!((a_[j] <= 0 && gradient >= 0) || (a_[j] >= problem_.C && gradient <= 0)))
        active_.push_back(std::int32_t(j));
    }
    dual_ = total_ - dot(z_, z_, problem_.rows.width) / 2;
    primal_ = dual_ + gap;
    return gap <= problem_.stop.tolerance * primal_;
  }

  const HingeProblem& problem_;
  const R& rows_;
  std::vector<double> norm_, sign_, a_;
  std::vector<int> quiet_;  // visits in a row that found the multiplier at rest
  std::vector<std::int32_t> active_;
  double* z_ = nullptr;
  double total_ = 0, gap_seen_ = 0, primal_ = 0, dual_ = 0;  // total: sum of a
};

// A correcting vector on privileged features that are given as rows.
template <class R>
class RowCorrection {
 public:
  RowCorrection(const Rows& shape, const R& rows, const double* direction, double* values)
      : rows_(rows), direction_(direction), values_(values), width_(shape.width), norm_(shape.n), along_(shape.n) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      rows_.each(j, [&](int, double x) { norm_[j] += x * x; });
      along_[j] = rows_.times(j, direction);
    }
  }
  void open(int label) { vector_ = values_ + std::int64_t{label} * width_; }
  void close() {}
  double slack(std::int64_t j) const { return rows_.times(j, vector_); }
  void add(std::int64_t j, double t) { rows_.add_to(vector_, j, t); }
  double norm(std::int64_t j) const { return norm_[j]; }            // ||xt_j||^2
  double inner(std::int64_t j, std::int64_t q) {                    // <xt_j, xt_q>
    row_.assign(width_, 0.0);
    rows_.add_to(row_.data(), q, 1);
    return rows_.times(j, row_.data());
  }
  double along(std::int64_t j) const { return along_[j]; }          // <direction, xt_j>
  double squared() const { return dot(vector_, vector_, width_); }  // ||wt||^2
  double towards() const { return dot(vector_, direction_, width_); }
  double direction_squared() const { return dot(direction_, direction_, width_); }

 private:
  const R& rows_;
  const double* direction_;
  double* values_;
  int width_;
  std::vector<double> norm_, along_, row_;
  double* vector_ = nullptr;
};

// A correcting vector on the other labels: wt_l = value_l + shift for the labels l of the pool.
class LabelCorrection {
 public:
  LabelCorrection(const LabelFeatures& features, double* values, double* constants)
      : features_(features), values_(values), constants_(constants), member_(features.n_labels) {}

  void open(int label) {
    const int L = features_.n_labels;
    if (features_.pool) {
      std::copy_n(features_.pool + std::int64_t{label} * L, L, member_.begin());
    } else {
      std::fill(member_.begin(), member_.end(), std::uint8_t{1});
      member_[label] = 0;
    }
    size_ = std::accumulate(member_.begin(), member_.end(), 0.0);
    vector_ = values_ + std::int64_t{label} * L;
    constant_ = constants_ + label;
    shift_ = 0;
    sum_ = std::accumulate(vector_, vector_ + L, 0.0);
  }

  // Spells the vector out; what is no privileged feature of the label gets 0.
  void close() {
    for (int l = 0; l < features_.n_labels; ++l) vector_[l] = member_[l] ? vector_[l] + shift_ : 0;
    shift_ = 0;
  }

  double slack(std::int64_t j) const {
    double value = 0;
    int count = 0;
    each_member(j, [&](int l) { value += vector_[l]; ++count; });
    return 2 * (value + count * shift_) - sum_ + features_.constant * *constant_;
  }
  void add(std::int64_t j, double t) {
    int count = 0;
    each_member(j, [&](int l) { vector_[l] += 2 * t; ++count; });
    shift_ -= t;
    sum_ += t * (2 * count - size_);
    *constant_ += t * features_.constant;
  }
  double norm(std::int64_t) const { return size_ + features_.constant * features_.constant; }
  double inner(std::int64_t j, std::int64_t q) {
    int different = 0;
    each_member(j, [&](int l) { member_[l] = 2; ++different; });
    each_member(q, [&](int l) { different += member_[l] == 2 ? -1 : 1; });
    each_member(j, [&](int l) { member_[l] = 1; });
    return norm(j) - 2 * different;
  }

  // A feasible point is reached through the constant, or else by lowering all of wt: most labels are -1 (algorithms, P4).
  double along(std::int64_t j) const {
    if (features_.constant != 0) return features_.constant;
    int count = 0;
    each_member(j, [&](int) { ++count; });
    return size_ - 2 * count;
  }
  double squared() const {
    double total = *constant_ * *constant_;
    for (int l = 0; l < features_.n_labels; ++l)
      if (member_[l]) total += (vector_[l] + shift_) * (vector_[l] + shift_);
    return total;
  }
  double towards() const { return features_.constant != 0 ? *constant_ : -sum_; }
  double direction_squared() const { return features_.constant != 0 ? 1 : size_; }

 private:
  template <class Visit>
  void each_member(std::int64_t j, Visit visit) const {
    const Pattern& labels = features_.labels_of;
    for (std::int64_t e = labels.start[j]; e < labels.start[j + 1]; ++e)
      if (member_[labels.column[e]]) visit(labels.column[e]);
  }

  const LabelFeatures& features_;
  double *values_, *constants_;
  std::vector<std::uint8_t> member_;
  double *vector_ = nullptr, *constant_ = nullptr;
  double shift_ = 0, sum_ = 0, size_ = 0;
};

// SVM+ by dual coordinate descent (Li et al. 2016), for one label at a time.
template <class S, class U, class Correction>
class PlusSolver {
 public:
  PlusSolver(const PlusProblem& problem, const S& score, const U& update, Correction& correction)
      : problem_(problem), score_(score), update_(update), correction_(correction), n_(problem.features.score.n),
        norm_(n_), sign_(n_), margin_(n_), slack_(n_), image_(problem.features.update.width), resting_(n_) {
    for (std::int32_t j = 0; j < n_; ++j) norm_[j] = score_.times(j, image(j));
  }

  void solve(int label) {
    std::fill(sign_.begin(), sign_.end(), -1.0);
    const Pattern& examples = problem_.examples_of;
    for (std::int64_t e = examples.start[label]; e < examples.start[label + 1]; ++e) sign_[examples.column[e]] = 1;
    a_ = problem_.a + label * n_;
    b_ = problem_.b + label * n_;
    z_ = problem_.z + std::int64_t{label} * problem_.features.update.width;
    std::fill(z_, z_ + problem_.features.update.width, 0.0);
    for (std::int64_t j = 0; j < n_; ++j)
      if (a_[j] > 0) update_.add_to(z_, j, a_[j] * sign_[j]);
    correction_.open(label);
    descend(label);
    correction_.close();
  }

 private:
  void descend(int label) {
    wake_all();
    Shuffler shuffle(problem_.stop.seed);
    Progress progress;
    double accuracy = kFirstAccuracy;
    std::int64_t sweeps = 0;
    while (sweeps < problem_.stop.max_sweeps) {
      progress.begin(problem_.stop.shrink && !problem_.stop.plain());
      shuffle(active_);
      sweep(progress);
      ++sweeps;
      if (problem_.stop.plain() && progress.worst <= kStill) break;
      if (problem_.stop.plain() || progress.worst > accuracy || sweeps == problem_.stop.max_sweeps) continue;
      polish(accuracy / 10);
      if (evaluate()) break;
      accuracy = kNextAccuracy * std::min(accuracy, progress.worst);
      progress.worst = 0;
    }
    evaluate();
    problem_.outcome.sweeps[label] = sweeps;
    problem_.outcome.primal[label] = primal_;
    problem_.outcome.dual[label] = dual_;
  }

  void wake_all() {
    partner_ = -1;
    active_ = counting(n_);
    std::fill(resting_.begin(), resting_.end(), std::uint8_t{0});
  }

  void sweep(Progress& progress) {
    std::size_t kept = 0;
    for (const std::int32_t j : active_) {
      visit(j, progress);
      if (resting_[j] != (kA | kB)) active_[kept++] = j;
    }
    active_.resize(kept);
  }

  // The coordinate steps (algorithms P2) for a_j, then b_j; each keeps the correcting vector up to date.
  void visit(std::int32_t j, Progress& progress) {
    if (!(resting_[j] & kA)) {
      const Multiplier a = a_of(j);
      if (a.value <= 0 && a.gradient > progress.bar) resting_[j] |= kA;
      raise_a(j, move(j, kA, a, progress));
    }
    if (!(resting_[j] & kB)) {
      const Multiplier b = b_of(j);
      if (b.value <= 0 && b.gradient > progress.bar) resting_[j] |= kB;
      b_[j] = std::max(0.0, b_[j] + move(j, kB, b, progress));
    }
    if (b_[j] > 0 || a_[j] > 0) partner_ = j;
  }

  double per_unit(std::int32_t j) const { return correction_.norm(j) / problem_.gamma; }
  Multiplier a_of(std::int32_t j) const {
    return {a_[j], sign_[j] * score_.times(j, z_) + correction_.slack(j) - 1, norm_[j] + per_unit(j)};
  }
  Multiplier b_of(std::int32_t j) const { return {b_[j], correction_.slack(j), per_unit(j)}; }

  void raise_a(std::int32_t j, double t) {
    if (t == 0) return;
    a_[j] = std::max(0.0, a_[j] + t);
    update_.add_to(z_, j, t * sign_[j]);
  }

  // Moves the correcting vector by the best step of a multiplier of example j, and returns that. The partner, the last
  // example visited that has a multiplier, moves with it: its b, or its a where b is 0.
  double move(std::int32_t j, std::uint8_t kind, const Multiplier& multiplier, Progress& progress) {
    if (multiplier.rests()) return 0;
    progress.saw(multiplier.gradient);
    const std::int32_t q = problem_.stop.plain() || partner_ == j ? -1 : partner_;
    PairStep step = {multiplier.step(), 0};
    const std::uint8_t partner_kind = q < 0 ? 0 : b_[q] > 0 ? kB : a_[q] > 0 ? kA : 0;
    if (partner_kind) {
      double mixed = correction_.inner(j, q) / problem_.gamma;
      if (kind == kA && partner_kind == kA) mixed += sign_[j] * sign_[q] * score_.times(j, image(q));
      step = pair_step(multiplier, partner_kind == kB ? b_of(q) : a_of(q), mixed);
    }
    if (step.first != 0) correction_.add(j, step.first / problem_.gamma);
    if (step.second != 0) {
      correction_.add(q, step.second / problem_.gamma);
      if (partner_kind == kB) b_[q] = std::max(0.0, b_[q] + step.second);
      else raise_a(q, step.second);
      resting_[q] &= std::uint8_t(~partner_kind);
    }
    return step.first;
  }

  // The update row of example q, spelt out.
  const double* image(std::int32_t q) {
    if (imaged_ == q) return image_.data();
    if (imaged_ >= 0) update_.each(imaged_, [&](int f, double) { image_[f] = 0; });
    update_.each(q, [&](int f, double x) { image_[f] += x; });
    imaged_ = q;
    return image_.data();
  }

  // Passes over b alone, which need no features: slacks below 0 cost most when a point is made feasible.
  void polish(double accuracy) {
    partner_ = -1;
    for (int pass = 0; pass < kPolishing; ++pass) {
      Progress progress;
      for (std::int32_t j = 0; j < n_; ++j) {
        b_[j] = std::max(0.0, b_[j] + move(j, kB, b_of(j), progress));
        if (b_[j] > 0) partner_ = j;
      }
      if (progress.worst <= accuracy) return;
    }
  }

  // The duality gap; wakes whatever is not at its optimum. Tells whether the gap is small enough.
  bool evaluate() {
    double squared = 0, total = 0;
    active_.clear();
    for (std::int64_t j = 0; j < n_; ++j) {
      margin_[j] = sign_[j] * score_.times(j, z_);
      slack_[j] = correction_.slack(j);
      squared += a_[j] * margin_[j];  // ||w||^2 = sum_j a_j y_j w'x_j
      total += a_[j];
      resting_[j] = (a_[j] <= 0 && margin_[j] + slack_[j] >= 1 ? kA : 0) | (b_[j] <= 0 && slack_[j] >= 0 ? kB : 0);
      if (resting_[j] != (kA | kB)) active_.push_back(std::int32_t(j));
    }
    dual_ = total - (squared + problem_.gamma * correction_.squared()) / 2;
    primal_ = feasible_primal(squared);
    return primal_ - dual_ <= problem_.stop.tolerance * primal_;
  }

  // The least step along the correction's direction after which each slack is at least needed(j); infinite without one.
  template <class Needed>
  double raise(Needed needed) const {
    double least = 0, most = kInfinity;
    for (std::int64_t j = 0; j < n_; ++j) {
      const double missing = needed(j) - slack_[j], gain = correction_.along(j);
      if (gain > 0) least = std::max(least, missing / gain);
      else if (gain < 0) most = std::min(most, missing / gain);
      else if (missing > kFeasible) return kInfinity;
    }
    return least <= most + kFeasible ? least : kInfinity;
  }

  double value_after(double step, double squared, double factor) const {
    double slacks = 0;
    for (std::int64_t j = 0; j < n_; ++j) slacks += slack_[j] + step * correction_.along(j);
    const double correcting =
        correction_.squared() + 2 * step * correction_.towards() + step * step * correction_.direction_squared();
    return factor * factor * (squared + problem_.gamma * correcting) / 2 + factor * problem_.C * slacks;
  }

  // The least primal value of some feasible points: slacks are raised until all margins reach a target, and then the
  // whole point is scaled until they reach 1.
  double feasible_primal(double squared) const {
    double best = kInfinity;
    for (const double target : margin_targets(least_margin())) {
      const double step = raise([&](std::int64_t j) { return std::max(0.0, target - margin_[j]); });
      if (step < kInfinity) best = std::min(best, value_after(step, squared, 1 / target));
    }
    return best;
  }

  // The least of the margins and slacks together, 1 at most, once slacks are raised to 0; 0 where that is not known.
  double least_margin() const {
    const double step = raise([](std::int64_t) { return 0.0; });
    double least = step == kInfinity ? 0 : 1;
    for (std::int64_t j = 0; j < n_ && least > 0; ++j)
      least = std::min(least, margin_[j] + slack_[j] + step * correction_.along(j));
    return least;
  }

  static constexpr std::uint8_t kA = 1, kB = 2;  // which multipliers of an example rest at 0

  const PlusProblem& problem_;
  const S& score_;
  const U& update_;
  Correction& correction_;
  std::int64_t n_;
  std::vector<double> norm_, sign_, margin_, slack_, image_;
  std::vector<std::uint8_t> resting_;
  std::vector<std::int32_t> active_;
  std::int32_t partner_ = -1, imaged_ = -1;
  double *a_ = nullptr, *b_ = nullptr, *z_ = nullptr;
  double primal_ = 0, dual_ = 0;
};

template <class S, class U, class Correction>
void solve_all(const PlusProblem& problem, const S& score, const U& update, Correction& correction) {
  PlusSolver<S, U, Correction> solver(problem, score, update, correction);
  for (int label = 0; label < problem.n_labels; ++label) solver.solve(label);
}

}  // namespace

void solve_hinge(const HingeProblem& problem) {
  with_rows(problem.rows, [&](const auto& rows) {
    HingeSolver<std::decay_t<decltype(rows)>> solver(problem, rows);
    for (int label = 0; label < problem.n_labels; ++label) solver.solve(label);
  });
}

// The features are their own updates here.
void solve_plus_rows(const PlusProblem& problem, const Rows& privileged, const double* direction) {
  with_dense_or_sparse(problem.features.score, [&](const auto& features) {
    with_dense_or_sparse(privileged, [&](const auto& rows) {
      RowCorrection<std::decay_t<decltype(rows)>> correction(privileged, rows, direction, problem.correction);
      solve_all(problem, features, features, correction);
    });
  });
}

// Updates are the features themselves, or dense.
void solve_plus_labels(const PlusProblem& problem, const LabelFeatures& labels) {
  LabelCorrection correction(labels, problem.correction, problem.constant);
  with_rows(problem.features.score, [&](const auto& score) {
    if (problem.features.update.value == problem.features.score.value)
      solve_all(problem, score, score, correction);
    else
      solve_all(problem, score, DenseRows(problem.features.update), correction);
  });
}

}  // namespace algos::ALGOS_ISA
