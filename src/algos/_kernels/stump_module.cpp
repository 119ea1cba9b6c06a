// Python bindings. Everything is checked in stump.py before it comes here.
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "numpy_arrays.hpp"
#include "stump_search.hpp"

using namespace algos;

namespace {

std::tuple<int, int, int, double> as_tuple(const StumpCut& cut) {
  return {cut.feature, cut.below, cut.above, cut.score};
}

}  // namespace

NB_MODULE(_stump, m) {
  nb::class_<StumpSearch>(m, "StumpSearch")
      .def("__init__",
           [](StumpSearch* self, Array<double, 2> X, int group_rows) {
             nb::gil_scoped_release release;
             new (self) StumpSearch(X.data(), std::int64_t(X.shape(0)), int(X.shape(1)), group_rows);
           })
      .def("classify",
           [](const StumpSearch& self, Array<std::int32_t, 1> signed_weights) {
             nb::gil_scoped_release release;
             return as_tuple(self.classify(signed_weights.data()));
           })
      .def("rate",
           [](const StumpSearch& self, Array<std::int32_t, 1> signed_weights) {
             nb::gil_scoped_release release;
             return as_tuple(self.rate(signed_weights.data()));
           })
      .def("regress", [](const StumpSearch& self, Array<std::int32_t, 1> gradients, Array<std::int32_t, 1> weights) {
        nb::gil_scoped_release release;
        return as_tuple(self.regress(gradients.data(), weights.data()));
      });
}
