// Steps of the SVM+ descents: what a multiplier, or two of them, move by.
//
// Privileged features of examples are nearly parallel: all labels but a few are -1. A step of one multiplier is short, for
// the curvature along what examples share stops it. So a multiplier may move together with one of another example: what
// they share cancels, and only the few labels in which the two differ resist (and, where both are a, their features).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "svm_plus_loops.hpp"

namespace algos::ALGOS_ISA {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kStill = 1e-12;        // a gradient below this moves nothing
constexpr double kFeasible = 1e-9;      // a constraint missed by less counts as kept
constexpr double kFirstAccuracy = 0.1;  // largest gradient at which the duality gap is first computed
constexpr double kNextAccuracy = 0.3;   // and its factor where the gap was too large
constexpr int kPolishing = 20;          // most passes over b before a gap
constexpr int kTargets = 8;             // points made feasible, of which the best gives the primal value
constexpr double kRelaxation = 1.5;     // of steps of pairs
constexpr double kWorthwhile = 0.1;     // part of the largest gradient above which a step with another's a is worth it
constexpr double kFlat = 1e-9;          // a pair whose determinant is below this part of the product moves singly

// A multiplier with the gradient and the curvature of the dual problem along it.
struct Multiplier {
  double value, gradient, curvature;
  bool rests() const { return (value <= 0 && gradient >= 0) || curvature <= 0; }
  double step() const {
    return rests() || std::fabs(gradient) <= kStill ? 0 : std::max(-value, -gradient / curvature);
  }
  // The best step once another multiplier has moved so that the gradient here is `shift` more.
  double step_after(double shift) const { return std::max(-value, -(gradient + shift) / curvature); }
};

struct PairStep {
  double first, second;
};

// The exact minimiser over two multipliers, neither below 0; `mixed` is the mixed second derivative.
inline PairStep best_pair(const Multiplier& p, const Multiplier& q, double mixed) {
  const double determinant = p.curvature * q.curvature - mixed * mixed;
  if (determinant <= kFlat * p.curvature * q.curvature) return {p.step(), 0};
  const PairStep free = {(mixed * q.gradient - q.curvature * p.gradient) / determinant,
                         (mixed * p.gradient - p.curvature * q.gradient) / determinant};
  if (free.first >= -p.value && free.second >= -q.value) return free;
  const auto change = [&](const PairStep& s) {
    return s.first * (p.gradient + p.curvature * s.first / 2 + mixed * s.second) +
           s.second * (q.gradient + q.curvature * s.second / 2);
  };
  const PairStep first_at_0 = {-p.value, q.step_after(-mixed * p.value)};
  const PairStep second_at_0 = {p.step_after(-mixed * q.value), -q.value};
  return change(first_at_0) <= change(second_at_0) ? first_at_0 : second_at_0;
}

// A longer step in that direction: the objective is lowered by any factor below 2 on a step to where it is least along a
// line. It goes no further than both multipliers may.
inline PairStep pair_step(const Multiplier& p, const Multiplier& q, double mixed) {
  const PairStep best = best_pair(p, q, mixed);
  double factor = kRelaxation;
  if (best.first < 0) factor = std::min(factor, std::max(1.0, -p.value / best.first));
  if (best.second < 0) factor = std::min(factor, std::max(1.0, -q.value / best.second));
  return {factor * best.first, factor * best.second};
}

// Margins to aim at on the way to a feasible point, from the least that there is to 1.
inline std::vector<double> margin_targets(double least) {
  std::vector<double> targets = {1};
  if (least <= 0 || least >= 1) return targets;
  for (int t = 1; t < kTargets; ++t) targets.push_back(1 - (1 - least) * t / (kTargets - 1));
  return targets;
}

}  // namespace algos::ALGOS_ISA
