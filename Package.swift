// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

/// The C library, by trait.
let library: [Target.Dependency] = [
    .target(name: "CSQLite", condition: .when(traits: ["SystemSQLite"])),
    .target(name: "CSQLCipher", condition: .when(traits: ["SQLCipher"])),
]

let package = Package(
    name: "FireLite",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "FireLite", targets: ["FireLite"]),
        .library(name: "FireLiteR4", targets: ["FireLiteR4"]),
        .library(name: "SyntheticData", targets: ["SyntheticData"]),
        .library(name: "GeneratorKit", targets: ["GeneratorKit"]),
        .executable(name: "firelite", targets: ["FireLiteCLI"]),
        .executable(name: "Generator", targets: ["Generator"]),
    ],
    traits: [
        .trait(name: "SystemSQLite", description: "Links the system's SQLite. The default."),
        .trait(
            name: "SQLCipher",
            description: "Links SQLCipher in the place of SQLite, for encrypted stores: `--traits SQLCipher`, which leaves the default out."
        ),
        .default(enabledTraits: ["SystemSQLite"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CSQLCipher", pkgConfig: "sqlcipher", providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "SQLiteLibrary", dependencies: library, swiftSettings: settings),
        .target(name: "CChecksumVFS", dependencies: library),
        .target(name: "SQLiteBridge", dependencies: ["SQLiteLibrary", "CChecksumVFS"], swiftSettings: settings),
        .target(name: "CPrefetch"),
        .target(name: "FireLiteCore", dependencies: ["CPrefetch"], swiftSettings: settings),
        .target(name: "FireLite", dependencies: ["FireLiteCore", "SQLiteBridge"], swiftSettings: settings),
        .target(name: "FireLiteR4", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "SyntheticData", dependencies: ["FireLiteCore", "FireLiteR4"], swiftSettings: settings),
        .executableTarget(
            name: "FireLiteCLI", dependencies: ["FireLite", "FireLiteR4", "SyntheticData", "CZlib"], swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks", dependencies: ["FireLite", "FireLiteR4", "SQLiteBridge", "SQLiteLibrary", "SyntheticData"],
            path: "Benchmarks",
            exclude: ["Peers", "Report", "README.md"], swiftSettings: settings),
        .target(name: "GeneratorKit", path: "Generator/GeneratorKit", swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["FireLiteCore"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "FireLiteCoreTests", dependencies: ["FireLiteCore", "FireLiteR4", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "FireLiteR4Tests", dependencies: ["FireLiteCore", "FireLiteR4", "TestSupport"], swiftSettings: settings),
        .target(name: "CFaultVFS", dependencies: library, path: "Tests/CFaultVFS"),
        .executableTarget(
            name: "CrashChild", dependencies: ["FireLite", "FireLiteR4", "SQLiteLibrary", "TestSupport"], path: "Tests/CrashChild",
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteTests",
            dependencies: ["FireLite", "FireLiteR4", "SQLiteBridge", "SyntheticData", "TestSupport", "CFaultVFS", "CrashChild"],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteR4GeneratedTests", dependencies: ["FireLite", "FireLiteR4", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FireLiteCLITests", dependencies: ["FireLiteCLI", "SQLiteBridge", "SyntheticData", "TestSupport"], swiftSettings: settings
        ),
        .testTarget(
            name: "GeneratorKitTests", dependencies: ["GeneratorKit"], exclude: ["Fixtures"], swiftSettings: settings),
        .executableTarget(name: "Generator", dependencies: ["GeneratorKit"], path: "Generator/Generator", swiftSettings: settings),
    ]
)
