// swift-tools-version: 6.1
import PackageDescription

// What an app would use instead of FireLite. A package of its own, so that FireLite itself depends on nothing. The harness and the data are
// those of the benchmarks, by symbolic links.
//
// FHIRMODELS=1 adds Apple's FHIRModels, whose decoding is then measured too. Its classes take minutes to build.
let hasModels = Context.environment["FHIRMODELS"] != nil
let package = Package(
    name: "Peers",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "FireLite", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ] + (hasModels ? [.package(url: "https://github.com/apple/FHIRModels.git", from: "0.5.0")] : []),
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "FireLite", package: "FireLite"),
                .product(name: "FireLiteR4", package: "FireLite"),
                .product(name: "FireLiteSynthetic", package: "FireLite"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + (hasModels ? [.product(name: "ModelsR4", package: "FHIRModels")] : []),
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
