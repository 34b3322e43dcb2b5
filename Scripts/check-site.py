#!/usr/bin/env python3
"""Looks for broken links in the documentation site and on the repository's pages.

usage: Scripts/check-site.py [SITE]        SITE is .build/site unless given; `make check-site` builds it first

In the site: every reference of a page leads to a page, and its fragment to a heading there; every page has its file for static hosting; every
image is there; and every link into the repository leads to a file of this checkout. On the repository's own pages (README.md,
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

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
faults = []


def fault(place, text):
    faults.append(f"{place}: {text}")


def repository_file(address):
    """The path in the checkout that a link into the repository names; None for other links."""
    match = REPOSITORY.match(address)
    return unquote(match.group(1)) if match else None


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
            self.check_navigator(json.load(file)["interfaceLanguages"])

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
    print(f"site: {len(site.pages)} pages, {site.links} links; repository: {len(pages.pages)} pages, {pages.links} links; {len(set(faults))} broken")
    if faults:
        sys.exit(1)


main()
