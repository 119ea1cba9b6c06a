"""Dense SIFT, spatial pyramids, their store, and principal components."""

import itertools
import logging

import numpy as np
import pytest
from oracles.spatial_pyramid import pyramid
from PIL import Image
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from algos.exceptions import InputError
from algos.features import (
    Descriptors,
    PrincipalComponents,
    SpatialPyramid,
    StoredDescriptors,
    descriptors,
    pool,
    store_descriptors,
)


def noise(seed, shape=(48, 64)):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture(scope="module")
def images():
    """Six images of two kinds: stripes across, stripes down, with noise."""
    found = []
    for seed in range(6):
        stripes = (np.arange(64) // 4 % 2 * 150).astype(np.uint8)
        image = np.tile(stripes, (48, 1)) if seed % 2 else np.tile(stripes[:48, None], (1, 64))
        found.append(image + noise(seed) // 4)
    return found


# --- descriptors -----------------------------------------------------------------------------------------------------
def test_the_grid_lies_inside_and_is_centred():
    values, positions = descriptors(noise(0, (48, 67)))
    xs, ys = np.unique(positions[:, 0] * 67), np.unique(positions[:, 1] * 48)
    np.testing.assert_allclose(xs, 1 + 8 + 8 * np.arange(7), rtol=1e-5)  # 3 pixels left over: 1 left, 2 right
    np.testing.assert_allclose(ys, 8 + 8 * np.arange(5), rtol=1e-5)
    assert values.shape == (35, 128)
    assert (values.dtype, positions.dtype) == (np.uint8, np.float32)
    assert (np.diff(positions[:7, 0]) > 0).all()  # row by row


def test_a_descriptor_sees_its_patch_and_nothing_far_from_it():
    image = noise(0)
    values, positions = descriptors(image)
    changed = image.copy()
    changed[:, 32:] = noise(1)[:, 32:]
    other, _ = descriptors(changed)
    same = (values == other).all(axis=1)
    # SIFT looks 16 pixels far for a patch of 16: 8 of the patch and the smoothing around it.
    assert same[positions[:, 0] * 64 + 16 < 32].all()
    assert not same[positions[:, 0] * 64 >= 32].any()


def test_descriptors_of_a_shifted_image_are_shifted():
    image = noise(0, (64, 80))
    values, _ = descriptors(image[:48, :64])
    shifted, _ = descriptors(image[8:56, 8:72])
    grid, shifted = values.reshape(5, 7, 128), shifted.reshape(5, 7, 128)
    inner = (slice(2, 4), slice(2, 5))
    assert np.abs(grid[2:4, 2:5].astype(int) - shifted[1:3, 1:4]).max() <= 1
    assert not np.array_equal(grid[inner], shifted[inner])


def test_sift_tells_directions_and_flat_patches():
    ramp = np.tile(np.arange(0, 192, 4, dtype=np.uint8), (48, 1))
    histogram = descriptors(ramp).values.reshape(-1, 16, 8).sum(axis=(0, 1))
    assert histogram.argmax() == 0
    assert histogram[0] > 0.9 * histogram.sum()  # all gradients point to the right
    assert (descriptors(np.full((32, 32), 7, np.uint8)).values == 0).all()


def test_a_larger_patch_sees_more():
    image = noise(0)
    small, large = (descriptors(image, patch_size=size, spacing=8) for size in (16, 32))
    assert len(small.values) == 35
    assert len(large.values) == 15
    assert len(descriptors(image, patch_size=17, spacing=5).values) == 7 * 10


def test_images_smaller_than_a_patch_are_padded_and_named(caplog):
    values, positions = descriptors(noise(0, (5, 40)), name="tiny.png")
    assert values.shape == (4, 128)
    assert "tiny.png: 40 x 5 pixels are less than a patch of 16; its border is repeated" in caplog.text
    padded = np.pad(noise(0, (5, 40)), [(5, 6), (0, 0)], mode="edge")
    assert (descriptors(padded).values == values).all()
    assert descriptors(np.zeros((1, 1), np.uint8)).values.shape == (1, 128)
    assert ((positions > 0) & (positions < 1)).all()


def test_large_images_are_made_smaller():
    image = noise(0, (100, 640))
    assert len(descriptors(image).values) == len(descriptors(noise(0, (47, 300))).values)
    assert len(descriptors(image, max_side=None).values) == 79 * 11
    assert descriptors(noise(0, (3000, 5))).values.shape == (36, 128)


def test_colours_and_files(tmp_path):
    grey = noise(0)
    colour = np.repeat(grey[..., None], 3, axis=2)
    Image.fromarray(grey).save(tmp_path / "x.png")
    for same in (colour, tmp_path / "x.png", str(tmp_path / "x.png"), np.asfortranarray(grey)):
        assert (descriptors(same).values == descriptors(grey).values).all()


@pytest.mark.parametrize(("key", "value"), [("patch_size", 3), ("spacing", 0), ("max_side", 15)])
def test_descriptor_parameters_out_of_range(key, value):
    with pytest.raises(InputError, match=f"{key} is {value}"):
        descriptors(noise(0), **{key: value})


# --- pooling ---------------------------------------------------------------------------------------------------------
WAYS = (("mean", "max"), ("hard", "soft"), ("pyramid", "equal"), ("power", "l2", "l1", "none"))


@pytest.mark.parametrize(("pooling", "coding", "level_weights", "normalise"), list(itertools.product(*WAYS)))
def test_pooling_is_its_definition(pooling, coding, level_weights, normalise):
    described = descriptors(noise(0))
    dictionary = described.values[::4].astype(np.float32) + np.float32(0.25)
    choices = {"pooling": pooling, "coding": coding, "level_weights": level_weights, "normalise": normalise}
    for n_levels in (1, 3):
        found = pool(described, dictionary, n_levels=n_levels, **choices)
        assert found.dtype == np.float32
        expected = pyramid(*described, dictionary, n_levels, **choices)
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6)


def test_paper_histograms_sum_to_the_level_weights():
    described = descriptors(noise(0))
    found = pool(described, described.values[:10].astype(np.float32), normalise="none")
    levels = np.split(found, [10, 50])
    np.testing.assert_allclose([level.sum() for level in levels], [1 / 4, 1 / 4, 1 / 2], rtol=1e-6)
    np.testing.assert_allclose(levels[0], levels[1].reshape(4, 10).sum(axis=0), rtol=1e-5)


def test_pooling_refuses_what_does_not_fit():
    described, dictionary = descriptors(noise(0)), np.zeros((3, 128), np.float32)
    with pytest.raises(InputError, match="pooling is 'maxx'; the nearest is 'max'"):
        pool(described, dictionary, pooling="maxx")
    with pytest.raises(InputError, match="dictionary is of shape"):
        pool(described, dictionary[:, :64])
    with pytest.raises(InputError, match="n_levels is 0"):
        pool(described, dictionary, n_levels=0)


# --- the transformer -------------------------------------------------------------------------------------------------
def test_transformer_follows_scikit_learn(images):
    spm = SpatialPyramid(8, n_levels=2, coding="soft", pooling="max", random_state=3)
    assert clone(spm).get_params() == spm.get_params()
    X = spm.fit_transform(images)
    assert (X.shape, X.dtype) == ((6, 40), np.float32)
    assert len(spm.get_feature_names_out()) == 40
    assert spm.get_feature_names_out()[-1] == "level1_cell3_word7"
    np.testing.assert_allclose(np.linalg.norm(X, axis=1), 1, rtol=1e-6)
    assert spm.dictionary_.shape == (8, 128)
    assert (clone(spm).fit(images).transform(images) == X).all()
    assert not np.array_equal(clone(spm).set_params(random_state=4).fit(images).dictionary_, spm.dictionary_)


def test_transformer_separates_stripes(images):
    X = SpatialPyramid(10).fit(images[:4]).transform(images)
    kernel = X @ X.T
    assert kernel[4, [0, 2]].min() > kernel[4, [1, 3]].max()
    assert kernel[5, [1, 3]].min() > kernel[5, [0, 2]].max()


def test_the_dictionary_sees_training_images_only_and_rows_do_not_depend_on_others(images):
    spm = SpatialPyramid(8).fit(images[:3])
    before = spm.dictionary_.copy()
    alone = np.concatenate([spm.transform([image]) for image in images])
    np.testing.assert_array_equal(spm.transform(images), alone)
    np.testing.assert_array_equal(spm.dictionary_, before)


def test_images_described_before_give_the_same(images):
    described = [descriptors(image) for image in images]
    spm = SpatialPyramid(8)
    assert (spm.fit_transform(described) == clone(spm).fit_transform(images)).all()


def test_the_sample_is_drawn_from_each_image(images):
    assert SpatialPyramid(8, n_sampled=12).fit(images).n_sampled_ == 12
    assert SpatialPyramid(8, n_sampled=13).fit(images).n_sampled_ == 18
    assert SpatialPyramid(8).fit(images).n_sampled_ == 6 * 35


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_words": 1}, "n_words is 1"),
        ({"n_levels": 0}, "n_levels is 0"),
        ({"n_words": 20, "n_sampled": 19}, "n_sampled is 19; give 20"),
        ({"n_words": 300}, "only 210 different descriptors"),
        ({"normalise": "L2"}, "normalise is 'L2'; the nearest is 'l2'"),
        ({"patch_size": 2}, "patch_size is 2"),
    ],
)
def test_transformer_refusals(images, options, sentence):
    with pytest.raises(InputError, match=sentence):
        SpatialPyramid(**options).fit(images)


