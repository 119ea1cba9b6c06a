// Python bindings. Everything is checked in hamming.py before it comes here.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "hamming_grower.hpp"
#include "numpy_arrays.hpp"

using namespace algos;

namespace {

// A grower and the coded data it points into.
class Grower {
 public:
  Grower(Array<std::int32_t, 2> codes, Array<double, 1> values, Array<std::int64_t, 1> value_start,
         Array<double, 2> signed_weights, int max_bins, const std::string& instruction_set)
      : codes_(to_flat(codes)), values_(to_vector(values)), grower_(columns(codes, value_start),
        int(codes.shape(1)), int(signed_weights.shape(1)), signed_weights.data(), max_bins,
        instruction_set) {}

  double grow(int n_inner_nodes) {
    nb::gil_scoped_release release;
    return grower_.grow(n_inner_nodes);
  }
  double grow_product(int n_factors) {
    nb::gil_scoped_release release;
    return grower_.grow_product(n_factors);
  }
  double grow_single_label(int n_inner_nodes, int against) {
    nb::gil_scoped_release release;
    return grower_.grow_single_label(n_inner_nodes, against);
  }
  nb::object named() const { return to_numpy(grower_.named()); }
  void set_weights(Array<double, 2> signed_weights) {
    nb::gil_scoped_release release;
    grower_.set_weights(signed_weights.data());
  }
  double accept(double right, double wrong) {
    nb::gil_scoped_release release;
    return grower_.accept(right, wrong);
  }
  double accept_real(double smoothing) {
    nb::gil_scoped_release release;
    return grower_.accept_real(smoothing);
  }
  Forest forest() const { return grower_.forest(); }

 private:
  static std::vector<std::int32_t> to_flat(const Array<std::int32_t, 2>& codes) {
    return std::vector<std::int32_t>(codes.data(), codes.data() + codes.size());
  }
  std::vector<CodedColumn> columns(const Array<std::int32_t, 2>& codes, const Array<std::int64_t, 1>& start) const {
    std::vector<CodedColumn> list;
    const std::size_t n = codes.shape(1);
    for (std::size_t j = 0; j < codes.shape(0); ++j)
      list.push_back({codes_.data() + j * n, values_.data() + start(j), std::int32_t(start(j + 1) - start(j))});
    return list;
  }

  std::vector<std::int32_t> codes_;
  std::vector<double> values_;
  HammingGrower grower_;
};

nb::dict state(const Forest& forest) {
  nb::dict arrays;
  arrays["node_start"] = to_numpy(forest.node_start);
  arrays["leaf_start"] = to_numpy(forest.leaf_start);
  arrays["feature"] = to_numpy(forest.feature);
  arrays["threshold"] = to_numpy(forest.threshold);
  arrays["minus_child"] = to_numpy(forest.minus_child);
  arrays["plus_child"] = to_numpy(forest.plus_child);
  arrays["gain"] = to_numpy(forest.gain);
  arrays["votes"] = to_numpy(forest.votes);
  arrays["real_votes"] = to_numpy(forest.real_votes);
  return arrays;
}

Forest forest_from(Array<std::int64_t, 1> node_start, Array<std::int64_t, 1> leaf_start,
                   Array<std::int32_t, 1> feature, Array<double, 1> threshold, Array<std::int32_t, 1> minus_child,
                   Array<std::int32_t, 1> plus_child, Array<double, 1> gain, Array<std::int8_t, 1> votes,
                   Array<double, 1> real_votes) {
  Forest forest;
  forest.node_start = to_vector(node_start);
  forest.leaf_start = to_vector(leaf_start);
  forest.feature = to_vector(feature);
  forest.threshold = to_vector(threshold);
  forest.minus_child = to_vector(minus_child);
  forest.plus_child = to_vector(plus_child);
  forest.gain = to_vector(gain);
  forest.votes = to_vector(votes);
  forest.real_votes = to_vector(real_votes);
  return forest;
}

}  // namespace

NB_MODULE(_hamming, m) {
  m.def("instruction_sets", &instruction_sets);
  nb::class_<Forest>(m, "Forest")
      .def_static("from_arrays", &forest_from)
      .def("arrays", &state)
      .def("add_scores",
           [](const Forest& forest, Array<double, 1> alphas, int first, int last, Array<double, 2> X,
              OutArray<double, 2> scores) {
             nb::gil_scoped_release release;
             add_scores(forest, alphas.data(), first, last, X.data(), std::int64_t(X.shape(0)), int(X.shape(1)),
                        int(scores.shape(1)), scores.data());
           })
      .def("count_errors",
           [](const Forest& forest, Array<double, 1> alphas, Array<double, 2> X, Array<std::int32_t, 1> labels,
              int classes, OutArray<std::int64_t, 1> counts) {
             nb::gil_scoped_release release;
             count_errors(forest, alphas.data(), int(alphas.size()), X.data(), std::int64_t(X.shape(0)),
                          int(X.shape(1)), classes, labels.data(), counts.data());
           })
      .def("count_label_errors", [](const Forest& forest, Array<double, 1> alphas, Array<double, 2> X,
                                    Array<std::uint8_t, 2> labels, OutArray<std::int64_t, 1> counts) {
        nb::gil_scoped_release release;
        count_label_errors(forest, alphas.data(), int(alphas.size()), X.data(), std::int64_t(X.shape(0)),
                           int(X.shape(1)), int(labels.shape(1)), labels.data(), counts.data());
      });
  nb::class_<Grower>(m, "Grower")
      .def(nb::init<Array<std::int32_t, 2>, Array<double, 1>, Array<std::int64_t, 1>, Array<double, 2>, int,
                    const std::string&>())
      .def("grow", &Grower::grow)
      .def("grow_product", &Grower::grow_product)
      .def("grow_single_label", &Grower::grow_single_label)
      .def("named", &Grower::named)
      .def("set_weights", &Grower::set_weights)
      .def("accept", &Grower::accept)
      .def("accept_real", &Grower::accept_real)
      .def("forest", &Grower::forest);
}
