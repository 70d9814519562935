"""Numbers as text: with a sign, unless they round to zero; and to two figures, where more would claim too much."""


def signed(value: float | None, digits: int = 1) -> str:
    """Format a number with its sign; one that rounds to zero has none, and none at all is a dash.

    >>> signed(12.34), signed(-2.5, 0), signed(-0.04), signed(None)
    ('+12.3', '-2', '0.0', '-')
    """
    if value is None:
        return "-"
    text = f"{value:+,.{digits}f}"
    return text if any(digit in text for digit in "123456789") else text[1:]


def about(value: float) -> str:
    """Format a positive number to two figures: more would claim what nobody knows.

    >>> about(4273.0), about(96.2), about(0.4)
    ('4,300', '96', '1')
    """
    return f"{max(1, round(float(f'{value:.2g}'))):,}"
