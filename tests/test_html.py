"""The page of all hands: its structure and figures without a browser, what it does in headless Chromium."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import re
import shutil
import threading
from html.parser import HTMLParser
from importlib.resources import files

import pytest

import musodds
from musodds.analysis.table import HandTable, both_decks, hand_table
from musodds.mus.lances import LANCES
from musodds.report.html import PageAdvice, table_page
from musodds.report.text import Words

MEGABYTES = 2_000_000
VOID = {"meta", "link", "input", "br"}


class Page(HTMLParser):
    """The elements of a page, and the text of those with an id and of styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1][0] == tag, f"</{tag}> closes <{self.open[-1][0]}>"
        self.open.pop()

    def handle_data(self, data):
        tag, attributes = self.open[-1] if self.open else ("", {})
        name = attributes.get("id") or tag
        self.texts[name] = self.texts.get(name, "") + data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def decks() -> tuple[HandTable, HandTable]:
    return both_decks(hand_table())


@pytest.fixture(scope="module")
def text(decks) -> str:
    return table_page(decks, Words("en"))


@pytest.fixture(scope="module")
def page(text) -> Page:
    return Page(text)


def numbers(packed: str) -> list[int | None]:
    return [None if part == "-" else int(part, 36) for part in packed.split(" ")]


def test_it_is_one_whole_page_of_less_than_two_megabytes(text, page):
    assert text.startswith("<!DOCTYPE html>")
    assert not page.open
    assert len(text.encode()) < MEGABYTES
    assert page.all("html")[0]["lang"] == "en"
    assert "{{" not in text


