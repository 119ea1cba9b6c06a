// Python bindings. Everything is checked in svm_plus.py before it comes here.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "common.hpp"
#include "numpy_arrays.hpp"
#include "svm_plus_loops.hpp"

using namespace algos;

namespace algos {

SolverKernels solver_kernels(const std::string& instruction_set) {
#ifdef ALGOS_X86
  if (instruction_set == "avx512") return avx512::kernels();
  if (instruction_set == "avx2") return avx2::kernels();
#else
  (void)instruction_set;
#endif
  return baseline::kernels();
}

}  // namespace algos

namespace {

// A matrix by rows. It keeps the arrays it points into.
struct Matrix {
  std::optional<Array<double, 2>> dense;
  std::optional<Array<double, 1>> value;
  std::optional<Array<std::int64_t, 1>> start;
  std::optional<Array<std::int32_t, 1>> column;
  Rows rows;

  explicit Matrix(Array<double, 2> values) : dense(values) {
    rows = {values.data(), nullptr, nullptr, std::int64_t(values.shape(0)), int(values.shape(1))};
  }
  Matrix(Array<double, 1> values, Array<std::int64_t, 1> starts, Array<std::int32_t, 1> columns, int width)
      : value(values), start(starts), column(columns) {
    rows = {values.data(), starts.data(), columns.data(), std::int64_t(starts.size()) - 1, width};
  }
};

struct Ones {
  Array<std::int64_t, 1> start;
  Array<std::int32_t, 1> column;
  Pattern pattern() const { return {start.data(), column.data()}; }
  int rows() const { return int(start.size()) - 1; }
};

// The sweeps, primal and dual values of a solve, to be filled in.
struct Outcomes {
  OutArray<std::int64_t, 1> sweeps;
  OutArray<double, 1> primal, dual;
  Outcome outcome() { return {sweeps.data(), primal.data(), dual.data()}; }
};

struct Advice {
  Ones labels_of;
  std::optional<Array<std::uint8_t, 2>> pool;
  double constant;
  LabelFeatures features(int n_labels) const {
    return {labels_of.pattern(), n_labels, pool ? pool->data() : nullptr, constant};
  }
};

void hinge(const std::string& set, const Matrix& X, const Ones& examples_of, double C, const Stop& stop,
           OutArray<double, 2> z, Outcomes& out) {
  nb::gil_scoped_release release;
  solver_kernels(set).hinge({X.rows, examples_of.pattern(), examples_of.rows(), C, stop, z.data(), out.outcome()});
}

// Multipliers and correcting vectors, changed in place.
struct State {
  OutArray<double, 2> a, b, correction;
  OutArray<double, 1> constant;
};

PlusProblem plus_problem(const Matrix& score, const Matrix& update, const Ones& examples_of, double C, double gamma,
                         const Stop& stop, State& state, OutArray<double, 2>& z, Outcomes& out) {
  return {{score.rows, update.rows}, examples_of.pattern(), examples_of.rows(), C, gamma, stop, state.a.data(),
          state.b.data(), z.data(), state.correction.data(), state.constant.data(), out.outcome()};
}

void plus_rows(const std::string& set, const Matrix& X, const Matrix& privileged, Array<double, 1> direction,
               const Ones& examples_of, double C, double gamma, const Stop& stop, State& state, OutArray<double, 2> z,
               Outcomes& out) {
  nb::gil_scoped_release release;
  solver_kernels(set).plus_rows(plus_problem(X, X, examples_of, C, gamma, stop, state, z, out), privileged.rows,
                                direction.data());
}

void plus_labels(const std::string& set, const Matrix& score, const Matrix& update, const Ones& examples_of,
                 const Advice& advice, double C, double gamma, const Stop& stop, State& state, OutArray<double, 2> z,
                 Outcomes& out) {
  nb::gil_scoped_release release;
  solver_kernels(set).plus_labels(plus_problem(score, update, examples_of, C, gamma, stop, state, z, out),
                                  advice.features(examples_of.rows()));
}

void dictionary(const std::string& set, const Matrix& X, Array<double, 2> gram, const Advice& advice, double C,
                double gamma, const Stop& stop, State& state, OutArray<double, 2> z, Outcomes& out) {
  nb::gil_scoped_release release;
  solver_kernels(set).dictionary({X.rows, gram.data(), C, gamma, stop, state.a.data(), state.b.data(), z.data(),
                                  state.correction.data(), state.constant.data(), out.outcome()},
                                 advice.features(int(gram.shape(0))));
}

}  // namespace

NB_MODULE(_svm_plus, m) {
  m.def("instruction_sets", &instruction_sets);
  nb::class_<Matrix>(m, "Matrix")
      .def(nb::init<Array<double, 2>>())
      .def(nb::init<Array<double, 1>, Array<std::int64_t, 1>, Array<std::int32_t, 1>, int>());
  nb::class_<Ones>(m, "Ones").def(nb::init<Array<std::int64_t, 1>, Array<std::int32_t, 1>>());
  nb::class_<Stop>(m, "Stop").def(nb::init<double, int, bool, std::uint64_t>());
  nb::class_<Outcomes>(m, "Outcomes")
      .def(nb::init<OutArray<std::int64_t, 1>, OutArray<double, 1>, OutArray<double, 1>>());
  nb::class_<State>(m, "State")
      .def(nb::init<OutArray<double, 2>, OutArray<double, 2>, OutArray<double, 2>, OutArray<double, 1>>());
  nb::class_<Advice>(m, "Advice")
      .def(nb::init<Ones, std::optional<Array<std::uint8_t, 2>>, double>(), nb::arg("labels_of"),
           nb::arg("pool").none(), nb::arg("constant"));
  m.def("hinge", &hinge);
  m.def("plus_rows", &plus_rows);
  m.def("plus_labels", &plus_labels);
  m.def("dictionary", &dictionary);
}
