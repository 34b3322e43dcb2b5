#!/usr/bin/env bash
# Installs the tool, its manual page and its completions: install.sh PROGRAM PREFIX. With --remove as PROGRAM, removes them.
set -euo pipefail

program=$1
prefix=$2
manual=share/man/man1/firelite.1
bash=share/bash-completion/completions/firelite
zsh=share/zsh/site-functions/_firelite
fish=share/fish/vendor_completions.d/firelite.fish

if [ "$program" = --remove ]; then
    for file in bin/firelite "$manual" "$bash" "$zsh" "$fish"; do rm -f "$prefix/$file"; done
    rm -f "$prefix"/share/man/man1/firelite-*.1
    exit 0
fi

texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT
"$program" manual >"$texts/manual"
commands=$(sed -n 's/^\.SS "firelite \(.*\)"$/\1/p' "$texts/manual")
for command in $commands; do "$program" manual "$command" >"$texts/firelite-$command.1"; done
for shell in bash zsh fish; do "$program" completions "$shell" >"$texts/$shell"; done

put() { # MODE SOURCE TARGET
    install -d "$prefix/$(dirname "$3")"
    install -m "$1" "$2" "$prefix/$3"
    echo "$prefix/$3"
}
put 755 "$program" bin/firelite
put 644 "$texts/manual" "$manual"
for command in $commands; do put 644 "$texts/firelite-$command.1" "share/man/man1/firelite-$command.1"; done
put 644 "$texts/bash" "$bash"
put 644 "$texts/zsh" "$zsh"
put 644 "$texts/fish" "$fish"
