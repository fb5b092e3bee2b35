"""Elements of inline pictures (SVG) as text; every attribute and every word in them is escaped.

Colours are classes, never attributes: the style sheet knows light and dark, and the pages' security
policy forbids styles of their own.
"""

from __future__ import annotations

from html import escape


def tag(name: str, *inner: str, **attributes: str | float | None) -> str:
    """Return an element; ``inner`` are elements or escaped words.

    ``class_`` is the attribute ``class``, ``a_b`` is ``a-b``; None leaves an attribute out.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{''.join(inner)}</{name}>"


def words(text: str) -> str:
    """Return foreign words as words."""
    return escape(text)


def percent(share: float) -> str:
    """A share of the picture's width or height."""
    return f"{_number(100 * share)}%"


def picture(title: str, description: str, *inner: str, height: float, class_: str) -> str:
    """Return a picture as wide as its place, with words for who cannot see it."""
    named = (tag("title", words(title)), tag("desc", words(description)))
    return tag(
        "svg",
        *named,
        *inner,
        class_=class_,
        role="img",
        aria_label=f"{title}. {description}",
        width="100%",
        height=height,
    )


def _value(value: str | float) -> str:
    return value if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
