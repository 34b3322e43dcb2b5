#!/usr/bin/env python3
"""Looks for broken links in the documentation site and on the repository's pages, and for pages that the site's search does not find.

usage: Scripts/check-site.py [SITE]        SITE is .build/site unless given; `make check-site` builds it first

In the site: every reference of a page leads to a page, and its fragment to a heading there; every page has its file for static hosting; every
image is there; and every link into the repository leads to a file of this checkout. The search finds the pages of SEARCHES by their words, and the
site is no larger than MOST_BYTES. On the repository's own pages (README.md,
Documentation/*.md and the like): every relative link leads to a file and a heading, and every path in backticks exists.
Addresses elsewhere are not opened.
"""

import glob
import json
import os
import re
import sys
from urllib.parse import unquote

REPOSITORY = re.compile(r"https://github\.com/[^/]+/FireLite/(?:blob|tree|raw)/main/([^#?]*)")
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?\)")
PATH = re.compile(r"(?:Benchmarks|Documentation|Examples|Fuzz|Generator|Scripts|Sources|Templates|Tests)/[\w./+-]+")
PLACES = {"https", "http", "mailto"}

# What somebody types into the site's search, and the page that must be among its results.
SEARCHES = {
    "backup": "/documentation/firelite/devicebackups",
    "encryption": "/documentation/firelite/encryption",
    "erase": "/documentation/fireliteerasure/erasingaperson",
    "FHIRPath": "/documentation/firelitefhirpath/usingfhirpath",
    "form": "/tutorials/firelite/syncedform",
    "getting started": "/documentation/firelite/gettingstarted",
    "history": "/documentation/firelite/changesandhistory",
    "import": "/documentation/firelite/importandexport",
    "live": "/documentation/firelite/liveresults",
    "memory": "/documentation/firelite/memorypressure",
    "migrating": "/documentation/firelite/migratingfromgrdb",
    "permission": "/documentation/firelitetrust/permissions",
    "queries": "/documentation/firelite/queries",
    "release": "/documentation/firelite/releases",
    "search": "/documentation/firelitesearch/searching",
    "server": "/documentation/fireliteclient/talkingtoservers",
    "SwiftUI": "/documentation/fireliteui/swiftuiviews",
    "sync": "/documentation/firelitesync/synchronizing",
}
# As many results as the search shows.
SHOWN = 20
# The site had 107 MB when this was set, half of them the pages of FireLiteR4.
MOST_BYTES = 120_000_000

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
faults = []


def fault(place, text):
    faults.append(f"{place}: {text}")


def repository_file(address):
    """The path in the checkout that a link into the repository names; None for other links."""
    match = REPOSITORY.match(address)
    return unquote(match.group(1)) if match else None


def results(text, index):
    """The paths that the search of a DocC site shows for a text, best first, by the rule of its page (QuickNavigationModal of Swift-DocC-Render).

    A title matches if it has the letters in this order, whatever is between them, within three times their length. Fewer letters between them are
    better, then an earlier place in the title, then a shorter title.
    """
    text = re.sub(r"\s", "", text)
    between = [f"[^{re.escape(letter.lower())}]*?" for letter in text[:-1]] + [""]
    pattern = re.compile("".join(f"[{re.escape(letter)}]{gap}" for letter, gap in zip(text, between)), re.IGNORECASE)
    found = {}
    for node in index:
        match = pattern.search(node["title"])
        if match and len(match[0]) <= 3 * len(text):
            found[node["path"]] = (len(match[0]) - len(text), match.start(), len(node["title"]) - len(text))
    # Those of one rank stay in the order of the index: Python's sorting is stable, as the page's is.
    return sorted(found, key=found.get)[:SHOWN]


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.data = os.path.join(folder, "data")
        self.links = 0
        self.pages = {}
        for parent, _, names in os.walk(self.data):
            for name in names:
                path = os.path.join(parent, name)
                page = "/" + os.path.relpath(path, self.data).removesuffix(".json")
                self.pages[page] = path
        self.headings = {}

    def anchors(self, page):
        """The fragments that a page has."""
        if page not in self.headings:
            found = set()

            def visit(value):
                if isinstance(value, dict):
                    if "anchor" in value:
                        found.add(value["anchor"])
                    for part in value.values():
                        visit(part)
                elif isinstance(value, list):
                    for part in value:
                        visit(part)

            with open(self.pages[page], encoding="utf-8") as file:
                content = json.load(file)
            visit(content)
            self.headings[page] = found
        return self.headings[page]

    def check_address(self, place, address):
        self.links += 1
        page, _, fragment = address.partition("#")
        page = page.rstrip("/")
        if page not in self.pages and page.startswith("/tutorials/"):
            # A chapter stands on the page of its tutorials.
            page = page.rpartition("/")[0]
        if page not in self.pages:
            fault(place, f"no page {page}")
        elif fragment and fragment not in self.anchors(page) and unquote(fragment) not in self.anchors(page):
            # Groups of topics are headings too, whose anchors the page makes from their titles.
            with open(self.pages[page], encoding="utf-8") as file:
                titles = {part.get("title", "").replace(" ", "-") for part in json.load(file).get("topicSections", [])}
            if unquote(fragment) not in titles:
                fault(place, f"no heading #{fragment} on {page}")

    def check_reference(self, place, reference):
        kind = reference.get("type")
        if kind in ("topic", "section"):
            self.check_address(place, reference["url"])
        elif kind == "link":
            path = repository_file(reference["url"])
            if path is not None:
                self.links += 1
                if not os.path.exists(os.path.join(root, path)):
                    fault(place, f"no file {path}")
            elif reference["url"].partition(":")[0] not in PLACES:
                fault(place, f"a link that leads nowhere on the site: {reference['url']}")
        elif kind in ("image", "video"):
            for variant in reference["variants"]:
                self.links += 1
                if "://" not in variant["url"] and not os.path.exists(os.path.join(self.folder, variant["url"].lstrip("/"))):
                    fault(place, f"no file {variant['url']}")

    def check(self):
        for page, path in self.pages.items():
            with open(path, encoding="utf-8") as file:
                content = json.load(file)
            # Protocols of other modules, such as Sendable, are names without a link there.
            named = {identifier for part in content.get("relationshipsSections", []) for identifier in part["identifiers"]}
            for reference in content.get("references", {}).values():
                self.check_reference(page, reference)
                if reference.get("type") == "unresolvable" and reference["identifier"] not in named:
                    fault(page, f"docc has not resolved {reference['identifier']}")
            if not os.path.exists(os.path.join(self.folder, page.lstrip("/"), "index.html")):
                fault(page, "no index.html")
        with open(os.path.join(self.folder, "index", "index.json"), encoding="utf-8") as file:
            languages = json.load(file)["interfaceLanguages"]
        self.check_navigator(languages)
        self.check_search(languages["swift"])
        self.check_size()

    def check_search(self, roots):
        index = []

        def visit(node):
            # The navigator's headings are no results.
            if node.get("type") != "groupMarker" and node.get("title") is not None:
                index.append(node)
            for child in node.get("children", []):
                visit(child)

        for root_node in roots:
            for child in root_node.get("children", []):
                visit(child)
        for words, page in SEARCHES.items():
            if page not in self.pages:
                fault("SEARCHES of check-site.py", f"no page {page}")
            elif page not in results(words, index):
                fault("the search", f"{page} is not among the first {SHOWN} results for {words}: begin its title with that, or shorten it")

    def check_size(self):
        self.bytes = sum(os.path.getsize(os.path.join(parent, name)) for parent, _, names in os.walk(self.folder) for name in names)
        if self.bytes > MOST_BYTES:
            fault("the site", f"{self.bytes / 1e6:.0f} MB in all, more than {MOST_BYTES / 1e6:.0f}: leave modules or symbols out")

    def check_navigator(self, value):
        if isinstance(value, dict):
            if "path" in value:
                self.check_address("the navigator", value["path"])
            for part in value.values():
                self.check_navigator(part)
        elif isinstance(value, list):
            for part in value:
                self.check_navigator(part)


