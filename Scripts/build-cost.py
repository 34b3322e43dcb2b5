#!/usr/bin/env python3
"""Runs a build and prints the CPU seconds of its compilers by target.

usage: Scripts/build-cost.py [--json FILE] [COMMAND…]          on Linux

COMMAND is `swift build --product FireLitePackageTests` unless given. Only what the command compiles counts: for whole targets remove their products
before, for example with `swift package clean`. Every process that the command starts is looked at ten times a second (/proc/PID/stat: user and
system time). A Swift compiler belongs to the module of its -module-name, a C compiler to the target of the folder that it writes to; other programs
have a line of their own. What a process does after the last look at it is missing: at most a tenth of a second for each, which the last lines
of the table show as the difference to the time that the system counted for all of them.
"""

import json
import os
import re
import resource
import subprocess
import sys
import time

INTERVAL = 0.1
TICKS = os.sysconf("SC_CLK_TCK")


def arguments(process):
    with open(f"/proc/{process}/cmdline", "rb") as file:
        return [part.decode(errors="replace") for part in file.read().split(b"\0") if part]


def status(process):
    """The parent, the start and the CPU seconds of a process."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return int(fields[1]), fields[19], (int(fields[11]) + int(fields[12])) / TICKS


def owner(words):
    """What the time of a process is counted for."""
    program = os.path.basename(words[0])
    if program in ("swift-frontend", "swiftc", "swift-driver") and "-module-name" in words[:-1]:
        return words[words.index("-module-name") + 1]
    if program.startswith("clang"):
        for word in words:
            found = re.search(r"/([^/]+)\.build/", word)
            if found:
                return found.group(1)
    return f"({program})"


class Sampler:
    def __init__(self, root):
        # Running processes: those that the command has started, directly or not, and all others, which are looked at only once.
        self.ours, self.others = {root}, set()
        # By process and its start, as numbers of processes are used again.
        self.owners, self.seconds = {}, {}

    def look(self):
        running = {int(entry) for entry in os.listdir("/proc") if entry.isdigit()}
        self.ours &= running
        self.others &= running
        # A process that was started has a higher number than the one that started it, unless numbers began again.
        for process in sorted(running - self.others):
            try:
                parent, start, seconds = status(process)
                if process not in self.ours and parent not in self.ours:
                    self.others.add(process)
                    continue
                self.ours.add(process)
                # A child has its parent's arguments until it becomes its own program.
                words = arguments(process)
            except (OSError, ValueError, IndexError):
                # It has ended meanwhile.
                continue
            key = (process, start)
            if words:
                self.owners[key] = owner(words)
            if key in self.owners:
                self.seconds[key] = max(seconds, self.seconds.get(key, 0))

    def totals(self):
        totals = {}
        for key, seconds in self.seconds.items():
            totals[self.owners[key]] = totals.get(self.owners[key], 0) + seconds
        return totals


def table(totals, counted, elapsed):
    rows = sorted(((seconds, name) for name, seconds in totals.items() if seconds >= 0.05), reverse=True)
    seen = sum(totals.values())
    rows += [(seen, "seen"), (counted, "counted by the system"), (elapsed, "elapsed")]
    lines = ["| target | CPU seconds |", "|---|--:|"] + [f"| {name} | {seconds:.1f} |" for seconds, name in rows]
    return "\n".join(lines)


def main():
    words = sys.argv[1:]
    if words and words[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    output = None
    if words and words[0] == "--json":
        if len(words) < 2:
            sys.exit("build-cost.py: --json needs the name of a file")
        output, words = words[1], words[2:]
    if not os.path.exists("/proc/self/stat"):
        sys.exit("build-cost.py: this system has no /proc: run it on Linux")
    command = words or ["swift", "build", "--product", "FireLitePackageTests"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    try:
        build = subprocess.Popen(command, stdout=sys.stderr)
    except OSError as error:
        sys.exit(f"build-cost.py: cannot run {command[0]}: {error.strerror}")
    sampler = Sampler(build.pid)
    try:
        while build.poll() is None:
            sampler.look()
            time.sleep(INTERVAL)
    except KeyboardInterrupt:
        # The terminal interrupts the command too. What it has done until then is shown.
        build.wait()
    elapsed = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counted = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    totals = sampler.totals()
    print(table(totals, counted, elapsed))
    if output:
        with open(output, "w", encoding="utf-8") as file:
            json.dump({"command": command, "cores": os.cpu_count(), "seconds": totals, "counted": counted, "elapsed": elapsed}, file, indent=2, sort_keys=True)
            file.write("\n")
    return build.returncode


sys.exit(main())
