#!/bin/sh
# Builds the fuzz targets and runs each: `Scripts/fuzz.sh [executions of each] [target…]`. `Scripts/fuzz.sh --available` tells whether it can.
# What a run learns stays in Fuzz/.build/corpus, and an input that breaks a property in Fuzz/.build/found.
set -eu
cd "$(dirname "$0")/../Fuzz"
if [ "${1:-}" = --available ]; then
    # What -sanitize=fuzzer links; Xcode's toolchain has none.
    toolchain="$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")"
    [ -n "$(find "$toolchain/lib" -name 'libclang_rt.fuzzer*' -print -quit)" ] && exit 0 || exit 1
fi
runs=${1:-200000}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- json xml lines document predicate digest template store file token
swift build -c release --product Fuzz
fuzz="$(swift build -c release --show-bin-path)/Fuzz"
# libFuzzer's own handler keeps the input of a crash; Swift's would come before it.
export SWIFT_BACKTRACE=enable=no
for target; do
    echo "== $target"
    mkdir -p ".build/corpus/$target" ".build/found/$target"
    dictionary=""
    [ -f "$target.dict" ] && dictionary="-dict=$target.dict"
    "$fuzz" "$target" -runs="$runs" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
        -artifact_prefix=".build/found/$target/" $dictionary ".build/corpus/$target" "Seeds/$target"
done
