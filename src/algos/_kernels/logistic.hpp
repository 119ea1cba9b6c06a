// Fused loops over matrices of logistics: the multi-class margin loss, and one logistic unit a class.
#pragma once

#include <cstdint>
#include <string>

#include "common.hpp"

namespace algos {

// One entry an instruction set.
struct LogisticKernels {
  // Of each sample sum_r log(1 + exp(-(f_y - f_r))); scores (n x classes) become the derivatives of weight times loss.
  void (*margin_loss)(float* scores, const std::int32_t* labels, const float* weights, std::int64_t n, int classes,
                      double* losses);
  // Along a ray: moved = logits + step * direction, slope = c s (1 - s), values = sum over samples of c s, where s is
  // the logistic of `moved`. All matrices are n x classes, `step` and `values` have a number for each class.
  void (*unit_step)(const float* logits, const float* direction, const float* step, const float* coefficients,
                    std::int64_t n, int classes, float* moved, float* slope, double* values);
};

// The kernels of an instruction set of this machine.
LogisticKernels logistic_kernels(const std::string& instruction_set);

namespace baseline {
LogisticKernels kernels();
}
#ifdef ALGOS_X86
namespace avx2 {
LogisticKernels kernels();
}
namespace avx512 {
LogisticKernels kernels();
}
#endif

}  // namespace algos
