"""What the workflow's scripts call: configuration, training of folds, tables, figures and the report."""
