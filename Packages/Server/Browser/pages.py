"""Tests of the pages by what a person does, in headless Chromium, and their pictures.

    python3 pages.py test ADDRESS                   the tests; ADDRESS is the line `Pages:` of firelite-server
    python3 pages.py pictures ADDRESS FOLDER        pictures of every page, light, dark and on a phone's width
    python3 pages.py documentation ADDRESS FOLDER   the pictures of the documentation, each below 60 KB
    python3 pages.py records FILE                   writes the hostile records of the tests, for `firelite import`

`make browser-tests` and `make browser-pictures` do all of it. Needs playwright, axe-playwright-python and pillow from PyPI, and a Chromium: Debian's,
the one in CHROMIUM, or Playwright's own. The store has synthetic patients (`firelite demo`) and the hostile records, and its pages can be edited.
"""

import io
import json
import os
import sys
from urllib.parse import quote, urlsplit

try:
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright
except ImportError:
    # Writing the records needs neither.
    Axe = sync_playwright = None

# Playwright takes its own browser if there is none.
CHROMIUM = os.environ.get("CHROMIUM") or next((path for path in ["/usr/bin/chromium", "/usr/bin/google-chrome"] if os.path.exists(path)), None)


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
        "searches": "/browse/searches", "trail": f"/browse/Patient/{patient}/trail", "edit": f"/browse/Patient/{patient}/edit",
    }


# Records that want to run or to break a page

ATTACK = "</script><script>window.attacked = 1</script><img src=x onerror=\"window.attacked = 1\">\"'&<!--]]>"
HOSTILE = ["hostile-text", "hostile-long", "hostile-control", "hostile-many"]


def records():
    """Scripts in every text, a name of a megabyte, control characters, ten thousand identifiers."""
    narrative = f'<div xmlns="http://www.w3.org/1999/xhtml"><p onclick="window.attacked = 1">text</p><p>{"&lt;script&gt;"}</p></div>'
    return [
        {"resourceType": "Patient", "id": HOSTILE[0], "text": {"status": "generated", "div": narrative},
         "name": [{"text": ATTACK, "family": ATTACK, "given": [ATTACK, ATTACK]}], "contact": [{"name": {"text": ATTACK}}],
         "address": [{"text": ATTACK, "city": ATTACK}], "telecom": [{"value": ATTACK}], "identifier": [{"system": "urn:x", "value": ATTACK}]},
        {"resourceType": "Patient", "id": HOSTILE[1], "name": [{"family": "<b>" + "ä" * 500_000}]},
        {"resourceType": "Patient", "id": HOSTILE[2], "name": [{"family": "a\u202eb\u0085c\u200bd", "given": ["\u2066x", "\ufeffy"]}]},
        {"resourceType": "Patient", "id": HOSTILE[3], "identifier": [{"system": "urn:x", "value": str(number)} for number in range(10_000)]},
    ]


