// Solvers of one instruction set, one namespace each.
#pragma once

#include "svm_plus_loops.hpp"

namespace algos::ALGOS_ISA {

void solve_hinge(const HingeProblem& problem);
void solve_plus_rows(const PlusProblem& problem, const Rows& privileged, const double* direction);
void solve_plus_labels(const PlusProblem& problem, const LabelFeatures& features);
void solve_dictionary(const DictionaryProblem& problem, const LabelFeatures& features);

}  // namespace algos::ALGOS_ISA