class Pages:
    """The repository's own pages."""

    def __init__(self):
        self.links = 0
        self.pages = []
        for parent, folders, names in os.walk(root):
            folders[:] = sorted(f for f in folders if f == ".github" or not f.startswith("."))
            self.pages += [os.path.relpath(os.path.join(parent, name), root) for name in sorted(names) if name.endswith(".md")]

    @staticmethod
    def headings(path):
        """The fragments that a code host makes from the headings of a page."""
        with open(os.path.join(root, path), encoding="utf-8") as file:
            titles = re.findall(r"^#+ (.*)$", file.read(), re.MULTILINE)
        return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}

    def check(self):
        for page in self.pages:
            with open(os.path.join(root, page), encoding="utf-8") as file:
                text = re.sub(r"^```.*?^```", "", file.read(), flags=re.MULTILINE | re.DOTALL)
            for span in re.findall(r"`([^`]+)`", text):
                # The changes of earlier versions name files that have moved since.
                if PATH.fullmatch(span) and "/.build/" not in span and page != "CHANGELOG.md":
                    self.links += 1
                    # From the repository's folder, or from that of the page, as in a package of its own.
                    places = [root, os.path.join(root, os.path.dirname(page))]
                    if not any(os.path.exists(os.path.join(place, span)) for place in places):
                        fault(page, f"no file {span}")
            for address in LINK.findall(re.sub(r"`[^`]*`", "", text)):
                self.check_link(page, address)

    def check_link(self, page, address):
        path = repository_file(address)
        if path is None:
            if re.match(r"[a-z][a-z+.-]*:", address):
                return
            path, _, fragment = address.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), unquote(path))) if path else page
            if fragment and path.endswith(".md") and os.path.exists(os.path.join(root, path)):
                if fragment not in self.headings(path):
                    fault(page, f"no heading #{fragment} in {path}")
        self.links += 1
        # DocC names pictures without their endings, and finds them in the folder of resources.
        folder, name = os.path.split(path)
        pictures = glob.glob(os.path.join(root, glob.escape(folder), "Resources", glob.escape(name) + "*.png")) if ".docc" in folder else []
        if not os.path.exists(os.path.join(root, path)) and not pictures:
            fault(page, f"no file {path}")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, ".build", "site")
    if not os.path.isdir(os.path.join(folder, "data")):
        sys.exit(f"check-site.py: {folder} is no site: build it with make site")
    site = Site(folder)
    site.check()
    pages = Pages()
    pages.check()
    for text in sorted(set(faults)):
        print(text, file=sys.stderr)
    print(f"site: {site.bytes / 1e6:.0f} MB, {len(site.pages)} pages, {site.links} links, {len(SEARCHES)} searches; repository: {len(pages.pages)} pages, {pages.links} links; {len(set(faults))} broken")
    if faults:
        sys.exit(1)


main()
