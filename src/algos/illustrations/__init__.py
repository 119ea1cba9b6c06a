"""Figures of the papers that are no result of an experiment: toys in two dimensions, shapes of functions, examples."""
