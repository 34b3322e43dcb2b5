#!/usr/bin/env bash
# Prints the public interface of the library products as the compiler has it, from the modules of the debug build.
#
# `make api` builds the modules and writes Documentation/API.txt, `make check-api` compares it with the committed one. The file is made on
# Linux with the default traits; on other systems a few declarations differ.
set -euo pipefail
cd "$(dirname "$0")/.."

modules="FireLiteCore FireLiteXML FireLite FireLiteSearch FireLiteProfiles FireLiteKnowledge FireLiteCrypto FireLiteClient FireLiteRegistry FireLiteSync FireLiteRecords FireLiteSamples FireLiteSampleSync FireLiteTrust FireLiteErasure FireLiteUI FireLitePreviews FireLiteService FireLiteBrowser FireLiteReleases FireLiteLegacy FireLiteR4 FireLiteFHIRPath FireLiteSynthetic FireLiteGenerator"
# A type a line: one declaration a line is too much to read for the classes of all FHIR types.
compact="FireLiteR4"

built="$(swift build --show-bin-path)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# Only the modules: with their documentation beside them, the interface has comments.
ln -s "$built"/Modules/*.swiftmodule "$work"

synthesize=(swift-synthesize-interface)
if [[ "$(uname)" == Darwin ]]; then synthesize=(xcrun swift-synthesize-interface -sdk "$(xcrun --show-sdk-path)"); fi
options=(-I "$work" -target "$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)")
for map in Sources/*/module.modulemap; do options+=(-I "$(dirname "$map")"); done
# A folder that ends in -tool has the same module, built for a plugin.
for map in "$built"/CFireLite*.build/module.modulemap; do [ "${map/-tool.build/}" != "$map" ] || options+=(-Xcc "-fmodule-map-file=$map"); done

cat <<END
# The public interface of FireLite's library products, made from the compiler's by \`make api\`. Do not edit.
#
# Symbols whose names begin with an underscore are for generated code only and are left out. In $compact, which is generated, a line is a type.
END
for module in $modules; do
    printf '\n## %s\n\n' "$module"
    "${synthesize[@]}" -module-name "$module" "${options[@]}" -o "$work/$module" || { echo "api.sh: build first: swift build" >&2; exit 1; }
    awk -v isCompact="$([[ "$module" == "$compact" ]] && echo 1)" '
        /^ *(\/\/\/|$)/ || /^import / { next }
        # All of a declaration that is left out.
        skipped != "" { if ($0 == skipped) skipped = ""; next }
        /(func|var|let|class|struct|enum|protocol|typealias|case|init\??\() ?_[A-Za-z]/ {
            if (/[{]$/) { match($0, /^ */); skipped = substr($0, 1, RLENGTH) "}" }
            next
        }
        { gsub(/FireLite[A-Za-z0-9]*\./, "") }
        isCompact && /^ / { sub(/^ */, ""); gsub(/public |final /, ""); line = line " " $0 ";"; next }
        isCompact { if (/^}/) print line " }"; else line = $0; next }
        # A type or conformance without members takes one line, an extension without either none.
        /^ *}$/ && line ~ /[{]$/ { if (line !~ /^extension [^ ]+ ([{]|where)/) print line "}"; line = ""; next }
        { if (line != "") print line; line = $0 }
        END { if (line != "") print line }' "$work/$module"
done
