"""Haar-like filters against sums of pixels."""

import doctest

import numpy as np
import pytest
from oracles import haar as oracle
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.features import HaarFeatures, haar


@parametrize_with_checks([HaarFeatures(n_filters=7), HaarFeatures(n_filters=None, normalise="area")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def responses(model, images, centre_weight=1):
    """What the oracle says of each image and filter."""
    return np.array([[oracle.response(image, *f, centre_weight) for f in model.filters_] for image in images])


@pytest.mark.parametrize("shape", [(5, 7), (6, 4), (1, 5), (4, 1), (3, 3)])
@pytest.mark.parametrize("centre_weight", [1, 2])
def test_all_filters_and_their_responses(shape, centre_weight):
    images = np.random.default_rng(0).integers(-9, 256, (40, *shape))
    model = HaarFeatures(shape, n_filters=None, centre_weight=centre_weight).fit(images.reshape(40, -1))
    assert [tuple(f) for f in model.filters_.tolist()] == oracle.all_filters(*shape)
    found = model.transform(images.reshape(40, -1))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, responses(model, images, centre_weight))


def test_sampled_filters_are_some_of_all_and_none_is_drawn_twice():
    X = load_digits().data
    everything = HaarFeatures((8, 8), n_filters=None).fit(X)
    place = {tuple(f): i for i, f in enumerate(everything.filters_.tolist())}
    responses_of_all = everything.transform(X)
    for n_filters in (1, 50, len(place) - 1):
        model = HaarFeatures((8, 8), n_filters=n_filters, random_state=3).fit(X)
        chosen = [place[tuple(f)] for f in model.filters_.tolist()]
        assert model.n_filters_ == n_filters
        assert (np.diff(chosen) > 0).all()
        np.testing.assert_array_equal(model.transform(X), responses_of_all[:, chosen])
    assert HaarFeatures((8, 8), n_filters=10**6).fit(X).n_filters_ == len(place)


def test_each_filter_is_drawn_as_often_as_the_next():
    X, total = np.zeros((1, 12)), len(oracle.all_filters(3, 4))
    counts = dict.fromkeys(oracle.all_filters(3, 4), 0)
    for seed in range(400):
        for f in HaarFeatures((3, 4), n_filters=5, random_state=seed).fit(X).filters_.tolist():
            counts[tuple(f)] += 1
    expected = 400 * 5 / total
    assert sum((c - expected) ** 2 / expected for c in counts.values()) < total + 4 * np.sqrt(2 * total)


def test_the_seed_decides_which_filters():
    X = np.zeros((1, 784))
    first, again, other = (HaarFeatures((28, 28), 100, random_state=s).fit(X).filters_ for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
def test_large_integers_stay_exact(dtype):
    """Sums too large for float32 on the way there, in images whose responses fit it."""
    images = np.full((3, 60, 70), 255) - np.random.default_rng(1).integers(0, 9, (3, 60, 70))
    X = images.reshape(3, -1).astype(dtype)
    model = HaarFeatures((60, 70), 300, random_state=0).fit(X)
    assert model.transform(X).astype(np.int64).tolist() == responses(model, images).tolist()


def test_real_numbers_are_summed_in_double_precision():
    images = np.random.default_rng(2).normal(size=(30, 12, 9)) + 1000
    model = HaarFeatures((12, 9), 200, random_state=0).fit(images.reshape(30, -1))
    expected = responses(model, images).astype(np.float32)
    np.testing.assert_allclose(model.transform(images.reshape(30, -1)), expected, rtol=1e-6, atol=1e-6)


def test_area_divides_by_the_pixels_under_the_filter():
    X = load_digits().data[:20]
    plain, scaled = (HaarFeatures((8, 8), 60, normalise=n, random_state=0).fit(X) for n in ("none", "area"))
    cells = {"two": 2, "three": 3, "four": 4}
    areas = [cells[f["kind"].split("_")[0]] * f["cell_height"] * f["cell_width"] for f in plain.filters_]
    np.testing.assert_allclose(scaled.transform(X), plain.transform(X) / areas, rtol=1e-6)
    rounded = HaarFeatures((8, 8), 60, normalise="grey_levels", random_state=0).fit(X)
    np.testing.assert_array_equal(rounded.transform(X), np.rint(scaled.transform(X)))


def test_one_grey_gives_nothing_when_balanced():
    X = np.full((1, 64), 7.0)
    assert not HaarFeatures((8, 8), None, centre_weight=2).fit_transform(X).any()
    plain = HaarFeatures((8, 8), None).fit(X)
    three = np.char.startswith(plain.filters_["kind"], "three")
    np.testing.assert_array_equal(plain.transform(X)[0] != 0, three)


def test_images_do_not_depend_on_their_neighbours(monkeypatch):
    X = np.random.default_rng(3).integers(0, 256, (67, 49)).astype(float)
    X[40] += 0.25  # one image that is no integer changes the sums' type, for its chunk alone
    model = HaarFeatures(n_filters=80, random_state=0).fit(X)
    together = model.transform(X)
    monkeypatch.setattr(haar, "CHUNK_BYTES", 0)
    np.testing.assert_array_equal(model.transform(X), together)
    np.testing.assert_array_equal(np.vstack([model.transform(x[None]) for x in X]), together)


def test_names_and_default_shape():
    model = HaarFeatures(n_filters=None).fit(np.zeros((1, 4)))
    assert model.image_shape_ == (2, 2)
    assert model.get_feature_names_out()[0] == "haar_two_across_r0_c0_1x1"
    assert len(set(model.get_feature_names_out())) == model.n_filters_ == len(oracle.all_filters(2, 2))
    assert HaarFeatures(n_filters=None).fit(np.zeros((1, 6))).image_shape_ == (1, 6)


@pytest.mark.parametrize(
    ("params", "n_pixels", "message"),
    [
        ({"image_shape": (4, 5)}, 16, "20 pixels and X has 16"),
        ({"image_shape": (4, 4, 1)}, 16, "a height and a width"),
        ({"image_shape": (-4, -4)}, 16, "a height and a width"),
        ({"n_filters": 0}, 16, "n_filters"),
        ({"centre_weight": 3}, 16, "centre_weight"),
        ({"normalise": "mean"}, 16, "normalise"),
        ({}, 1, "no filter has two pixels"),
    ],
)
def test_bad_input_is_named(params, n_pixels, message):
    with pytest.raises(ValueError, match=message):
        HaarFeatures(**params).fit(np.zeros((2, n_pixels)))


def test_example_prints_what_it_says():
    result = doctest.testmod(haar)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.mirror
def test_mnist_images_are_those_of_the_registry(read_mirrored):
    table = read_mirrored("mnist")
    images = table.X[:50].reshape(-1, 28, 28)
    model = HaarFeatures((28, 28), 200, random_state=0).fit(table.X[:50])
    np.testing.assert_array_equal(model.transform(table.X[:50]), responses(model, images))
