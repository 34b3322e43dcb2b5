#!/usr/bin/env bash
# Lists the public symbols of the library products from the modules of the debug build.
#
# `make api` builds the modules and writes the list, `make check-api` compares it with the committed one. The list is made on Linux with
# the default traits; on other systems a few declarations differ.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# A module comes after those that it imports, as their types are named by then.
modules="FireLiteCore FireLite FireLiteSearch FireLiteClient FireLiteSync FireLiteRecords FireLiteSamples FireLiteSampleSync FireLiteTrust FireLiteLegacy FireLiteR4 FireLiteFHIRPath FireLiteSynthetic FireLiteGenerator"
# One line a type: a class for each of FHIR's types is too much to read one declaration a line.
compact="FireLiteR4"

Scripts/symbols.sh "$work" "$modules" -pretty-print

files=()
for module in $modules; do
    # The module's own symbols before those that it adds to other modules.
    files+=("$work/$module/$module.symbols.json")
    for file in "$work/$module/$module"@*.symbols.json; do if [[ -e "$file" ]]; then files+=("$file"); fi; done
done
awk -v modules="$modules" -v compact="$compact" -f Scripts/api.awk "${files[@]}" >"$work/lines"

# The lines of a part, without what they are sorted by.
part() { awk -F"\t" -v part="$1" '$1 == part' "$work/lines" | sort -t"$(printf '\t')" -u -k2,2 -k3,3 | cut -f3; }

cat <<END
# The public symbols of FireLite's library products, made by \`make api\`. Do not edit.
#
# Each line is a declaration: module, kind, name, text; a type's line ends with its superclass and protocols. Members that
# are inherited or come with a protocol's defaults are not repeated. Of $compact, which is generated, a line is a type: its
# superclass and protocols, the number of its members, and their names, properties with their types. Symbols whose names begin
# with an underscore are for generated code only and are left out.
END
for module in $modules; do
    printf '\n## %s\n\n' "$module"
    part "$module"
done
