"""Numbers as text: with a sign, unless they round to zero; to two figures, where more would be too much; durations."""


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


def duration(seconds: float) -> str:
    """Format a duration for people.

    >>> duration(0.25), duration(75), duration(7300)
    ('0.25 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