def write_records(path):
    with open(path, "w", encoding="utf-8") as file:
        for record in records():
            file.write(json.dumps(record) + "\n")
    return 0


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
    # On to the trail, the map, a saved search and the form, each with the keys alone.
    tab_to(page, "text", "Trail")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trail")
    tab_to(page, "text", "Schema")
    page.keyboard.press("Enter")
    page.wait_for_selector("svg a")
    tab_to(page, "label", "Patient, ")
    check(page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus in the map is not seen")
    page.keyboard.press("Enter")
    page.wait_for_url("**type=Patient")
    visit.go("/browse/Patient?gender=female")
    tab_to(page, "id", "search-name")
    page.keyboard.type("By keys")
    page.keyboard.press("Enter")
    page.wait_for_selector("a:text-is('By keys')")
    visit.go("/browse/searches")
    tab_to(page, "label", "Remove the search By keys")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=None yet")
    visit.go(f"/browse/Patient/{patient}/edit")
    tab_to(page, "name", "e:birthDate")
    page.keyboard.type("x")
    page.wait_for_selector("p.issue:visible")


def tab_to(page, kind, value):
    """Presses the tabulator until something has the focus."""
    reads = {
        "text": "document.activeElement.textContent.trim()", "label": "document.activeElement.getAttribute('aria-label') || ''",
        "id": "document.activeElement.id", "name": "document.activeElement.getAttribute('name') || ''",
    }
    for _ in range(400):
        page.keyboard.press("Tab")
        found = page.evaluate(reads[kind])
        if found == value or kind == "label" and found.startswith(value):
            return
    raise AssertionError(f"{value} is not reached by keyboard")


def a_search_is_saved_found_and_removed(visit, patient, observation):
    page = visit.go("/browse/Patient?gender=female&_sort=birthdate")
    page.fill("#search-name", "Women <by age>")
    page.click("text=Save the search")
    check("gender=female" in page.url and "_sort=birthdate" in page.url, page.url)
    visit.go("/browse")
    page.click("a:text-is('Women <by age>')")
    check("gender=female" in page.url, page.url)
    visit.go("/browse/searches")
    page.click("[aria-label='Remove the search Women <by age>']")
    check("Women" not in visit.text(), "not removed")


def faults_are_shown_while_somebody_types(visit, patient, observation):
    page = visit.go(f"/browse/Patient/{patient}/edit")
    field = page.locator("[name='e:birthDate']")
    old = field.input_value()
    field.press_sequentially("x")
    issue = page.locator(f"#{field.get_attribute('id')}-issue")
    issue.wait_for(state="visible")
    check("error" in issue.inner_text() and field.get_attribute("aria-invalid") == "true", issue.inner_text())
    check("1 error" in page.locator("[data-summary]").first.inner_text(), "no summary")
    field.fill(old)
    issue.wait_for(state="hidden")
    check(field.get_attribute("aria-invalid") is None, "still invalid")
    # Nothing was stored meanwhile.
    visit.go(f"/browse/Patient/{patient}")
    check(old in visit.text(), "changed")


def a_form_is_saved_and_undone(visit, patient, observation):
    page = visit.go(f"/browse/Patient/{patient}/edit")
    field = page.locator("[name='e:name[0].family']")
    old = field.input_value()
    field.fill("Changed <b>")
    page.locator("form[data-check] button:text-is('Save')").first.click()
    check("Changed <b>" in visit.text(), "not saved")
    page.click("nav[aria-label='Of this resource'] a:text-is('Trail')")
    check("this device or app" in visit.text(), "no maker")
    visit.go(f"/browse/Patient/{patient}/edit")
    page.fill("[name='e:name[0].family']", old)
    page.locator("form[data-check] button:text-is('Save')").first.click()
    check("Changed <b>" not in visit.text(), "not undone")


def the_map_leads_to_tables(visit, patient, observation):
    page = visit.go("/browse/schema")
    page.locator("svg a[aria-label^='Patient, ']").click()
    check("type=Patient" in page.url, page.url)
    page.locator("svg a[aria-label^='Patient_name, ']").click()
    check(page.locator("#t-Patient_name").get_attribute("open") is not None, "the section is folded")


def hostile_records_neither_run_nor_break_a_page(visit, patient, observation):
    for record in HOSTILE:
        for path in ["", "/elements", "/references", "/graph", "/versions", "/trail", "/timeline", "/edit"]:
            answer = visit.page.goto(f"{visit.origin}/browse/Patient/{record}{path}")
            # A resource that is too large for the form says so.
            check(answer.status == 200 or path == "/edit" and answer.status == 413, f"{record}{path}: {answer.status}")
            check(not visit.page.evaluate("window.attacked"), f"{record}{path} ran a script")
            check(visit.page.locator("main img[src=x], main script").count() == 0, f"{record}{path} has markup of the record")
            check(visit.page.locator("main h1").count() == 1, f"{record}{path} is broken")
            size = visit.page.evaluate("document.documentElement.outerHTML.length")
            check(size < 3_000_000, f"{record}{path} has {size} characters")
            if answer.status == 413:
                visit.faults.clear()
    page = visit.go("/browse/Patient?_id=" + ",".join(HOSTILE))
    check(page.locator("tbody tr").count() == len(HOSTILE), "the list is broken")
    page = visit.go(f"/browse/Patient/{HOSTILE[0]}/edit")
    page.locator("[name='e:contact[0].name.text']").press_sequentially("<img src=x>")
    page.wait_for_selector("[data-summary]:not(:empty)")
    check(not page.evaluate("window.attacked") and page.locator("main img").count() == 0, "the form ran a script")


SCENES = [
    overview_leads_to_a_list_and_a_resource, a_list_is_filtered_sorted_and_turned, columns_are_chosen_and_remembered,
    an_element_marks_its_text_and_rows, references_lead_there_and_back, a_timeline_is_zoomed, the_console_answers_and_refuses,
    a_person_finds_by_the_field_at_the_top, a_search_is_saved_found_and_removed, faults_are_shown_while_somebody_types,
    a_form_is_saved_and_undone, the_map_leads_to_tables, hostile_records_neither_run_nor_break_a_page, everything_is_reached_by_keyboard_alone,
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
        pages = paths(patient, observation)
        hostile = {f"{record} {tab}": f"/browse/Patient/{record}/{tab}" for record in HOSTILE[:3] for tab in ["elements", "trail", "edit"]
                   if (record, tab) != (HOSTILE[1], "edit")}
        failed += accessibility(playwright, visit, state, pages | hostile)
        visit.end()
        failed += without_script(playwright, visit.origin, state, pages)
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
    # The check of a form happens when it is sent.
    page.goto(origin + pages["edit"])
    page.fill("[name='e:birthDate']", "1899-13-40")
    page.locator("form[data-check] button:text-is('Save')").first.click()
    if page.locator("[aria-invalid=true]").count() != 1 or "Nothing is stored" not in page.inner_text("main"):
        failed += 1
        print("FAIL  a form without script is not checked when it is sent")
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


def small(picture, limit=60_000):
    """A picture of at most so many bytes, with as few colors as that takes."""
    from PIL import Image

    image = Image.open(io.BytesIO(picture)).convert("RGB")
    for colors in [200, 128, 64, 32]:
        out = io.BytesIO()
        image.quantize(colors, kmeans=2, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if out.tell() < limit:
            return out.getvalue()
    raise AssertionError("a picture is too large")


# The pages that the documentation shows.
SHOWN = ["overview", "patient", "timeline", "schema"]


def documentation(address, folder):
    os.makedirs(folder, exist_ok=True)
    with sync_playwright() as playwright:
        visit = Visit(playwright, address)
        state = visit.context.storage_state()
        pages = paths(*sample(visit))
        for mode, end in [("light", ""), ("dark", "~dark")]:
            context = visit.browser.new_context(color_scheme=mode, storage_state=state, viewport={"width": 1200, "height": 800})
            page = context.new_page()
            for name in SHOWN:
                page.goto(visit.origin + pages[name])
                if name == "timeline":
                    page.locator("h2:text-is('Timeline')").evaluate("element => element.parentElement.scrollIntoView()")
                picture = small(page.screenshot())
                with open(f"{folder}/browser-{name}{end}.png", "wb") as file:
                    file.write(picture)
                print(f"browser-{name}{end}.png {len(picture)} bytes")
            context.close()
        visit.end()
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "test":
        sys.exit(1 if test(sys.argv[2]) else 0)
    if len(sys.argv) == 4 and sys.argv[1] == "pictures":
        sys.exit(pictures(sys.argv[2], sys.argv[3]))
    if len(sys.argv) == 4 and sys.argv[1] == "documentation":
        sys.exit(documentation(sys.argv[2], sys.argv[3]))
    if len(sys.argv) == 3 and sys.argv[1] == "records":
        sys.exit(write_records(sys.argv[2]))
    sys.exit(__doc__)
