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
        .systemLibrary(name: "CFireLiteSQLite", pkgConfig: "sqlite3"),
        .target(name: "FireLiteSQLite", dependencies: ["CFireLiteSQLite"], swiftSettings: instrumented + [.define("SystemSQLite")]),
        .target(name: "CFireLiteChecksumVFS", dependencies: ["CFireLiteSQLite"]),
        .target(name: "FireLiteSQLiteBridge", dependencies: ["FireLiteSQLite", "CFireLiteChecksumVFS"], swiftSettings: instrumented),
        .target(name: "CFireLitePrefetch"),
        .target(name: "CFireLiteGzip"),
        .target(name: "FireLiteCore", dependencies: ["CFireLitePrefetch"], swiftSettings: instrumented),
        .target(name: "CFireLiteXML"),
        .target(name: "FireLiteXML", dependencies: ["FireLiteCore", "CFireLiteXML"], swiftSettings: instrumented),
        .target(
            name: "FireLite", dependencies: ["FireLiteCore", "FireLiteSQLiteBridge", "FireLiteXML", "CFireLiteGzip"],
            swiftSettings: instrumented),
        .target(name: "FireLiteR4", dependencies: ["FireLiteCore"], swiftSettings: instrumented),
        .target(name: "FireLiteFHIRPath", dependencies: ["FireLiteCore"], swiftSettings: instrumented),
        .target(name: "FireLiteSearch", dependencies: ["FireLite", "FireLiteFHIRPath"], swiftSettings: instrumented),
        .systemLibrary(name: "CFireLiteCrypto"),
        .target(
            name: "FireLiteCrypto",
            dependencies: ["FireLiteCore", .target(name: "CFireLiteCrypto", condition: .when(platforms: [.linux]))],
            swiftSettings: instrumented),
        .target(
            name: "FireLiteTrust", dependencies: ["FireLite", "FireLiteCrypto", "FireLiteSearch"], swiftSettings: instrumented),
        .target(name: "FireLiteGenerator", path: "Generator/FireLiteGenerator", swiftSettings: instrumented),
        .executableTarget(
            name: "Fuzz", dependencies: ["FireLite", "FireLiteR4", "FireLiteGenerator", "FireLiteTrust", "FireLiteXML"], path: "Fuzz",
            swiftSettings: instrumented, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
    ]
)
