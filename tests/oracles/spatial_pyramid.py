"""Spatial pyramid pooling by its definition, patch by patch (Lazebnik, Schmid and Ponce 2006)."""

import numpy as np


def pyramid(values, positions, dictionary, n_levels, pooling, coding, level_weights, normalise):
    """Return the pooled vector; loops over levels, cells and patches."""
    vector = []
    scale = np.mean([min(_distance(x, w) for w in dictionary) for x in values])
    codes = [_code(x, dictionary, coding, scale) for x in values]
    for level in range(n_levels):
        last, n_side = n_levels - 1, 2**level
        weight = 1.0 if level_weights == "equal" else 1 / 2**last if level == 0 else 1 / 2 ** (last - level + 1)
        for row in range(n_side):
            for column in range(n_side):
                inside = [
                    code
                    for code, (x, y) in zip(codes, positions, strict=True)
                    if column <= x * n_side < column + 1 and row <= y * n_side < row + 1
                ]
                inside = np.array([*inside, np.zeros(len(dictionary))])
                pooled = inside.sum(axis=0) / len(values) if pooling == "mean" else inside.max(axis=0)
                vector.append(weight * pooled)
    vector = np.concatenate(vector)
    if normalise == "power":
        vector = vector**0.5
    if normalise in ("power", "l2"):
        vector = vector / (vector**2).sum() ** 0.5
    return vector / vector.sum() if normalise == "l1" else vector


def _distance(x, w):
    return float(((x.astype(float) - w) ** 2).sum())


def _code(x, dictionary, coding, scale):
    distances = np.array([_distance(x, w) for w in dictionary])
    code = np.zeros(len(dictionary))
    if coding == "hard":
        code[distances.argmin()] = 1
        return code
    near = distances.argsort()[:5]
    code[near] = np.exp(-(distances[near] - distances.min()) / scale)
    return code / code.sum()