def test_nothing_in_it_asks_for_anything_from_elsewhere(text, page):
    for _, attributes in page.elements:
        for name in ("src", "href", "action", "srcset", "data", "poster", "ping"):
            link = attributes.get(name)
            assert link is None or link.startswith(("data:", "#")), link
    for word in ("@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "import("):
        assert word not in text
    # the only addresses name the SVG standard
    assert set(re.findall(r"https?://[^'\" )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not [attributes for attributes in page.all("script") if attributes.get("src")]


def test_its_policy_allows_this_script_alone_and_no_request(page):
    (policy,) = (
        meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    digest = base64.b64encode(hashlib.sha256(page.texts["script"].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy


def test_ids_are_unique_and_labels_find_what_they_name(page):
    ids = [attributes["id"] for _, attributes in page.elements if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        for name in ("for", "aria-labelledby", "aria-describedby"):
            if attributes.get(name):
                assert attributes[name] in ids


def test_a_screen_reader_finds_its_way(page):
    assert page.all("table")[0]["id"] == "hands"
    assert page.all("caption")
    assert len(page.all("main")) == len(page.all("h1")) == 1
    assert len(page.all("fieldset")) == len(page.all("legend"))  # every group of switches has a name
    assert [attributes for attributes in page.all("p") if attributes.get("role") == "status"]
    assert 'aria-sort="' in page.texts["script"]
    assert 'scope="row"' in page.texts["script"]
    assert 'scope="col"' in page.texts["script"]
    assert not [1 for _, attributes in page.elements if (attributes.get("tabindex") or "0") > "0"]


def test_it_is_made_for_dark_and_light_and_for_paper(page):
    style = page.texts["style"]
    for part in ("prefers-color-scheme: dark", "@media print", "@page { size: A4", ":focus-visible"):
        assert part in style
    assert any(meta.get("name") == "viewport" for meta in page.all("meta"))


def test_both_languages_say_the_same_things():
    script = (files("musodds.report") / "page" / "page.js").read_text(encoding="utf-8")
    english, spanish = re.search(
        r"  en: \{\n(.*?)\n  \},\n  es: \{\n(.*?)\n  \},\n", script, re.DOTALL
    ).groups()

    def keys(part):
        # what stands in quotes is no key
        return re.findall(r"(\w+):", re.sub(r'"[^"]*"', '""', part))

    assert keys(english) == keys(spanish)
    assert len(keys(english)) > 50
    asked = set(re.findall(r'\bt\("(\w+)"[,)]', script)) | set(re.findall(r'data-t="(\w+)"', script))
    html = (files("musodds.report") / "page" / "page.html").read_text(encoding="utf-8")
    asked |= set(re.findall(r'data-t="(\w+)"', html))
    assert asked <= set(keys(english))
    for blank in ("deals", "n", "c", "p", "r"):
        assert english.count("{" + blank + "}") == spanish.count("{" + blank + "}")


def test_the_figures_in_it_are_the_exact_counts(page, decks):
    data = json.loads(page.texts["data"])
    assert data["deals"] == 43_370_632_305_000
    assert [deck["kings"] for deck in data["decks"]] == [8, 4]
    for deck, tables in zip(data["decks"], decks, strict=True):
        hands = deck["hands"].split(" ")
        assert len(hands) == {8: 330, 4: 715}[deck["kings"]]
        at = {hand: i for i, hand in enumerate(hands)}
        fixed = {name: [numbers(part) for part in deck[name]] for name in ("played", "contested", "alone")}
        assert sum(numbers(deck["ways"])) == 91_390
        for seat in (1, 2, 3, 4):
            found = deck["seats"][seat - 1]
            win, mine = ([numbers(part) for part in found[name]] for name in ("win", "mine"))
            us, them = numbers(found["us"]), numbers(found["them"])
            for row in tables.of_seat(seat):
                i = at[row.hand]
                for number, lance in enumerate(LANCES):
                    counts = row.figures.lances[lance].counts
                    assert win[number][i] == counts.win
                    assert mine[number][i] == counts.mine
                    assert fixed["played"][number][i] == counts.played
                    assert fixed["contested"][number][i] == counts.contested
                    assert win[number][i] - fixed["alone"][number][i] == counts.win_contested
                assert us[i] / data["deals"] == row.figures.stones.us
                assert them[i] / data["deals"] == row.figures.stones.them


def test_a_page_with_the_jack_of_coins_is_small_enough_too():
    tables = hand_table(real="coins")
    text = table_page(both_decks(tables), Words("es"), kings=4, seat=3)
    assert len(text.encode()) < MEGABYTES
    data = json.loads(Page(text).texts["data"])
    assert "S*" in data["decks"][0]["cards"]
    assert "S*777" in data["decks"][0]["hands"].split(" ")
    assert (data["kings"], data["seat"]) == (4, 3)
    assert Page(text).all("html")[0]["lang"] == "es"


def test_advice_is_put_in_where_there_is_any(decks):
    advice = {(8, "RR54", 1): PageAdvice("mus", "RR"), (8, "RRRR", 1): PageAdvice("cut", "")}
    data = json.loads(Page(table_page(decks, Words("en"), advice=advice)).texts["data"])
    deck = data["decks"][0]
    at = deck["hands"].split(" ").index("RR54")
    assert deck["advice"][0][at] == ["mus", "RR"]
    assert deck["advice"][0][0] == ["cut", ""]
    assert deck["advice"][1][at] is None


def test_the_command_writes_the_page(tmp_path):
    from musodds.cli.app import main

    path = tmp_path / "mus.html"
    assert main(["table", "--format", "html", "--kings", "4", "--seat", "postre", "-o", str(path)]) == 0
    data = json.loads(Page(path.read_text(encoding="utf-8")).texts["data"])
    assert (data["kings"], data["seat"]) == (4, 4)
    eight = data["decks"][0]
    at = eight["hands"].split(" ").index
    assert eight["advice"][0][at("RRRR")] == ["cut", ""]
    verdict, keep = eight["advice"][2][at("7654")]
    assert verdict == "mus"
    assert set(keep) < set("7654")


def test_a_deck_without_a_policy_has_no_advice(decks):
    from musodds.report.html import policy_advice

    assert policy_advice([None, None]) is None
    advice = {(8, "RRRR", 1): PageAdvice("cut", "")}
    data = json.loads(Page(table_page(decks, Words("en"), advice=advice)).texts["data"])
    assert data["decks"][1]["advice"] is None


# ---- in headless Chromium: python -m pytest -m browser ----


class _Counting(http.server.SimpleHTTPRequestHandler):
    """Serves one page and keeps what was asked for."""

    page = b""
    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if found:
            self.wfile.write(self.page)

    def log_message(self, format, *arguments) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site(decks):
    """The page on a local server that counts requests; its address and the list."""
    advice = {
        (row_set.rules.kings, row.hand, row.seat): PageAdvice("mus", row.hand[:2])
        for row_set in decks
        for row in row_set.rows
    }
    handler = type(
        "Handler",
        (_Counting,),
        {"page": table_page(decks, Words("en"), advice=advice).encode(), "asked": []},
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", handler.asked
        server.shutdown()
        thread.join()


FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


@pytest.fixture
def browser(tmp_path):
    """Chromium with nothing remembered; a missing browser is a failure, not a skip."""
    from selenium import webdriver

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    driver = shutil.which("chromedriver")
    assert program, "no Chromium here; install chromium, or leave out -m browser"
    assert driver, "no chromedriver here; install chromium-driver, or leave out -m browser"
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={tmp_path}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(driver)) as chrome:
        yield chrome


def opened(browser, site, width: int = 1280, dark: bool = False):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get(site[0])
    return browser


def find(browser, selector: str):
    return browser.find_element("css selector", selector)


def every(browser, selector: str):
    return browser.find_elements("css selector", selector)


def choose(browser, name: str, value: str) -> None:
    """Press a switch where a finger would."""
    from selenium.webdriver import ActionChains

    label = find(browser, f'input[name="{name}"][value="{value}"] + span')
    browser.execute_script("scrollTo(0, 0)")
    ActionChains(browser).move_to_element(label).click().perform()


def shown_hands(browser) -> list[str]:
    return browser.execute_script(
        "return [...document.querySelectorAll('#rows th')].map((cell) => cell.textContent.trim())"
    )


def search(browser, typed: str) -> list[str]:
    from selenium.webdriver.common.keys import Keys

    box = find(browser, "#search")
    box.send_keys(Keys.CONTROL, "a", Keys.NULL, Keys.BACKSPACE, typed)
    return shown_hands(browser)


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_search_switch_sort_and_read_the_exact_figure(browser, site, width):
    opened(browser, site, width)
    assert len(shown_hands(browser)) == 330
    assert search(browser, "rr4a") == ["RR4A"]
    for seat, kings in (("1", "8"), ("4", "8"), ("2", "4")):
        choose(browser, "seat", seat)
        choose(browser, "kings", kings)
        exact = musodds.odds("RR4A", int(seat), simulate=False, kings=int(kings)).exact
        for lance in LANCES:
            cell = find(browser, f"#rows td.{lance} data")
            assert float(cell.get_attribute("value")) == exact.lances[lance].win
            if lance == "chica":
                digits = 4 if width > 500 else 1
                assert cell.text == f"{100 * exact.lances[lance].win:.{digits}f}"
        stones = find(browser, "#rows td.stones-cell data")
        assert float(stones.get_attribute("value")) == exact.stones.difference

    search(browser, "")
    assert len(shown_hands(browser)) == 715
    choose(browser, "kings", "8")
    head = find(browser, "th.chica-column")
    assert head.get_attribute("aria-sort") == "none"
    head.find_element("css selector", "button").click()
    assert find(browser, "th.chica-column").get_attribute("aria-sort") == "descending"
    assert find(browser, "th.stones-column").get_attribute("aria-sort") == "none"
    assert shown_hands(browser)[0] == "AAAA"
    find(browser, "th.chica-column button").click()
    assert find(browser, "th.chica-column").get_attribute("aria-sort") == "ascending"
    values = browser.execute_script(
        "return [...document.querySelectorAll('#rows td.chica data')].map((cell) => Number(cell.value))"
    )
    assert values == sorted(values)


@pytest.mark.browser
def test_a_hand_is_found_however_it_is_written(browser, site):
    opened(browser, site)
    for typed in ("RR4A", "a4rr", "kk41", "3k42", "12 12 4 1", "12-12-4-1", "Ro,Rc,4e,Ab", " r R 4 a "):
        assert search(browser, typed) == ["RR4A"], typed
    assert all(hand.count("7") >= 2 for hand in search(browser, "77"))
    for typed, says in (("RR8", "8"), ("RR4A5", "four cards"), ("xyz", "X"), ("44444", "four cards")):
        assert search(browser, typed) == []
        assert says in find(browser, "#found").text, typed
    choose(browser, "kings", "4")
    assert search(browser, "3322") == ["3322"]
    assert search(browser, "333") != []


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_hand_opens_with_all_its_figures_by_key_and_by_tap(browser, site, width):
    from selenium.webdriver.common.keys import Keys

    opened(browser, site, width)
    search(browser, "r5s7")
    find(browser, "#search").send_keys(Keys.ENTER)
    assert find(browser, "#hand").get_attribute("open") is not None
    assert find(browser, "#hand-name").get_attribute("textContent").startswith("RS75")
    exact = musodds.odds("RS75", 1, simulate=False).exact
    for name in ("win", "lose", "played", "contested", "win_if_contested", "mine"):
        cells = every(browser, f'#hand-figures tr[data-figure="{name}"] td')
        for cell, lance in zip(cells, LANCES, strict=True):
            wanted = getattr(exact.lances[lance], name)
            if wanted is None:
                assert cell.text == "–"
            else:
                value = cell.find_element("css selector", "data").get_attribute("value")
                assert float(value) == pytest.approx(wanted, abs=1e-15)
    seats = [
        float(every(browser, f'#hand-seats tr[data-figure="seat{seat}"] data')[5].get_attribute("value"))
        for seat in (1, 2, 3, 4)
    ]
    assert seats == [
        musodds.odds("RS75", seat, simulate=False).exact.stones.difference for seat in (1, 2, 3, 4)
    ]
    assert "mus, keep RS" in find(browser, "#hand .facts").text
    find(browser, "#hand summary").click()
    assert f"{exact.lances['juego'].counts.win:,}" in find(browser, '[data-count="juego"]').text
    find(browser, "#hand-name").send_keys(Keys.ESCAPE)
    assert find(browser, "#hand").get_attribute("open") is None
    find(browser, "#rows td.grande").click()
    assert find(browser, "#hand").get_attribute("open") is not None
    find(browser, "#close").click()
    assert find(browser, "#hand").get_attribute("open") is None


@pytest.mark.browser
def test_the_whole_page_works_from_the_keyboard(browser, site):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    opened(browser, site)

    def press(*keys: str) -> None:
        ActionChains(browser).send_keys(*keys).perform()

    def focused(script: str = "document.activeElement.id") -> str:
        return browser.execute_script(f"return {script}")

    press("/")
    assert focused() == "search"
    press(Keys.TAB)
    assert focused("document.activeElement.name") == "seat"
    outline = "getComputedStyle(document.activeElement.nextElementSibling).outlineStyle"
    assert focused(outline) == "solid"  # the focus is to be seen
    press(Keys.ARROW_RIGHT)
    assert find(browser, 'input[name="seat"]:checked').get_attribute("value") == "2"
    press(Keys.TAB, Keys.ARROW_RIGHT)
    assert len(shown_hands(browser)) == 715
    press(Keys.TAB)  # the head of the first column that sorts
    assert focused("document.activeElement.dataset.sort") == "hand"
    press(Keys.TAB, Keys.ENTER)
    assert focused("document.activeElement.dataset.sort") == "grande"  # drawn anew and still focused
    assert shown_hands(browser)[0] == "RRRR"
    find(browser, "#rows button").send_keys(Keys.ARROW_DOWN)
    assert focused("document.activeElement.closest('tr').rowIndex") == 2
    press(Keys.ENTER)
    assert focused() == "hand-name"
    press(Keys.ESCAPE)
    assert focused("document.activeElement.closest('tr').rowIndex") == 2  # back where it was


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_and_is_readable_in_light_and_dark(browser, site, width, dark):
    opened(browser, site, width, dark)
    fits = "return document.documentElement.scrollWidth <= innerWidth"
    lightness = """
        const [r, g, b] = getComputedStyle(document.querySelector(arguments[0]))[arguments[1]].match(/[\\d.]+/g);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b"""
    for lang in ("en", "es"):
        choose(browser, "lang", lang)
        assert find(browser, "html").get_attribute("lang") == lang
        assert browser.execute_script(fits)
        assert not browser.execute_script(
            "return [...document.querySelectorAll('#heads button, #rows tr:nth-child(-n+40) td data')]"
            ".filter((e) => e.offsetParent && e.getBoundingClientRect().width - 1 > e.parentElement.clientWidth)"
            ".map((e) => e.textContent)"
        )
    ground = browser.execute_script(lightness, "body", "backgroundColor")
    ink = browser.execute_script(lightness, "body", "color")
    assert (ground < 60 and ink > 200) if dark else (ground > 200 and ink < 60)
    find(browser, "#theme").click()  # from the device's colours to dark
    assert browser.execute_script(lightness, "body", "backgroundColor") < 60
    find(browser, "#theme").click()  # and to light
    assert browser.execute_script(lightness, "body", "backgroundColor") > 200
    find(browser, "#rows button").click()
    assert browser.execute_script(
        "const hand = document.getElementById('hand'); return hand.scrollWidth <= hand.clientWidth"
    )


@pytest.mark.browser
def test_spanish_writes_decimals_with_a_comma(browser, site):
    opened(browser, site)
    choose(browser, "lang", "es")
    search(browser, "rr4a")
    assert find(browser, "#rows td.grande").text == "79,1554"
    assert "Grande" in find(browser, "#heads").text
    assert find(browser, "th.hand-column").text == "Jugada"


@pytest.mark.browser
@pytest.mark.parametrize("kings", ["8", "4"])
def test_a_seat_prints_on_one_sheet_with_every_hand(browser, site, kings):
    opened(browser, site)
    choose(browser, "kings", kings)
    printed = browser.execute_cdp_cmd(
        "Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True}
    )["data"]
    content = base64.b64decode(printed)
    assert len(re.findall(rb"/Type\s*/Page\b", content)) == 1
    size = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", content)
    assert [round(float(side)) for side in size.groups()] == [595, 842]  # A4 in points
    # laid out as on paper, no line of the sheet is cut off
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    cut = browser.execute_script(
        "dispatchEvent(new Event('beforeprint'));"
        "const sheet = document.querySelector('.paper').getBoundingClientRect();"
        "const rows = [...document.querySelectorAll('.paper tbody tr')];"
        "return [rows.length, rows.filter((row) => row.getBoundingClientRect().bottom > sheet.bottom"
        " || row.getBoundingClientRect().right > sheet.right + 1).length]"
    )
    assert cut == [{"8": 330, "4": 715}[kings], 0]


@pytest.mark.browser
def test_no_request_leaves_the_page(browser, site):
    _, asked = site
    asked.clear()
    opened(browser, site)
    search(browser, "rr")
    choose(browser, "kings", "4")
    choose(browser, "lang", "es")
    find(browser, "#rows button").click()
    find(browser, "#close").click()
    assert asked == ["/"]
    requests = [
        message["params"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
    ]
    # the browser's own empty first tab asks for parts of itself
    sent = {request["request"]["url"] for request in requests if request["documentURL"].startswith(site[0])}
    assert {url for url in sent if not url.startswith("data:")} == {site[0]}
    assert browser.get_log("browser") == []  # and nothing goes wrong in it
