"""HOG from its definition, pixel by pixel."""

import math

import numpy as np


def hog(patch, orientations=9, cell=8, block=2, epsilon=1e-5):
    """Largest channel gradient by [-1, 0, 1] (none at the border), unsigned, L2-Hys blocks."""
    patch = np.atleast_3d(np.asarray(patch, dtype=float))
    height, width, n_channels = patch.shape
    cells = np.zeros((height // cell, width // cell, orientations))
    for i in range(cells.shape[0] * cell):
        for j in range(cells.shape[1] * cell):
            gradients = []
            for c in range(n_channels):
                down = patch[i + 1, j, c] - patch[i - 1, j, c] if 0 < i < height - 1 else 0.0
                right = patch[i, j + 1, c] - patch[i, j - 1, c] if 0 < j < width - 1 else 0.0
                gradients.append((math.hypot(down, right), -c, down, right))
            magnitude, _, down, right = max(gradients)
            angle = math.degrees(math.atan2(down, right)) % 180
            cells[i // cell, j // cell, int(angle // (180 / orientations)) % orientations] += magnitude / cell**2
    blocks = []
    for i in range(cells.shape[0] - block + 1):
        for j in range(cells.shape[1] - block + 1):
            v = cells[i : i + block, j : j + block].ravel()
            v = np.minimum(v / math.sqrt(v @ v + epsilon**2), 0.2)
            blocks.append(v / math.sqrt(v @ v + epsilon**2))
    return np.concatenate(blocks)
