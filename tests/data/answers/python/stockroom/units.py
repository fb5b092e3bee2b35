"""Units of measure: masses, lengths, volumes, and how quantities are written.

Every conversion refuses negative values. Nothing is rounded.
"""

import math

GRAM_IN_KILOGRAMS = 0.001
MILLIGRAM_IN_KILOGRAMS = 1e-06
TONNE_IN_KILOGRAMS = 1000
POUND_IN_KILOGRAMS = 0.45359237
OUNCE_IN_KILOGRAMS = 0.028349523125
CENTIMETRE_IN_METRES = 0.01
MILLIMETRE_IN_METRES = 0.001
KILOMETRE_IN_METRES = 1000
INCH_IN_METRES = 0.0254
YARD_IN_METRES = 0.9144
MILLILITRE_IN_LITRES = 0.001
HECTOLITRE_IN_LITRES = 100
GALLON_IN_LITRES = 3.785411784
MINUTE_IN_SECONDS = 60
HOUR_IN_SECONDS = 3600
DAY_IN_SECONDS = 86400
ACRE_IN_HECTARES = 0.40468564224
ARE_IN_HECTARES = 0.01
BAR_IN_PASCALS = 100000
TORR_IN_PASCALS = 133.32236842105263


def _checked(value):
    """Return the value. Raises ValueError for negative ones and for what is no number."""
    if math.isnan(value) or value < 0:
        raise ValueError(f"not a quantity: {value}")
    return value


# Mass


def grams_to_kilograms(value):
    """Convert grams to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) / 1000


def kilograms_to_grams(value):
    """Convert kilograms to grams.

    Raises ValueError for negative values.
    """
    return _checked(value) * 1000


def milligrams_to_kilograms(value):
    """Convert milligrams to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) / 1000000


def kilograms_to_milligrams(value):
    """Convert kilograms to milligrams.

    Raises ValueError for negative values.
    """
    return _checked(value) * 1000000


def tonnes_to_kilograms(value):
    """Convert tonnes to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) * TONNE_IN_KILOGRAMS


def kilograms_to_tonnes(value):
    """Convert kilograms to tonnes.

    Raises ValueError for negative values.
    """
    return _checked(value) / TONNE_IN_KILOGRAMS


def pounds_to_kilograms(value):
    """Convert pounds to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) * POUND_IN_KILOGRAMS


def kilograms_to_pounds(value):
    """Convert kilograms to pounds.

    Raises ValueError for negative values.
    """
    return _checked(value) / POUND_IN_KILOGRAMS


def ounces_to_kilograms(value):
    """Convert ounces to kilograms.

    Raises ValueError for negative values.
    """
    return _checked(value) * OUNCE_IN_KILOGRAMS


def kilograms_to_ounces(value):
    """Convert kilograms to ounces.

    Raises ValueError for negative values.
    """
    return _checked(value) / OUNCE_IN_KILOGRAMS


def grams_to_milligrams(value):
    """Convert grams to milligrams, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_milligrams(grams_to_kilograms(value))


def grams_to_tonnes(value):
    """Convert grams to tonnes, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_tonnes(grams_to_kilograms(value))


def grams_to_pounds(value):
    """Convert grams to pounds, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_pounds(grams_to_kilograms(value))


def grams_to_ounces(value):
    """Convert grams to ounces, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_ounces(grams_to_kilograms(value))


def milligrams_to_tonnes(value):
    """Convert milligrams to tonnes, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_tonnes(milligrams_to_kilograms(value))


def milligrams_to_pounds(value):
    """Convert milligrams to pounds, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_pounds(milligrams_to_kilograms(value))


def milligrams_to_ounces(value):
    """Convert milligrams to ounces, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_ounces(milligrams_to_kilograms(value))


def pounds_to_tonnes(value):
    """Convert pounds to tonnes, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_tonnes(pounds_to_kilograms(value))


