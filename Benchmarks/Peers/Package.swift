// swift-tools-version: 6.1
import PackageDescription

// What an app would use instead of FireLite. A package of its own, so that FireLite itself depends on nothing. The harness and the data are
// those of the benchmarks, by symbolic links.
let package = Package(
    name: "Peers",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "FireLite", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "FireLite", package: "FireLite"),
                .product(name: "FireLiteR4", package: "FireLite"),
                .product(name: "FireLiteSynthetic", package: "FireLite"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
