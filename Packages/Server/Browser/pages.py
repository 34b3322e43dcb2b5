"""Tests of the pages by what a person does, in headless Chromium, and their pictures.

    python3 pages.py test ADDRESS              the tests; ADDRESS is the line `Pages:` of firelite-server
    python3 pages.py pictures ADDRESS FOLDER   pictures of every page, light, dark and on a phone's width

Needs playwright and axe-playwright-python from PyPI, and Debian's chromium. The store has synthetic patients: `firelite demo`.
"""

import os
import sys
from urllib.parse import quote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")


def check(condition, text):
    if not condition:
        raise AssertionError(text)


class Visit:
    """A person with a browser."""

    def __init__(self, playwright, address, dark=False, script=True, width=1280):
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        self.context = self.browser.new_context(
            color_scheme="dark" if dark else "light", java_script_enabled=script, viewport={"width": width, "height": 900}
        )
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("console", lambda message: self.faults.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("request", lambda request: self.requested(request.url))
        parts = urlsplit(address)
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.state = None
        self.page.goto(address)

    def requested(self, url):
        if not url.startswith(self.origin) and not url.startswith("data:"):
            self.faults.append(f"a request to {url}")

    def go(self, path):
        answer = self.page.goto(self.origin + path)
        check(answer is not None and answer.status == 200, f"{path}: {answer and answer.status}")
        return self.page

    def text(self):
        return self.page.inner_text("main")

    def end(self):
        self.browser.close()


def sample(visit):
    """A patient with many observations, and an observation."""
    statement = (
        "SELECT p.id, count(*) AS n FROM Patient p JOIN Observation o ON o.subject_reference = 'Patient/' || p.id "
        "WHERE p._parent IS NULL GROUP BY p.id ORDER BY n DESC LIMIT 1"
    )
    page = visit.go("/browse/console?kind=sql&text=" + quote(statement))
    patient = page.locator("tbody tr td").first.inner_text()
    page = visit.go("/browse/Observation")
    observation = page.locator("tbody tr td a").first.get_attribute("href").rsplit("/", 1)[1]
    return patient, observation


def paths(patient, observation):
    sql = quote("SELECT type, count(*) AS resources FROM _resource JOIN _shape USING (shape) GROUP BY 1 ORDER BY 2 DESC")
    return {
        "overview": "/browse", "list": "/browse/Patient", "filtered": "/browse/Observation?status=final&_sort=-date",
        "patient": f"/browse/Patient/{patient}", "timeline": f"/browse/Patient/{patient}/timeline",
        "elements": f"/browse/Patient/{patient}/elements", "references": f"/browse/Patient/{patient}/references",
        "graph": f"/browse/Patient/{patient}/graph", "versions": f"/browse/Patient/{patient}/versions",
        "observation": f"/browse/Observation/{observation}", "search": "/browse/console?kind=search&text=" + quote("Patient?gender=female"),
        "sql": "/browse/console?kind=sql&text=" + sql, "fhirpath": "/browse/console?kind=fhirpath&text=name.given&on=" + quote(f"Patient/{patient}"),
        "view": "/browse/console?kind=view", "schema": "/browse/schema", "tables": "/browse/schema?type=Patient", "changes": "/browse/changes",
    }


# What a person does


def overview_leads_to_a_list_and_a_resource(visit, patient, observation):
    page = visit.go("/browse")
    page.click("main a:text-is('Patient')")
    check(page.url.endswith("/browse/Patient"), page.url)
    page.locator("tbody tr td a").first.click()
    check("Summary" in visit.text() and "Validity" in visit.text(), "no summary")


def a_list_is_filtered_sorted_and_turned(visit, patient, observation):
    page = visit.go("/browse/Patient?_count=5")
    page.select_option("#filter-name", "gender")
    page.fill("#filter-value", "female")
    page.click("text=Add the filter")
    check("gender=female" in page.url, page.url)
    first = page.locator("tbody tr td a").first.inner_text()
    page.click("th a:has-text('birthDate')")
    check("_sort=birthdate" in page.url, page.url)
    dates = page.locator("tbody tr").all_inner_texts()
    check(len(dates) == 5, f"{len(dates)} rows")
    page.click("text=Next page")
    check(page.locator("tbody tr td a").first.inner_text() != first, "the same page")
    page.click("[aria-label='Remove the filter gender']")
    check("gender" not in page.url, page.url)


def columns_are_chosen_and_remembered(visit, patient, observation):
    page = visit.go("/browse/Patient")
    page.click("summary:text-is('Columns')")
    page.fill("#columns", "birthDate,id")
    page.click("text=Show these")
    visit.go("/browse/Patient")
    check(page.locator("th").all_inner_texts()[:2] == ["birthDate", "id"], "not remembered")


def an_element_marks_its_text_and_rows(visit, patient, observation):
    page = visit.go(f"/browse/Patient/{patient}/elements")
    page.hover("a.n:text-is('birthDate')")
    lit = page.locator(".lit")
    check(lit.count() == 3, f"{lit.count()} marks")
    check(any("birthDate" in text for text in lit.all_inner_texts()), "another element")


def references_lead_there_and_back(visit, patient, observation):
    page = visit.go(f"/browse/Observation/{observation}")
    page.locator("section:has(h2:text-is('Refers to')) a").first.click()
    page.click("nav[aria-label='Of this resource'] a:text-is('References')")
    check("Referred to by" in visit.text(), "no references")
    page.locator("section:has(h2:text-is('Referred to by')) a:text-is('Observation')").first.click()
    check("/browse/Observation?" in page.url and page.locator("tbody tr").count() > 0, page.url)


def a_timeline_is_zoomed(visit, patient, observation):
    page = visit.go(f"/browse/Patient/{patient}/timeline")
    page.click("text=Zoom in")
    check("from=" in page.url and "to=" in page.url, page.url)
    page.click("a.button:text-is('All')")
    check("from=" not in page.url, page.url)


def the_console_answers_and_refuses(visit, patient, observation):
    page = visit.go("/browse/console?kind=sql")
    page.fill("#text", "SELECT count(*) AS n FROM Patient")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("text=1 row")
    page.fill("#text", "DELETE FROM Patient")
    page.click("button:text-is('Run')")
    check(page.locator("[role=alert]").count() == 1, "not refused")


def a_person_finds_by_the_field_at_the_top(visit, patient, observation):
    page = visit.go("/browse")
    page.keyboard.press("/")
    page.keyboard.type(f"Patient/{patient}")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/browse/Patient/{patient}")


def everything_is_reached_by_keyboard_alone(visit, patient, observation):
    page = visit.go("/browse")
    page.keyboard.press("Tab")
    check(page.evaluate("document.activeElement.className") == "skip", "no skip link")
    page.keyboard.press("Enter")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Patient":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/browse/Patient")
    for _ in range(120):
        page.keyboard.press("Tab")
        if (page.evaluate("document.activeElement.getAttribute('href')") or "").startswith("/browse/Patient/"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    check(outline != "none", "the focus is not seen")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:text-is('Summary')")


SCENES = [
    overview_leads_to_a_list_and_a_resource, a_list_is_filtered_sorted_and_turned, columns_are_chosen_and_remembered,
    an_element_marks_its_text_and_rows, references_lead_there_and_back, a_timeline_is_zoomed, the_console_answers_and_refuses,
    a_person_finds_by_the_field_at_the_top, everything_is_reached_by_keyboard_alone,
]


def test(address):
    failed = 0
    with sync_playwright() as playwright:
        visit = Visit(playwright, address)
        state = visit.context.storage_state()
        patient, observation = sample(visit)
        for scene in SCENES:
            visit.faults.clear()
            try:
                scene(visit, patient, observation)
                check(not visit.faults, f"faults: {visit.faults[:3]}")
                print(f"ok    {scene.__name__}")
            except Exception as error:
                failed += 1
                print(f"FAIL  {scene.__name__}: {str(error)[:400]}")
        # The cookie of the first visit is that of the others: the link works once.
        failed += accessibility(playwright, visit, state, paths(patient, observation))
        visit.end()
        failed += without_script(playwright, visit.origin, state, paths(patient, observation))
    print(f"{failed} failed" if failed else "all passed")
    return failed


def accessibility(playwright, visit, state, pages):
    """No violation that axe finds, in light and in dark, and no page wider than a phone."""
    failed = 0
    for scheme in ["light", "dark"]:
        context = visit.browser.new_context(color_scheme=scheme, storage_state=state, viewport={"width": 1280, "height": 900})
        page = context.new_page()
        for name, path in pages.items():
            page.goto(visit.origin + path)
            result = Axe().run(page)
            violations = result.response["violations"]
            if violations:
                failed += 1
                for one in violations:
                    print(f"FAIL  axe, {name}, {scheme}: {one['id']}: {one['nodes'][0]['html'][:160]}")
        context.close()
    context = visit.browser.new_context(storage_state=state, viewport={"width": 390, "height": 800})
    page = context.new_page()
    for name, path in pages.items():
        page.goto(visit.origin + path)
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > 390:
            failed += 1
            print(f"FAIL  {name} is {width} wide on a phone of 390")
    context.close()
    if not failed:
        print(f"ok    accessibility of {len(pages)} pages in light and dark, and their width on a phone")
    return failed


def without_script(playwright, origin, state, pages):
    """Everything can be read without JavaScript."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    context = browser.new_context(java_script_enabled=False, storage_state=state)
    page = context.new_page()
    failed = 0
    for name, path in pages.items():
        answer = page.goto(origin + path)
        if answer.status != 200 or len(page.inner_text("main")) < 20:
            failed += 1
            print(f"FAIL  {name} without script")
    page.goto(origin + "/browse/Patient?_count=5")
    page.click("text=Next page")
    page.locator("tbody tr td a").first.click()
    page.click("nav[aria-label='Of this resource'] a:text-is('Elements')")
    page.click("a.n:text-is('birthDate')")
    if "#j" not in page.url:
        failed += 1
        print("FAIL  elements do not lead to their text without script")
    browser.close()
    if not failed:
        print("ok    every page without script")
    return failed


def pictures(address, folder):
    os.makedirs(folder, exist_ok=True)
    with sync_playwright() as playwright:
        visit = Visit(playwright, address)
        state = visit.context.storage_state()
        pages = paths(*sample(visit))
        for mode in ["light", "dark", "phone"]:
            context = visit.browser.new_context(
                color_scheme="dark" if mode == "dark" else "light", storage_state=state,
                viewport={"width": 390 if mode == "phone" else 1280, "height": 860},
            )
            page = context.new_page()
            for name, path in pages.items():
                page.goto(visit.origin + path)
                page.screenshot(path=f"{folder}/{name}-{mode}.png")
            context.close()
        visit.end()
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "test":
        sys.exit(1 if test(sys.argv[2]) else 0)
    if len(sys.argv) == 4 and sys.argv[1] == "pictures":
        sys.exit(pictures(sys.argv[2], sys.argv[3]))
    sys.exit(__doc__)
