"""What is drawn has room and can be read: no number lies on another, no column is cut, no line goes through a name."""

import pytest

from tests.browser import test_everywhere
from tests.browser.conftest import Runs, until
from tests.browser.test_everywhere import Visit

pytestmark = pytest.mark.slow
everything, viewer = test_everywhere.everything, test_everywhere.viewer

#: The texts of two cells in a row of the leaderboard that lie on each other.
ON_EACH_OTHER = """
() => [...document.querySelectorAll('.leaderboard tr')].flatMap((line) => {
  const boxes = [...line.cells].flatMap((cell, at) => {
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), found = [];
    while (walk.nextNode()) {
      if (walk.currentNode.parentElement.closest('.unseen')) continue;
      const range = document.createRange();
      range.selectNodeContents(walk.currentNode);
      found.push(...[...range.getClientRects()].map((box) => ({ at, box, text: walk.currentNode.data })));
    }
    return found.filter(({ box }) => box.width > 1 && box.height > 1);
  });
  return boxes.flatMap((one, index) => boxes.slice(index + 1)
    .filter(({ at, box }) => at !== one.at && box.left < one.box.right - 1 && box.right > one.box.left + 1
      && box.top < one.box.bottom - 1 && box.bottom > one.box.top + 1)
    .map(({ text }) => `${one.text} / ${text}`));
})"""

#: How well the pips of folded cards stand out from the card, by the formula of WCAG 2.
CONTRAST = """
() => {
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const luminance = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((part) => part / 255)
      .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  return [...document.querySelectorAll('.hole.folded .playing .pip')].map((pip) => {
    const card = luminance(getComputedStyle(pip.closest('.playing')).backgroundColor);
    const [low, high] = [card, luminance(getComputedStyle(pip).color)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  });
}"""


@pytest.mark.parametrize("width", [360, 900, 1280, 1440, 2560])
def test_no_number_of_the_leaderboard_lies_on_another(visit: Visit, server: str, runs: Runs, width: int) -> None:
    for run in (runs.bots, runs.models):
        page = visit(f"{server}#/run/{run}", width=width)
        until(page, "document.querySelectorAll('.leaderboard tbody tr').length > 1")
        assert page.evaluate(ON_EACH_OTHER) == []
        page.get_by_role("button", name="All columns").click()
        assert page.evaluate(ON_EACH_OTHER) == []
        page.close()


@pytest.mark.parametrize("width", [1440, 2560])
def test_all_columns_of_a_leaderboard_of_bots_fit_on_a_wide_screen(
    visit: Visit, server: str, runs: Runs, width: int
) -> None:
    page = visit(f"{server}#/run/{runs.bots}", width=width)
    page.get_by_role("button", name="All columns").click()
    box = page.locator(".scroll:has(> .leaderboard)")
    assert box.evaluate("(one) => one.scrollWidth - one.clientWidth") <= 1


@pytest.mark.parametrize("width", [1280, 1440, 2560])
def test_the_last_column_of_the_styles_is_not_cut(visit: Visit, server: str, runs: Runs, width: int) -> None:
    page = visit(f"{server}#/run/{runs.bots}", width=width)
    until(page, "document.querySelector('#part-styles table')")
    cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator("#part-styles .scroll").evaluate_all(cut) == 0


@pytest.mark.parametrize("width", [1280, 1440, 2560])
def test_charts_beside_each_other_begin_and_end_at_the_same_height(
    visit: Visit, server: str, runs: Runs, width: int
) -> None:
    page = visit(f"{server}#/run/{runs.bots}", width=width)
    until(page, "document.querySelectorAll('#part-convergence svg:not(.key)').length === 3")
    boxes = page.locator("#part-convergence svg:not(.key)").evaluate_all(
        "(all) => all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"
    )
    for top, bottom in boxes:
        assert [top, bottom] == pytest.approx(boxes[0], abs=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pips_of_folded_cards_can_be_read(visit: Visit, server: str, runs: Runs, scheme: str) -> None:
    for hand in range(1, 9):
        page = visit(f"{server}#/run/{runs.bots}/hand/1/0/{hand}", scheme=scheme)
        page.keyboard.press("End")
        page.wait_for_timeout(100)
        found = page.evaluate(CONTRAST)
        page.close()
        if found:
            assert min(found) >= 4.5
            return
    pytest.fail("nobody has folded")
