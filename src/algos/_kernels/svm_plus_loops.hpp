// Dual coordinate descent for linear SVM and SVM+ problems, compiled once for each instruction set (svm_plus_loops.cpp).
//
// Two kinds of privileged features: given as rows, or the other labels of the example (You et al. 2017, eq. 3). The
// latter are -1 but at the few labels the example has, so they are never written out: a correcting vector is kept as
// its values plus one common shift, with their sum, and a product or an update costs as much as the example has labels.
#pragma once

#include <cstdint>
#include <string>

namespace algos {

// A matrix by rows: dense where `start` is null, else compressed sparse rows.
struct Rows {
  const double* value = nullptr;
  const std::int64_t* start = nullptr;
  const std::int32_t* column = nullptr;
  std::int64_t n = 0;
  int width = 0;
};

// A 0/1 matrix by rows: for each the columns that are 1.
struct Pattern {
  const std::int64_t* start = nullptr;
  const std::int32_t* column = nullptr;
};

struct Stop {
  // Of the duality gap, over the primal value. With 0 there are max_sweeps plain sweeps: the papers' steps, one multiplier
  // at a time. Else steps are relaxed, and SVM+ steps are of pairs (svm_plus_steps.hpp), for these get there sooner.
  double tolerance = 0;
  int max_sweeps = 0;
  bool shrink = true;  // pass over multipliers that rest at a bound, unless sweeps are plain
  std::uint64_t seed = 0;  // of the order of visits
  bool plain() const { return tolerance <= 0; }
};

// What is known at the end, one entry a label (one in all for the dictionary).
struct Outcome {
  std::int64_t* sweeps;
  double* primal;  // at the current point made feasible; infinite where no way to do so is known
  double* dual;
};

// Scores are z'score_j, and raising a multiplier of example j moves z along update_j: the same rows, or x_j and D'D x_j.
struct Features {
  Rows score;
  Rows update;
};

// The labels' own privileged features.
struct LabelFeatures {
  Pattern labels_of;             // example -> its labels
  int n_labels = 0;
  const std::uint8_t* pool = nullptr;  // label x label: may the column's label advise the row's; null: all but itself
  double constant = 0;           // value of one more privileged feature, the same for all examples
};

// Linear SVM with the hinge loss: min 1/2 ||z||^2 + C sum max(0, 1 - y_j z'x_j), label by label.
struct HingeProblem {
  Rows rows;
  Pattern examples_of;  // label -> its examples
  int n_labels = 0;
  double C = 1;
  Stop stop;
  double* z = nullptr;  // label x width, out
  Outcome outcome;
};

// SVM+ label by label: min 1/2 ||w||^2 + gamma/2 ||wt||^2 + C sum_j <wt, xt_j>
// subject to y_j <w, x_j> >= 1 - <wt, xt_j> and <wt, xt_j> >= 0.
struct PlusProblem {
  Features features;
  Pattern examples_of;
  int n_labels = 0;
  double C = 1, gamma = 1;
  Stop stop;
  double* a = nullptr;          // label x example, in and out
  double* b = nullptr;          // label x example, in and out
  double* z = nullptr;          // label x width, out
  double* correction = nullptr; // wt: label x number of privileged features (without the constant of labels), in and out
  double* constant = nullptr;   // label: wt of the constant of labels, in and out
  Outcome outcome;
};

// The dictionary step, one SVM+ over all pairs of label and example: scores are w_i'D x_j = Z_i'x_j with Z = W D.
struct DictionaryProblem {
  Rows rows;
  const double* gram = nullptr;  // W W', label x label
  double C = 1, gamma = 1;
  Stop stop;
  double* a = nullptr;          // example x label, in and out
  double* b = nullptr;          // example x label, in and out
  double* z = nullptr;          // width x label: Z transposed, in and out
  double* correction = nullptr; // wt transposed: advising label x advised label, in and out
  double* constant = nullptr;   // advised label, in and out
  Outcome outcome;
};

struct SolverKernels {
  void (*hinge)(const HingeProblem&);
  // Adding `direction` to a correcting vector raises slacks: it makes a point feasible when its value is wanted.
  void (*plus_rows)(const PlusProblem&, const Rows& privileged, const double* direction);
  void (*plus_labels)(const PlusProblem&, const LabelFeatures&);
  void (*dictionary)(const DictionaryProblem&, const LabelFeatures&);
};

SolverKernels solver_kernels(const std::string& instruction_set);

namespace baseline {
SolverKernels kernels();
}
#ifdef ALGOS_X86
namespace avx2 {
SolverKernels kernels();
}
namespace avx512 {
SolverKernels kernels();
}
#endif

}  // namespace algos