def test_flat_images_and_no_images():
    with pytest.raises(InputError, match="only 1 different descriptors"):
        SpatialPyramid(2).fit([np.zeros((32, 32), np.uint8)] * 3)
    with pytest.raises(InputError, match="no image to learn"):
        SpatialPyramid(2).fit([])
    spm = SpatialPyramid(2).fit([noise(0)])
    assert np.isfinite(spm.transform([np.zeros((32, 32), np.uint8)])).all()
    with pytest.raises(InputError, match="no image to transform"):
        spm.transform([])


def test_a_small_image_is_named_by_the_transformer(tmp_path, caplog):
    Image.fromarray(noise(0, (8, 8))).save(tmp_path / "small.png")
    SpatialPyramid(2).fit([noise(0), tmp_path / "small.png", noise(0, (9, 9))])
    assert "small.png: 8 x 8" in caplog.text
    assert "image 2: 9 x 9" in caplog.text


# --- the store -------------------------------------------------------------------------------------------------------
def test_stored_descriptors(images, tmp_path):
    store_descriptors(images, tmp_path / "d.arrow", spacing=16)
    stored = StoredDescriptors(tmp_path / "d.arrow")
    assert (len(stored), stored.shape, stored.options) == (6, (6,), {"spacing": 16})
    for image, described in zip(images, stored, strict=True):
        assert isinstance(described, Descriptors)
        for found, expected in zip(described, descriptors(image, spacing=16), strict=True):
            np.testing.assert_array_equal(found, expected)
    part = stored[np.array([5, 2])]
    assert part.names == ["5", "2"]
    assert (part[0].values == stored[5].values).all()
    assert (part[1:][0].values == stored[2].values).all()
    expected = SpatialPyramid(8, spacing=16).fit(images[2:4]).transform(images)
    assert (SpatialPyramid(8).fit(stored[2:4]).transform(stored) == expected).all()
    again = tmp_path / "again.arrow"
    store_descriptors(images, again, spacing=16)
    assert again.read_bytes() == (tmp_path / "d.arrow").read_bytes()


