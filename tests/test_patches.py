"""Windows and patches, on images whose pixels say where they lie."""

import doctest

import numpy as np
import pytest

import algos.features.patches
from algos.exceptions import InputError
from algos.features import (
    Shapes,
    Windows,
    class_windows,
    cut,
    hardest,
    jittered,
    mine_hard_negatives,
    mirrored,
    patch_size,
    random_windows,
    sliding_windows,
)


class Pictures:
    """Images in which red is the column and green the row; positives of "cat" in the first few."""

    def __init__(self, n=12, n_cats=4, width=120, height=90):
        self.names = np.array([f"p{i:02d}" for i in range(n)])
        self.n_cats, self.shape = n_cats, (height, width)
        self.broken, self.opened = set(), []

    def read_image(self, name):
        self.opened.append(name)
        if name in self.broken:
            raise InputError(f"image {name!r}: is cut short")
        rows, columns = np.indices(self.shape)
        return np.stack([columns, rows, np.full(self.shape, int(name[1:]))], axis=2).astype(np.uint8)

    def positives(self, label, splits=None):
        names = np.repeat(self.names[: self.n_cats if label == "cat" else 0], 2)
        sides = np.array([[20, 40], [30, 45]] * (len(names) // 2)).reshape(-1, 2)
        return names, np.hstack([np.full_like(sides, 10), 10 + sides]).astype(float)

    def images_without(self, label, splits=None):
        names = self.names[self.n_cats :]
        return names, np.full((len(names), 2), self.shape[::-1])

    @property
    def sizes(self):
        return dict.fromkeys(self.names.tolist(), self.shape[::-1])


def inside(windows, width=120, height=90):
    return (windows.box[:, :2] >= 0).all() and (windows.box[:, 2:] <= (width, height)).all()


def sides(windows):
    return windows.box[:, 2:] - windows.box[:, :2]


def overlap(a, b):
    shared = np.prod(np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0))
    return shared / (np.prod(a[2:] - a[:2]) + np.prod(b[2:] - b[:2]) - shared)


def test_patch_size():
    tall, wide, square = [0, 0, 30, 100], [0, 0, 100, 30], [5, 5, 45, 45]
    assert patch_size([tall]) == (80, 24)
    assert patch_size([wide], longer_side=112) == (32, 112)
    assert patch_size([square, tall, wide]) == (80, 80)
    assert patch_size([[0, 0, 1, 100]]) == (80, 16)
    some = np.array([[0, 0, 30, 50], [0, 0, 60, 50], [0, 0, 25, 50], [0, 0, 80, 50]])
    assert patch_size(some) == patch_size(some[:, [1, 0, 3, 2]])[::-1]  # turned images, turned patch
    for boxes, side, says in (([], 80, "no box"), ([[3, 3, 3, 9]], 80, "no area"), ([tall], 81, "longer_side is 81")):
        with pytest.raises(InputError, match=says):
            patch_size(boxes, longer_side=side)


def test_a_patch_shows_what_the_window_encloses():
    source = Pictures()
    windows = Windows.of_kind("positive", ["p03", "p01"], [[20, 10, 52, 74], [0, 0, 120, 90]])
    patches, kept, problems = cut(source, windows, (64, 32))
    assert (patches.shape, patches.dtype, kept.tolist(), problems) == ((2, 64, 32, 3), np.uint8, [0, 1], [])
    np.testing.assert_array_equal(
        patches[0], source.read_image("p03")[10:74, 20:52]
    )  # same size: the pixels themselves
    assert patches[:, 0, 0, 2].tolist() == [3, 1]
    # Shrunk by 120/32: the first column averages over the columns 0 to about 4, the last ends at 119.
    assert patches[1, 5, 0, 0] == pytest.approx(1.5, abs=1)
    assert patches[1, 5, -1, 0] == pytest.approx(117.5, abs=1)
    assert (np.diff(patches[1, :, 7, 1].astype(int)) >= 0).all()
    flipped, _, _ = cut(source, mirrored(windows), (64, 32))
    np.testing.assert_array_equal(flipped[2:], patches[:, :, ::-1])
    np.testing.assert_array_equal(flipped[:2], patches)


def test_each_image_is_opened_once_and_the_order_is_the_windows():
    source = Pictures()
    windows = Windows.of_kind("negative", ["p05", "p02", "p05", "p09"], [[i, 0, i + 40, 40] for i in range(4)])
    features, kept, _ = cut(source, windows, (16, 16), describe=lambda patch: patch[0, 0].astype(np.float32))
    assert source.opened == ["p02", "p05", "p09"]
    assert features.dtype == np.float32
    assert features[:, 2].tolist() == [5, 2, 5, 9]
    assert kept.tolist() == [0, 1, 2, 3]


def test_an_image_that_cannot_be_read_is_named_not_fatal():
    source = Pictures()
    source.broken = {"p02"}
    windows = Windows.of_kind("negative", ["p05", "p02", "p09"], np.tile([0, 0, 40, 40], (3, 1)))
    patches, kept, problems = cut(source, windows, (16, 16))
    assert kept.tolist() == [0, 2]
    assert patches[:, 0, 0, 2].tolist() == [5, 9]
    assert problems == ["image 'p02': is cut short: its 1 windows are left out"]
    with pytest.raises(InputError, match="'p02': is cut short"):
        cut(source, windows, (16, 16), on_error="raise")
    with pytest.raises(InputError, match="none of the images can be read"):
        cut(source, windows.take([1]), (16, 16))
    with pytest.raises(InputError, match="on_error is 'ignore'"):
        cut(source, windows, (16, 16), on_error="ignore")
    outside = Windows.of_kind("negative", ["p01", "p05"], [[100, 0, 121, 40], [0, 0, 40, 40]])
    _, kept, problems = cut(source, outside, (16, 16))
    assert kept.tolist() == [1]
    assert "a window reaches outside its 120 x 90 pixels" in problems[0]


def test_negatives_have_the_positives_shapes_and_spread_over_images():
    source = Pictures(n=14)
    boxes = source.positives("cat")[1]
    shapes = Shapes.of(boxes, quantiles=(0, 1))
    assert shapes.size == pytest.approx((np.sqrt(800), np.sqrt(1350)))
    assert shapes.ratio == pytest.approx((1 / 2, 2 / 3))
    windows = random_windows(*source.images_without("cat"), 1005, shapes, seed=2)
    assert inside(windows)
    assert set(windows.label) == {-1}
    counts = np.unique(windows.image, return_counts=True)[1]
    assert sorted(counts) == [100] * 5 + [101] * 5
    width, height = sides(windows).T
    for values, (low, high) in ((np.sqrt(width * height), shapes.size), (width / height, shapes.ratio)):
        assert values.min() >= low - 1e-9
        assert values.max() <= high + 1e-9
        logs = (np.log(values) - np.log(low)) / (np.log(high) - np.log(low))
        assert np.quantile(logs, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.05)
    # Places are uniform over what the shape allows.
    place = windows.box[:, :2] / (np.array([120, 90]) - sides(windows))
    assert np.quantile(place, [0.1, 0.5, 0.9], axis=0) == pytest.approx(
        np.array([[0.1] * 2, [0.5] * 2, [0.9] * 2]), abs=0.05
    )


def test_draws_are_seeded():
    source, shapes = Pictures(), Shapes((20, 40), (0.5, 1))
    first, again, other = (random_windows(*source.images_without("cat"), 30, shapes, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.box, again.box)
    assert not np.array_equal(first.box, other.box)
    positives = Windows.of_kind("positive", *source.positives("cat"))
    a, b, c = (jittered(positives, source.sizes, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a.box, b.box)
    assert not np.array_equal(a.box, c.box)


def test_a_shape_too_large_for_an_image_is_drawn_anew_or_shrunk():
    windows = random_windows(["a"], [(30, 90)], 50, Shapes((20, 200), (0.5, 1)))
    assert inside(windows, 30, 90)
    assert np.unique(sides(windows).round(6), axis=0).shape[0] > 40
    never = random_windows(["a"], [(30, 90)], 5, Shapes((200, 300), (0.5, 0.5)))
    assert inside(never, 30, 90)
    np.testing.assert_allclose(sides(never), [[30, 60]] * 5)
    assert len(random_windows([], [], 0, Shapes((1, 2), (1, 1)))) == 0
    with pytest.raises(InputError, match="no image without the class"):
        random_windows([], [], 3, Shapes((1, 2), (1, 1)))


def test_jitter_stays_near_and_inside():
    source = Pictures()
    positives = Windows.of_kind("positive", ["p00"] * 300, np.tile([40.0, 20, 80, 70], (300, 1)))
    near = jittered(positives, source.sizes, n_per_window=2, shift=0.1, scale=0.2)
    assert len(near) == 600
    assert set(near.kind) == {"jittered"}
    assert set(near.label) == {1}
    factors = sides(near) / [40, 50]
    np.testing.assert_allclose(factors[:, 0], factors[:, 1])
    assert (factors.min(), factors.max()) == (pytest.approx(0.8, abs=0.01), pytest.approx(1.2, abs=0.01))
    offset = ((near.box[:, 2:] + near.box[:, :2]) / 2 - [60, 45]) / [40, 50]
    np.testing.assert_allclose(np.abs(offset).max(axis=0), [0.1, 0.1], atol=0.01)
    assert len(np.unique(offset[:, 0])) == 600
    full = Windows.of_kind("positive", ["p00"] * 50, np.tile([0.0, 0, 120, 90], (50, 1)))
    assert inside(jittered(full, source.sizes, scale=0.5))
    still = jittered(positives, source.sizes, n_per_window=1, shift=0, scale=0)
    np.testing.assert_allclose(still.box, positives.box)
    with pytest.raises(InputError, match="shift is -"):
        jittered(positives, source.sizes, shift=-0.1)


def test_sliding_windows_are_the_whole_grid():
    shapes = Shapes((20, 40), (1, 1))
    windows = sliding_windows(["a", "b"], [(60, 40), (30, 100)], (16, 16), shapes, step=0.5, per_octave=1)
    expected = [
        ("a", 20 * s, x, y)
        for s in (1, 2)
        for y in range(0, 41 - 20 * s, 10 * s)
        for x in range(0, 61 - 20 * s, 10 * s)
    ]
    expected += [("b", 20, x, y) for y in range(0, 81, 10) for x in range(0, 11, 10)]  # 40 is too wide for b
    assert [(n, *b) for n, b in zip(windows.image, windows.box.round(6).tolist(), strict=True)] == [
        (n, x, y, x + s, y + s) for n, s, x, y in expected
    ]
    few = sliding_windows(["a", "b"], [(60, 40), (30, 100)], (16, 16), shapes, step=0.5, per_octave=1, most=7, seed=3)
    assert len(few) == 7
    whole = {(n, *b) for n, b in zip(windows.image, windows.box.tolist(), strict=True)}
    assert len({(n, *b) for n, b in zip(few.image, few.box.tolist(), strict=True)} & whole) == 7
    tall = sliding_windows(["a"], [(500, 500)], (80, 40), Shapes((50, 80), (1, 1)))
    np.testing.assert_allclose(sides(tall)[:, 0] / sides(tall)[:, 1], 0.5)
    assert len(sliding_windows([], [], (16, 16), shapes)) == 0


def test_windows_of_a_class():
    source = Pictures()
    windows = class_windows(source, "cat", negatives_per_positive=5, least_negatives=0)
    assert (windows.label == 1).sum() == 8
    assert (windows.label == -1).sum() == 40
    assert not set(windows.image[windows.label == 1]) & set(windows.image[windows.label == -1])
    assert (class_windows(source, "cat", negatives_per_positive=5, least_negatives=60).label == -1).sum() == 60
    assert (class_windows(source, "cat", most_negatives=7).label == -1).sum() == 7
    one, same, other = (class_windows(source, "cat", splits) for splits in (["a", "b"], ("b", "a"), ["a"]))
    np.testing.assert_array_equal(one.box, same.box)
    assert not np.array_equal(one.box, other.box)  # a test split has draws of its own
    with pytest.raises(InputError, match="class 'dog' has no positive in val"):
        class_windows(source, "dog", ["val"])


def test_hardest_takes_the_best_and_no_two_of_the_same_place():
    boxes = [[0, 0, 40, 40], [5, 0, 45, 40], [60, 0, 100, 40], [0, 0, 40, 40]]
    windows = Windows.of_kind("negative", ["a", "a", "a", "b"], boxes)
    scores = [3.0, 4.0, 1.0, 2.0]
    assert hardest(windows, scores, 9).tolist() == [1, 3, 2]
    assert hardest(windows, scores, 2).tolist() == [1, 3]
    assert hardest(windows, scores, 9, most_overlap=1).tolist() == [1, 0, 3, 2]
    assert hardest(windows, np.zeros(4), 9).tolist() == [0, 2, 3]
    assert hardest(windows, scores, 0).tolist() == []
    many = random_windows(["a", "b"], [(200, 200)] * 2, 300, Shapes((40, 60), (0.5, 2)))
    rows = hardest(many, np.random.default_rng(0).random(300), 300, most_overlap=0.3)
    assert 10 < len(rows) < 300
    for name in ("a", "b"):
        of_image = many.box[[r for r in rows if many.image[r] == name]]
        assert max(overlap(a, b) for i, a in enumerate(of_image) for b in of_image[:i]) <= 0.3


def test_mining_finds_the_windows_that_score_highest_within_its_budget():
    source = Pictures()
    seen = []

    def score(features):
        seen.append(len(features))
        return features[:, 0]

    def corner(patch):
        return patch[0, 0].astype(np.float32)

    pool = random_windows(*source.images_without("cat"), 400, Shapes((20, 40), (0.5, 1)))
    found, features, scores, problems = mine_hard_negatives(
        source, pool, (16, 16), corner, score, 10, budget=400, most_overlap=1
    )
    everything, _, _ = cut(source, pool, (16, 16), corner)
    np.testing.assert_array_equal(scores, np.sort(everything[:, 0])[::-1][:10])
    np.testing.assert_array_equal(features[:, 0], scores)
    np.testing.assert_array_equal(cut(source, found, (16, 16), corner)[0], features)
    assert set(found.kind) == {"hard_negative"}
    assert set(found.label) == {-1}
    assert problems == []
    mine_hard_negatives(source, pool, (16, 16), corner, score, 10, budget=50)
    assert seen == [400, 50]
    source.broken = {"p05"}
    found, _, _, problems = mine_hard_negatives(source, pool, (16, 16), corner, score, 400, most_overlap=1)
    assert "p05" not in found.image
    assert len(problems) == 1


def test_docstring_examples():
    result = doctest.testmod(algos.features.patches)
    assert result.attempted > 0
    assert result.failed == 0
