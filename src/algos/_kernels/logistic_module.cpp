// Python bindings. Everything is checked in logistic.py before it comes here.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "logistic.hpp"
#include "numpy_arrays.hpp"

namespace algos {

LogisticKernels logistic_kernels(const std::string& instruction_set) {
#ifdef ALGOS_X86
  if (instruction_set == "avx512") return avx512::kernels();
  if (instruction_set == "avx2") return avx2::kernels();
#endif
  return baseline::kernels();
}

}  // namespace algos

using namespace algos;

NB_MODULE(_logistic, m) {
  m.def("instruction_sets", &instruction_sets);
  m.def("margin_loss", [](OutArray<float, 2> scores, Array<std::int32_t, 1> labels, Array<float, 1> weights,
                          OutArray<double, 1> losses, const std::string& instruction_set) {
    nb::gil_scoped_release release;
    logistic_kernels(instruction_set)
        .margin_loss(scores.data(), labels.data(), weights.data(), std::int64_t(scores.shape(0)),
                     int(scores.shape(1)), losses.data());
  });
  m.def("unit_step", [](Array<float, 2> logits, Array<float, 2> direction, Array<float, 1> step,
                        Array<float, 2> coefficients, OutArray<float, 2> moved, OutArray<float, 2> slope,
                        OutArray<double, 1> values, const std::string& instruction_set) {
    nb::gil_scoped_release release;
    logistic_kernels(instruction_set)
        .unit_step(logits.data(), direction.data(), step.data(), coefficients.data(), std::int64_t(logits.shape(0)),
                   int(logits.shape(1)), moved.data(), slope.data(), values.data());
  });
}
