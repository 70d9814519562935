"""The error function with the bits of the GNU C library before 2.43: those of later ones differ in the last digit.

From 1.25 on it needs `exp`, which other C libraries may round differently.

The rational approximations are those of fdlibm's s_erf.c, under this notice:

    Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
    Developed at SunPro, a Sun Microsystems, Inc. business.
    Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
    preserved.

Sums are made in the order of the GNU C library before 2.43, by which the results of earlier versions were computed.
"""

from math import copysign, exp, frexp, isnan, ldexp
from typing import Final

#: erf(1) to 24 bits, around which the middle range is approximated.
_AT_1: Final = 8.45062911510467529297e-01
#: Where one approximation of the tail takes over from the other, about 1/0.35; `erf` and `erfc` have their own.
_FAR_ERF: Final = float.fromhex("0x1.6db6e00000000p+1")
_FAR_ERFC: Final = float.fromhex("0x1.6db6d00000000p+1")


def erf(x: float) -> float:
    """Return the error function.

    >>> erf(0.5), erf(-1.0), erf(9.0)
    (0.5204998778130465, -0.8427007929497149, 1.0)
    """
    far = abs(x)
    if isnan(x):
        return x
    if far < 0.84375:
        return x + x * (_near(x * x) if far >= 2.0**-28 else 1.28379167095512586316e-01)
    if far >= 6:
        return copysign(1.0, x)
    return copysign(_AT_1 + _middle(far - 1) if far < 1.25 else 1 - _tail(far, _FAR_ERF), x)


def erfc(x: float) -> float:
    """Return 1 - erf(x), to all digits where it is small.

    >>> erfc(0.5), erfc(-1.0), erfc(9.0)
    (0.4795001221869535, 1.842700792949715, 4.13703174651381e-37)
    """
    far = abs(x)
    if isnan(x):
        return x
    if far < 0.84375:
        if far < 2.0**-56:
            return 1 - x
        more = x * _near(x * x)
        return 1 - (x + more) if x < 0.25 else 0.5 - (more + (x - 0.5))
    if far < 1.25:
        return (1 - _AT_1) - _middle(far - 1) if x > 0 else 1 + (_AT_1 + _middle(far - 1))
    if x < 0:
        return 2 - _tail(far, _FAR_ERFC) if far < 6 else 2.0
    return _tail(far, _FAR_ERFC) if far < 28 else 0.0


def _near(z: float) -> float:
    """Return erf(x) / x - 1, by the square of x."""
    z2 = z * z
    z4 = z2 * z2
    over = (
        (1.28379167095512558561e-01 + z * -3.25042107247001499370e-01)
        + z2 * (-2.84817495755985104766e-02 + z * -5.77027029648944159157e-03)
        + z4 * -2.37630166566501626084e-05
    )
    under = (
        (1.0 + z * 3.97917223959155352819e-01)
        + z2 * (6.50222499887672944485e-02 + z * 5.08130628187576562776e-03)
        + z4 * (1.32494738004321644526e-04 + z * -3.96022827877536812320e-06)
    )
    return over / under


def _middle(s: float) -> float:
    """Return erf(1 + s) less `_AT_1`."""
    s2 = s * s
    s4 = s2 * s2
    s6 = s4 * s2
    over = (
        (-2.36211856075265944077e-03 + s * 4.14856118683748331666e-01)
        + s2 * (-3.72207876035701323847e-01 + s * 3.18346619901161753674e-01)
        + s4 * (-1.10894694282396677476e-01 + s * 3.54783043256182359371e-02)
        + s6 * -2.16637559486879084300e-03
    )
    under = (
        (1.0 + s * 1.06420880400844228286e-01)
        + s2 * (5.40397917702171048937e-01 + s * 7.18286544141962662868e-02)
        + s4 * (1.26171219808761642112e-01 + s * 1.36370839120290507362e-02)
        + s6 * 1.19844998467991074170e-02
    )
    return over / under


def _tail(x: float, far: float) -> float:
    """Return erfc(x) for x from 1.25 on."""
    s = 1 / (x * x)
    s2 = s * s
    s4 = s2 * s2
    s6 = s4 * s2
    if x < far:
        over = (
            (-9.86494403484714822705e-03 + s * -6.93858572707181764372e-01)
            + s2 * (-1.05586262253232909814e01 + s * -6.23753324503260060396e01)
            + s4 * (-1.62396669462573470355e02 + s * -1.84605092906711035994e02)
            + s6 * (-8.12874355063065934246e01 + s * -9.81432934416914548592e00)
        )
        under = (
            (1.0 + s * 1.96512716674392571292e01)
            + s2 * (1.37657754143519042600e02 + s * 4.34565877475229228821e02)
            + s4 * (6.45387271733267880336e02 + s * 4.29008140027567833386e02)
            + s6 * (1.08635005541779435134e02 + s * 6.57024977031928170135e00)
            + (s4 * s4) * -6.04244152148580987438e-02
        )
    else:
        over = (
            (-9.86494292470009928597e-03 + s * -7.99283237680523006574e-01)
            + s2 * (-1.77579549177547519889e01 + s * -1.60636384855821916062e02)
            + s4 * (-6.37566443368389627722e02 + s * -1.02509513161107724954e03)
            + s6 * -4.83519191608651397019e02
        )
        under = (
            (1.0 + s * 3.03380607434824582924e01)
            + s2 * (3.25792512996573918826e02 + s * 1.53672958608443695994e03)
            + s4 * (3.19985821950859553908e03 + s * 2.55305040643316442583e03)
            + s6 * (4.74528541206955367215e02 + s * -2.24409524465858183362e01)
        )
    # Of x its first 21 bits, whose square is exact.
    digits, power = frexp(x)
    z = ldexp(int(digits * 2.0**21), power - 21)
    return exp(-z * z - 0.5625) * exp((z - x) * (z + x) + over / under) / x
