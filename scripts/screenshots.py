"""Take the README's pictures of the viewer from a real run: `.venv-browser/bin/python scripts/screenshots.py [RUN]`.

Without a run it plays one, always the same. It needs what `make install FOR=browser` installs.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
PROGRAM = str(Path(sys.executable).with_name("molt-bench"))
PLAY = ["--participants", "tag,tight,callstation,maniac,random", "--seeds", "20", "--max-matches", "30", "--quiet"]
#: Name, place, size, theme.
SHOTS = (
    ("run-light", "#/run/{run}", (1280, 1180), "light"),
    ("replayer-dark", "{hand}", (1280, 1040), "dark"),
)


def main() -> None:
    """Make all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        if len(sys.argv) > 1:
            run = Path(sys.argv[1]).resolve()
        else:
            subprocess.run([PROGRAM, *PLAY, "--output-dir", scratch], check=True, stdout=subprocess.DEVNULL)
            (run,) = Path(scratch).iterdir()
        viewing = subprocess.Popen(
            [PROGRAM, "view", str(run.parent), "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
        )
        try:
            assert viewing.stdout is not None
            found = re.search(r"http://\S+/", viewing.stdout.readline())
            assert found, "the viewer gave no address"
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--headless", "--no-sandbox", "--disable-gpu"]
                )
                take(browser, found[0], run.name)
                browser.close()
        finally:
            viewing.terminate()
            viewing.wait()


def take(browser: Browser, url: str, run: str) -> None:
    """Take every picture; the hand shown is the one with the biggest swing of its match that reached a showdown."""
    page = browser.new_page()
    page.goto(f"{url}#/run/{run}/match/1")
    hand = page.locator("tbody tr a[href*='/hand/']").first.get_attribute("href")
    page.goto(f"{url}{hand}")
    page.get_by_role("button", name="Where the lines diverge").click()
    for _ in range(3):  # the answers, the flop, and the first decision on it
        page.keyboard.press("ArrowRight")
    hand = page.evaluate("location.hash")
    page.close()
    for name, place, (width, height), theme in SHOTS:
        page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)  # type: ignore[arg-type]
        page.goto(url + place.format(run=run, hand=hand))
        page.wait_for_selector(".page:not([aria-busy])")
        while page.locator(".live").count() or page.get_by_text("Still counting").count():
            page.wait_for_timeout(500)  # the server is still counting, or the run goes on
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / f"{name}.png")
        page.close()
        print(f"docs/images/{name}.png")


if __name__ == "__main__":
    main()
