// Python bindings. Everything is checked in gradient_tree.py before it comes here.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "gradient_tree_booster.hpp"
#include "numpy_arrays.hpp"

using namespace algos;

namespace {

using Released = nb::call_guard<nb::gil_scoped_release>;

GradientBooster* make_booster(Array<std::int32_t, 2> codes, Array<std::int64_t, 1> start, Array<double, 1> lowest,
                              Array<double, 1> highest, Array<std::int32_t, 1> labels, Array<double, 1> weights,
                              Array<std::int32_t, 1> counts, int classes, int max_leaves, std::int64_t least,
                              double max_value, double learning_rate, bool least_squares, const std::string& instruction_set) {
  BinnedData data(codes.data(), std::int64_t(codes.shape(1)), to_vector(start), to_vector(lowest), to_vector(highest));
  return new GradientBooster(std::move(data), to_vector(labels), to_vector(weights), to_vector(counts), classes,
                             {max_leaves, least, max_value, learning_rate}, least_squares, instruction_set);
}

nb::dict state(const TreeForest& forest) {
  nb::dict arrays;
  arrays["round_start"] = to_numpy(forest.round_start);
  arrays["node_start"] = to_numpy(forest.node_start);
  arrays["leaf_start"] = to_numpy(forest.leaf_start);
  arrays["feature"] = to_numpy(forest.feature);
  arrays["threshold"] = to_numpy(forest.threshold);
  arrays["left"] = to_numpy(forest.left);
  arrays["right"] = to_numpy(forest.right);
  arrays["gain"] = to_numpy(forest.gain);
  arrays["value"] = to_numpy(forest.value);
  arrays["plus"] = to_numpy(forest.plus);
  arrays["minus"] = to_numpy(forest.minus);
  return arrays;
}

TreeForest forest_from(Array<std::int64_t, 1> round_start, Array<std::int64_t, 1> node_start,
                       Array<std::int64_t, 1> leaf_start, Array<std::int32_t, 1> feature, Array<double, 1> threshold,
                       Array<std::int32_t, 1> left, Array<std::int32_t, 1> right, Array<double, 1> gain,
                       Array<double, 1> value, Array<std::int32_t, 1> plus, Array<std::int32_t, 1> minus) {
  TreeForest forest;
  forest.round_start = to_vector(round_start);
  forest.node_start = to_vector(node_start);
  forest.leaf_start = to_vector(leaf_start);
  forest.feature = to_vector(feature);
  forest.threshold = to_vector(threshold);
  forest.left = to_vector(left);
  forest.right = to_vector(right);
  forest.gain = to_vector(gain);
  forest.value = to_vector(value);
  forest.plus = to_vector(plus);
  forest.minus = to_vector(minus);
  return forest;
}

}  // namespace

NB_MODULE(_gradient_tree, m) {
  m.def("instruction_sets", &instruction_sets);
  nb::enum_<PairRule>(m, "PairRule")
      .value("second_order", PairRule::second_order)
      .value("first_order", PairRule::first_order)
      .value("exhaustive", PairRule::exhaustive);
  nb::class_<TreeForest>(m, "Forest")
      .def_static("from_arrays", &forest_from)
      .def("arrays", &state)
      .def("add_scores",
           [](const TreeForest& forest, std::int64_t first, std::int64_t last, Array<double, 2> X,
              OutArray<double, 2> scores) {
             nb::gil_scoped_release release;
             add_scores(forest, first, last, X.data(), std::int64_t(X.shape(0)), int(X.shape(1)), int(scores.shape(1)),
                        scores.data());
           })
      .def("count_errors", [](const TreeForest& forest, Array<double, 2> X, Array<std::int32_t, 1> labels, int classes,
                              OutArray<std::int64_t, 1> counts) {
        nb::gil_scoped_release release;
        count_errors(forest, X.data(), std::int64_t(X.shape(0)), int(X.shape(1)), classes, labels.data(),
                     counts.data());
      });
  nb::class_<GradientBooster>(m, "Booster")
      .def(nb::new_(&make_booster))
      .def("grow_class", &GradientBooster::grow_class, Released())
      .def("grow_pair", &GradientBooster::grow_pair, Released())
      .def("grow_node_pairs", &GradientBooster::grow_node_pairs, Released())
      .def("loss_with", &GradientBooster::loss_with, Released())
      .def("accept", &GradientBooster::accept, Released())
      .def("loss", [](const GradientBooster& booster) { return booster.state().loss(); })
      .def("class_losses", [](const GradientBooster& booster) { return to_numpy(booster.state().class_losses()); })
      .def("scores", [](const GradientBooster& booster) { return to_numpy(booster.state().scores()); })
      .def("probabilities",
           [](const GradientBooster& booster) { return to_numpy(booster.state().all_probabilities()); })
      .def("forest", [](const GradientBooster& booster) { return TreeForest(booster.forest()); });
}
