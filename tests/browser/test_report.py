"""The report in a browser: nothing is blocked, everybody can read it, and it fits a telephone in light and dark."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hubcmp
from hubcmp.acceptance import Run
from hubcmp.comparison import Comparison, compare
from hubcmp.facts import Source
from tests.build import drafter, figure
from tests.test_story import ROOT, THEIRS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FULL = {"num_steps": 3, "topk": 1, "num_draft_tokens": 4, "includes_bonus": True}
NASTY = "</svg></table><script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> " + "x" * 200


def founding() -> Comparison:
    story = ROOT / "fixtures" / "story"
    return hubcmp.compare(
        [THEIRS, str(story / "recorded-ckpt")],
        bench=[f"2={story / 'ours.log'}"],
        plain=[f"2={story / 'plain.log'}"],
        access=hubcmp.Access(offline=True, cache=ROOT / "fixtures" / "recorded"),
    )


def many(n: int, label: str) -> Comparison:
    run = Run("vllm", "vllm", Source("x", "", "a.log"), per_position=(0.8, 0.6, 0.4), accept_length=2.8, dataset=label)
    lengths = [
        (figure(2 + i / 9, label, **FULL), figure(1.3, label, "speedup", batch_size=1, **FULL)) for i in range(n)
    ]
    return compare(
        [replace(drafter(f"org/{label[:60]}{i}", *figures), runs=(run,)) for i, figures in enumerate(lengths)]
    )


PAGES = {"founding": founding, "few": lambda: many(2, NASTY), "many": lambda: many(6, NASTY)}
VIEWS = [("founding", "light", 1200), ("founding", "dark", 360), ("few", "light", 360), ("many", "dark", 1200)]


@pytest.fixture(scope="module", params=VIEWS, ids=lambda view: "-".join(map(str, view)))
def view(request: pytest.FixtureRequest, browser: "Browser", place: Path) -> "Iterator[tuple[Page, str]]":
    """The report with every fold open, and its theme; it fails when the page says or asks for anything."""
    name, scheme, width = request.param
    file = place / f"{name}.html"
    file.write_text(hubcmp.render(PAGES[name](), "html"))
    context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
    page = context.new_page()
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda sent: asked.append(sent.url))
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
    yield page, scheme
    context.close()
    assert said == []
    assert [url for url in asked if url.partition("#")[0] != file.as_uri() and not url.startswith("data:")] == []


@pytest.fixture
def page(view: "tuple[Page, str]") -> "Page":
    return view[0]


def test_only_tables_scroll_sideways(page: "Page") -> None:
    wide = """() => [...document.querySelectorAll('body *')].filter(e =>
        e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest('.scroll, svg'))
        .map(e => e.outerHTML.slice(0, 120))"""
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert page.evaluate(wide) == []


def test_axe_finds_nothing(page: "Page") -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    found = axe.Axe().run(page).response["violations"]
    assert [(v["id"], v["impact"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_text_from_outside_does_not_run(page: "Page") -> None:
    assert page.title() != "run"
    assert page.evaluate("document.querySelectorAll('script, img').length") == 0


def test_plots_are_shown_in_the_colours_of_the_theme(view: "tuple[Page, str]") -> None:
    page, scheme = view
    boxes = page.evaluate("[...document.querySelectorAll('figure svg')].map(s => s.getBoundingClientRect().width)")
    assert len(boxes) >= 2
    assert all(250 <= width <= 480 for width in boxes)
    inks = page.evaluate("[...document.querySelectorAll('svg text')].map(t => getComputedStyle(t).fill)")
    light = sum(int(part) for part in inks[0][4:-1].split(",")) > 384
    assert light == (scheme == "dark")


def test_words_in_plots_stay_inside(page: "Page") -> None:
    outside = """() => [...document.querySelectorAll('figure svg text')].filter(t => {
        const box = t.getBoundingClientRect(), frame = t.closest('svg').getBoundingClientRect();
        return box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2;
    }).map(t => t.textContent)"""
    assert page.evaluate(outside) == []


def test_a_source_number_opens_its_row(page: "Page") -> None:
    link = page.locator("main sup a").first
    target = page.locator(str(link.get_attribute("href")))
    link.click()
    assert target.is_visible()