def ounces_to_tonnes(value):
    """Convert ounces to tonnes, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_tonnes(ounces_to_kilograms(value))


def ounces_to_pounds(value):
    """Convert ounces to pounds, by way of kilograms.

    Raises ValueError for negative values.
    """
    return kilograms_to_pounds(ounces_to_kilograms(value))


# Length


def centimetres_to_metres(value):
    """Convert centimetres to metres.

    Raises ValueError for negative values.
    """
    return _checked(value) / 100


def metres_to_centimetres(value):
    """Convert metres to centimetres.

    Raises ValueError for negative values.
    """
    return _checked(value) * 100


def millimetres_to_metres(value):
    """Convert millimetres to metres.

    Raises ValueError for negative values.
    """
    return _checked(value) / 1000


def metres_to_millimetres(value):
    """Convert metres to millimetres.

    Raises ValueError for negative values.
    """
    return _checked(value) * 1000


def kilometres_to_metres(value):
    """Convert kilometres to metres.

    Raises ValueError for negative values.
    """
    return _checked(value) * KILOMETRE_IN_METRES


def metres_to_kilometres(value):
    """Convert metres to kilometres.

    Raises ValueError for negative values.
    """
    return _checked(value) / KILOMETRE_IN_METRES


def inches_to_metres(value):
    """Convert inches to metres.

    Raises ValueError for negative values.
    """
    return _checked(value) * INCH_IN_METRES


def metres_to_inches(value):
    """Convert metres to inches.

    Raises ValueError for negative values.
    """
    return _checked(value) / INCH_IN_METRES


def yards_to_metres(value):
    """Convert yards to metres.

    Raises ValueError for negative values.
    """
    return _checked(value) * YARD_IN_METRES


def metres_to_yards(value):
    """Convert metres to yards.

    Raises ValueError for negative values.
    """
    return _checked(value) / YARD_IN_METRES


def centimetres_to_millimetres(value):
    """Convert centimetres to millimetres, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_millimetres(centimetres_to_metres(value))


def centimetres_to_kilometres(value):
    """Convert centimetres to kilometres, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_kilometres(centimetres_to_metres(value))


def centimetres_to_inches(value):
    """Convert centimetres to inches, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_inches(centimetres_to_metres(value))


def centimetres_to_yards(value):
    """Convert centimetres to yards, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_yards(centimetres_to_metres(value))


def millimetres_to_yards(value):
    """Convert millimetres to yards, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_yards(millimetres_to_metres(value))


def kilometres_to_millimetres(value):
    """Convert kilometres to millimetres, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_millimetres(kilometres_to_metres(value))


def kilometres_to_yards(value):
    """Convert kilometres to yards, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_yards(kilometres_to_metres(value))


def inches_to_millimetres(value):
    """Convert inches to millimetres, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_millimetres(inches_to_metres(value))


def inches_to_kilometres(value):
    """Convert inches to kilometres, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_kilometres(inches_to_metres(value))


def inches_to_yards(value):
    """Convert inches to yards, by way of metres.

    Raises ValueError for negative values.
    """
    return metres_to_yards(inches_to_metres(value))


# Volume


def millilitres_to_litres(value):
    """Convert millilitres to litres.

    Raises ValueError for negative values.
    """
    return _checked(value) / 1000


def litres_to_millilitres(value):
    """Convert litres to millilitres.

    Raises ValueError for negative values.
    """
    return _checked(value) * 1000


def hectolitres_to_litres(value):
    """Convert hectolitres to litres.

    Raises ValueError for negative values.
    """
    return _checked(value) * HECTOLITRE_IN_LITRES


def litres_to_hectolitres(value):
    """Convert litres to hectolitres.

    Raises ValueError for negative values.
    """
    return _checked(value) / HECTOLITRE_IN_LITRES


def gallons_to_litres(value):
    """Convert gallons to litres.

    Raises ValueError for negative values.
    """
    return _checked(value) * GALLON_IN_LITRES


def litres_to_gallons(value):
    """Convert litres to gallons.

    Raises ValueError for negative values.
    """
    return _checked(value) / GALLON_IN_LITRES


def hectolitres_to_millilitres(value):
    """Convert hectolitres to millilitres, by way of litres.

    Raises ValueError for negative values.
    """
    return litres_to_millilitres(hectolitres_to_litres(value))


def gallons_to_millilitres(value):
    """Convert gallons to millilitres, by way of litres.

    Raises ValueError for negative values.
    """
    return litres_to_millilitres(gallons_to_litres(value))


def gallons_to_hectolitres(value):
    """Convert gallons to hectolitres, by way of litres.

    Raises ValueError for negative values.
    """
    return litres_to_hectolitres(gallons_to_litres(value))


# Time


def minutes_to_seconds(value):
    """Convert minutes to seconds.

    Raises ValueError for negative values.
    """
    return _checked(value) * MINUTE_IN_SECONDS


def seconds_to_minutes(value):
    """Convert seconds to minutes.

    Raises ValueError for negative values.
    """
    return _checked(value) / MINUTE_IN_SECONDS


def hours_to_seconds(value):
    """Convert hours to seconds.

    Raises ValueError for negative values.
    """
    return _checked(value) * HOUR_IN_SECONDS


def seconds_to_hours(value):
    """Convert seconds to hours.

    Raises ValueError for negative values.
    """
    return _checked(value) / HOUR_IN_SECONDS


