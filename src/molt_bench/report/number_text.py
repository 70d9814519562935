"""Numbers as text, the same on every screen: winnings with a sign, intervals, dollars, durations."""

from decimal import Decimal


def signed(value: float | None, digits: int = 1) -> str:
    """Format a number with its sign; one that rounds to zero has none, and none at all is a dash.

    >>> signed(12.34), signed(-2.5, 0), signed(-0.04), signed(None)
    ('+12.3', '-2', '0.0', '-')
    """
    if value is None:
        return "-"
    text = f"{value:+,.{digits}f}"
    return text if any(digit in text for digit in "123456789") else text[1:]


def with_interval(text: str, half_width: float | None) -> str:
    """Add half the width of an interval to the text of a number, where it is known.

    >>> with_interval("+12.3", 4.0), with_interval("+12.3", None)
    ('+12.3 ± 4.0', '+12.3')
    """
    return text if half_width is None else f"{text} ± {half_width:,.1f}"


def about(value: float) -> str:
    """Format a positive number to two figures: more would claim too much.

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


def dollars(amount: float | None) -> str:
    """Format an amount with as many digits as needed; without a price it is not free.

    >>> dollars(12.345), dollars(0.00123), dollars(0.000057), dollars(0.0), dollars(None)
    ('$12.35', '$0.0012', '$0.000057', '$0', 'unpriced')
    """
    if amount is None:
        return "unpriced"
    return f"${amount:,.2f}" if amount >= 1 else f"${Decimal(f'{amount:.2g}'):f}"


def roughly(seconds: float) -> str:
    """Format a duration that is an estimate.

    >>> roughly(0.3), roughly(17.3), roughly(75), roughly(7300)
    ('1 s', '17 s', '1 min 15 s', '2 h 1 min')
    """
    return f"{max(1, round(seconds))} s" if seconds < 59.5 else duration(seconds)
