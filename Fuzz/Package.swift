// swift-tools-version: 6.1
import PackageDescription

// The library's own sources, by links, compiled with libFuzzer's instrumentation and with their internals open to the fuzz targets.
// Build it with `make fuzz`; README.md says more.
let instrumented: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v14)],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3"),
        .target(name: "SQLiteLibrary", dependencies: ["CSQLite"], swiftSettings: instrumented + [.define("SystemSQLite")]),
        .target(name: "CChecksumVFS", dependencies: ["CSQLite"]),
        .target(name: "SQLiteBridge", dependencies: ["SQLiteLibrary", "CChecksumVFS"], swiftSettings: instrumented),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .target(name: "CPrefetch"),
        .target(name: "FireLiteCore", dependencies: ["CPrefetch"], swiftSettings: instrumented),
        .target(name: "FireLite", dependencies: ["FireLiteCore", "SQLiteBridge"], swiftSettings: instrumented),
        .target(name: "FireLiteR4", dependencies: ["FireLiteCore"], swiftSettings: instrumented),
        .target(name: "SyntheticData", dependencies: ["FireLiteCore", "FireLiteR4"], swiftSettings: instrumented),
        .target(
            name: "FireLiteCLI", dependencies: ["FireLite", "FireLiteR4", "SyntheticData", "CZlib"], exclude: ["main.swift"],
            swiftSettings: instrumented),
        .target(name: "GeneratorKit", path: "Generator/GeneratorKit", swiftSettings: instrumented),
        .executableTarget(
            name: "Fuzz", dependencies: ["FireLite", "FireLiteR4", "FireLiteCLI", "GeneratorKit"], path: "Fuzz",
            swiftSettings: instrumented, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
)