def days_to_seconds(value):
    """Convert days to seconds.

    Raises ValueError for negative values.
    """
    return _checked(value) * DAY_IN_SECONDS


def seconds_to_days(value):
    """Convert seconds to days.

    Raises ValueError for negative values.
    """
    return _checked(value) / DAY_IN_SECONDS


# Area


def acres_to_hectares(value):
    """Convert acres to hectares.

    Raises ValueError for negative values.
    """
    return _checked(value) * ACRE_IN_HECTARES


def hectares_to_acres(value):
    """Convert hectares to acres.

    Raises ValueError for negative values.
    """
    return _checked(value) / ACRE_IN_HECTARES


def ares_to_hectares(value):
    """Convert ares to hectares.

    Raises ValueError for negative values.
    """
    return _checked(value) * ARE_IN_HECTARES


def hectares_to_ares(value):
    """Convert hectares to ares.

    Raises ValueError for negative values.
    """
    return _checked(value) / ARE_IN_HECTARES


# Pressure


def bars_to_pascals(value):
    """Convert bars to pascals.

    Raises ValueError for negative values.
    """
    return _checked(value) * BAR_IN_PASCALS


def pascals_to_bars(value):
    """Convert pascals to bars.

    Raises ValueError for negative values.
    """
    return _checked(value) / BAR_IN_PASCALS


def torrs_to_pascals(value):
    """Convert torrs to pascals.

    Raises ValueError for negative values.
    """
    return _checked(value) * TORR_IN_PASCALS


def pascals_to_torrs(value):
    """Convert pascals to torrs.

    Raises ValueError for negative values.
    """
    return _checked(value) / TORR_IN_PASCALS


# Temperature: these may be negative


def celsius_to_fahrenheit(value):
    """Convert degrees Celsius to degrees Fahrenheit."""
    return value * 9 / 5 + 32


def fahrenheit_to_celsius(value):
    """Convert degrees Fahrenheit to degrees Celsius."""
    return (value - 32) * 5 / 9


def celsius_to_kelvin(value):
    """Convert degrees Celsius to kelvin. Raises ValueError below absolute zero."""
    return _checked(value + 273.15)


def kelvin_to_celsius(value):
    """Convert kelvin to degrees Celsius. Raises ValueError for negative values."""
    return _checked(value) - 273.15


# Writing quantities


def format_mass(kilograms, digits=2):
    """Write a mass with the unit that suits it, like '12.50 kg' or '340 g'."""
    _checked(kilograms)
    if kilograms >= 1000:
        return f"{kilograms / 1000:.{digits}f} t"
    if kilograms >= 1:
        return f"{kilograms:.{digits}f} kg"
    return f"{kilograms * 1000:.0f} g"


def format_length(metres, digits=2):
    """Write a length with the unit that suits it, like '1.80 m' or '45 mm'."""
    _checked(metres)
    if metres >= 1000:
        return f"{metres / 1000:.{digits}f} km"
    if metres >= 1:
        return f"{metres:.{digits}f} m"
    return f"{metres * 1000:.0f} mm"


def format_volume(litres, digits=2):
    """Write a volume with the unit that suits it, like '2.00 l' or '330 ml'."""
    _checked(litres)
    if litres >= 1:
        return f"{litres:.{digits}f} l"
    return f"{litres * 1000:.0f} ml"


# Reading quantities

_MASSES = {"kg": 1, "g": 0.001, "mg": 1e-06, "t": 1000, "lb": POUND_IN_KILOGRAMS}
_LENGTHS = {"m": 1, "cm": 0.01, "mm": 0.001, "km": 1000, "in": INCH_IN_METRES}


def parse_mass(text):
    """Read a mass like '340 g' as kilograms. Raises ValueError."""
    return _parsed(text, _MASSES)


def parse_length(text):
    """Read a length like '45 mm' as metres. Raises ValueError."""
    return _parsed(text, _LENGTHS)


def _parsed(text, factors):
    number, _, unit = text.strip().partition(" ")
    if unit.strip() not in factors:
        raise ValueError(f"not a quantity: {text!r}")
    try:
        value = float(number)
    except ValueError:
        raise ValueError(f"not a quantity: {text!r}") from None
    return _checked(value) * factors[unit.strip()]


def sum_of_masses(texts):
    """Add masses like '1 kg' and '250 g' up; the sum is in kilograms. Raises ValueError."""
    return math.fsum(parse_mass(text) for text in texts)


def sum_of_lengths(texts):
    """Add lengths like '1 m' and '25 cm' up; the sum is in metres. Raises ValueError."""
    return math.fsum(parse_length(text) for text in texts)