def test_a_store_is_whole_or_not_there(images, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        store_descriptors([*images, tmp_path / "nothing.png"], tmp_path / "d.arrow")
    assert list(tmp_path.iterdir()) == []
    for content in (b"", b"<html>", b"ARROW1\0\0" + b"x" * 100):
        (tmp_path / "d.arrow").write_bytes(content)
        with pytest.raises(InputError, match="make it again"):
            StoredDescriptors(tmp_path / "d.arrow")
    with pytest.raises(InputError, match="make it again"):
        StoredDescriptors(tmp_path / "nothing")


# --- principal components --------------------------------------------------------------------------------------------
@parametrize_with_checks([PrincipalComponents(), PrincipalComponents(2)])
def test_principal_components_follow_scikit_learn(estimator, check):
    check(estimator)


def test_components_are_those_of_the_covariance():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8)) @ rng.normal(size=(8, 8))
    pca = PrincipalComponents(3).fit(X)
    values, vectors = np.linalg.eigh(np.cov(X.T))
    np.testing.assert_allclose(np.abs(pca.components_ @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-8)
    np.testing.assert_allclose(pca.explained_variance_ratio_, values[::-1][:3] / values.sum())
    Z = pca.transform(X)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, (X - X.mean(axis=0)) @ pca.components_.T, atol=1e-5)
    largest = np.abs(pca.components_).argmax(axis=1)
    assert (pca.components_[np.arange(3), largest] > 0).all()


@pytest.mark.parametrize(("shape", "kept"), [((10, 40), 9), ((40, 10), 10), ((2, 3), 1)])
def test_fewer_rows_or_features_give_fewer_components_and_the_log_says_so(shape, kept, caplog):
    X = np.random.default_rng(0).normal(size=shape)
    with caplog.at_level(logging.INFO):
        pca = PrincipalComponents(512).fit(X)
    assert pca.transform(X).shape == (shape[0], kept)
    assert f"PCA: {kept} components, not 512: {shape[0]} rows, {shape[1]} features" in caplog.text


def test_no_component_of_rounding_errors_is_kept():
    rng = np.random.default_rng(0)
    for n_rows in (50, 500):  # scikit-learn takes the singular values, then the covariance's eigenvectors
        X = rng.integers(-9, 9, size=(n_rows, 4)) @ rng.integers(-9, 9, size=(4, 30))
        for dtype in (np.float64, np.float32):
            assert PrincipalComponents(20).fit(X.astype(dtype)).n_components_ == 4
    with pytest.raises(InputError, match="all 5 training rows are the same"):
        PrincipalComponents(20).fit(np.ones((5, 3)))


def test_large_matrices_take_the_seeded_randomised_solver():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 40)) @ rng.normal(size=(40, 600)) + 0.01 * rng.normal(size=(120, 600))
    X = X.astype(np.float32)
    one, two = (PrincipalComponents(30, random_state=seed).fit(X) for seed in (0, 0))
    assert (one.components_ == two.components_).all()
    values = np.linalg.svd(X - X.mean(axis=0), compute_uv=False) ** 2
    np.testing.assert_allclose(one.explained_variance_ratio_, values[:30] / values.sum(), rtol=1e-3)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, None])
def test_wrong_numbers_of_components(wrong):
    with pytest.raises(InputError, match="n_components"):
        PrincipalComponents(wrong).fit(np.eye(4))
