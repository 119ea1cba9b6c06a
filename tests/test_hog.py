"""HOG against its definition, and what it must and must not see."""

import doctest

import numpy as np
import pytest
from oracles import hog as oracle

import algos.features.hog
from algos.exceptions import InputError
from algos.features import HOG


@pytest.mark.parametrize("shape", [(32, 24, 3), (24, 24), (21, 35, 3)])
def test_it_is_the_definition(shape):
    patch = np.random.default_rng(len(shape)).integers(0, 256, shape, dtype=np.uint8)
    features = HOG()(patch)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, oracle.hog(patch), atol=1e-5)
    small = HOG(orientations=6, cell=5, block=1)
    np.testing.assert_allclose(small(patch), oracle.hog(patch, 6, 5, 1), atol=1e-5)


def test_lengths():
    for size in ((80, 80), (80, 56), (25, 25), (16, 23)):
        for hog in (HOG(), HOG(cell=4, block=3, orientations=5)):
            assert len(hog(np.zeros((*size, 3)))) == hog.length(size)
    assert HOG().length((80, 80)) == 81 * 36
    with pytest.raises(InputError, match="at least 16"):
        HOG().length((80, 15))
    with pytest.raises(InputError, match="at least 16"):
        HOG()(np.zeros((80, 15)))


def test_contrast_and_brightness_do_not_matter_and_a_flat_patch_is_zero():
    patch = np.random.default_rng(0).integers(0, 100, (32, 32, 3))
    np.testing.assert_allclose(HOG()(patch), HOG()(2 * patch + 7), atol=1e-5)
    assert not HOG()(np.full((32, 32, 3), 9)).any()


def test_an_edge_votes_for_its_own_orientation():
    image = np.zeros((32, 32))
    image[:, 12:] = 1.0  # gradient to the right: bin 0, in the columns 11 and 12, of the second cell
    cells = HOG(block=1)(image).reshape(4, 4, 9)
    assert (cells[:, 1, 0] > 0).all()
    assert not np.delete(cells, 1, axis=1).any()
    assert not cells[..., 1:].any()
    down = HOG(block=1)(image.T).reshape(4, 4, 9)
    assert (down[1, :, 4] > 0).all()  # 90 degrees lies in the fifth of nine bins
    assert np.count_nonzero(down) == 4


def test_largest_gradient_sees_an_edge_between_colours_of_one_grey():
    image = np.zeros((32, 32, 3))
    image[:, :16, 0], image[:, 16:, 1] = 0.587, 0.299  # red and green of equal luma
    assert HOG()(image).any()
    np.testing.assert_allclose(HOG(colour="grey")(image), 0, atol=1e-6)
    grey = np.repeat(np.random.default_rng(1).random((32, 32, 1)), 3, axis=2)
    np.testing.assert_allclose(HOG()(grey), HOG(colour="grey")(grey), atol=1e-5)


@pytest.mark.parametrize(
    ("options", "says"),
    [({"colour": "rgb"}, "colour is 'rgb'"), ({"cell": 0}, "cell is 0"), ({"block_norm": "L3"}, "block_norm is 'L3'")],
)
def test_refusals(options, says):
    with pytest.raises(InputError, match=says):
        HOG(**options)
    with pytest.raises(InputError, match=r"shape \(32, 32, 4\)"):
        HOG()(np.zeros((32, 32, 4)))


def test_docstring_examples():
    result = doctest.testmod(algos.features.hog)
    assert result.attempted > 0
    assert result.failed == 0
