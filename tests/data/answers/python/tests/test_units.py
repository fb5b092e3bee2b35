import pytest

from stockroom import units


def test_grams():
    assert units.kilograms_to_grams(1.5) == 1500
    assert units.grams_to_kilograms(250) == 0.25


def test_pounds():
    assert units.pounds_to_kilograms(10) == pytest.approx(4.5359237)


def test_metres():
    assert units.metres_to_centimetres(2) == 200


def test_negative_values_are_refused():
    with pytest.raises(ValueError):
        units.grams_to_kilograms(-1)
