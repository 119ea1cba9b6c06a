"""Haar-like filters by summing pixels, written for reading."""

# Kind -> (cell row, cell column, sign); the centre of three cells comes second.
CELLS = {
    "two_across": [(0, 0, 1), (0, 1, -1)],
    "two_down": [(0, 0, 1), (1, 0, -1)],
    "three_across": [(0, 0, -1), (0, 1, 1), (0, 2, -1)],
    "three_down": [(0, 0, -1), (1, 0, 1), (2, 0, -1)],
    "four": [(0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)],
}


def response(image, kind, top, left, h, w, centre_weight=1):
    """Sum of the filter's cells of h x w pixels times their signs."""
    total = 0
    for i, j, sign in CELLS[kind]:
        weight = centre_weight if kind.startswith("three") and sign > 0 else 1
        total += sign * weight * image[top + i * h : top + (i + 1) * h, left + j * w : left + (j + 1) * w].sum()
    return total


def all_filters(height, width):
    """Every filter that fits an image: (kind, top, left, h, w)."""
    found = []
    for kind, cells in CELLS.items():
        down, across = 1 + max(i for i, _, _ in cells), 1 + max(j for _, j, _ in cells)
        for h in range(1, height + 1):
            for w in range(1, width + 1):
                for top in range(height - down * h + 1):
                    found.extend((kind, top, left, h, w) for left in range(width - across * w + 1))
    return found
