"""The error function: the bits that earlier versions computed, and the accuracy of the C library's."""

import math
from math import inf, isclose, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molt_bench.rating.error_function import erf, erfc

#: By glibc 2.36: where only sums, products and quotients are needed, every machine has the same bits.
BITS = {
    1e-300: ("0x1.82e6d98711d3ap-997", "0x1.0000000000000p+0"),
    1e-09: ("0x1.362a9ffc610ddp-30", "0x1.fffffff64eab0p-1"),
    0.1: ("0x1.cca5ea24fb334p-4", "0x1.c66b42bb6099ap-1"),
    0.3: ("0x1.50838881dea0fp-2", "0x1.57be3bbf10af8p-1"),
    -0.5: ("-0x1.0a7ef5c18edd2p-1", "0x1.853f7ae0c76e9p+0"),
    0.8: ("0x1.7bf4a85b7fb83p-1", "0x1.0816af49008fap-2"),
    0.84375: ("0x1.88d1cd474a2e0p-1", "0x1.dcb8cae2d747ep-3"),
    0.9: ("0x1.98045a6c8a2e6p-1", "0x1.9fee964dd7469p-3"),
    -1.0: ("-0x1.af767a741088bp-1", "0x1.d7bb3d3a08446p+0"),
    1.2: ("0x1.d214ac7b2d067p-1", "0x1.6f5a9c2697cc7p-4"),
}
#: The C library's, which are computed in other ways.
THEIRS = {erf: math.erf, erfc: math.erfc}  # noqa: TID251


@pytest.mark.parametrize("x", BITS)
def test_the_bits_are_those_of_earlier_versions(x):
    assert (erf(x).hex(), erfc(x).hex()) == BITS[x]


@pytest.mark.parametrize("function", THEIRS)
@given(x=st.floats(-7, 26.5))
def test_it_agrees_with_the_c_library_to_all_but_the_last_digit(function, x):
    assert isclose(function(x), THEIRS[function](x), rel_tol=4e-16, abs_tol=1e-307)


@pytest.mark.parametrize("function", THEIRS)
@pytest.mark.parametrize("end", [0.25, 0.84375, 1.25, 1 / 0.35, 6.0, 28.0])
def test_it_has_no_step_where_one_approximation_takes_over_from_another(function, end):
    for x in (nextafter(end, 0), end, -nextafter(end, 0), -end):
        assert isclose(function(x), THEIRS[function](x), rel_tol=4e-16)


def test_its_ends():
    assert [erf(inf), erf(-inf), erfc(inf), erfc(-inf)] == [1, -1, 0, 2]
    assert math.copysign(1, erf(-0.0)) == -1
    assert math.isnan(erf(math.nan))
    assert math.isnan(erfc(math.nan))
