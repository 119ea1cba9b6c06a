"""Reproducible boosting and multi-label learning: estimators, and what the pipeline needs around them."""

__version__ = "0.1.0"
