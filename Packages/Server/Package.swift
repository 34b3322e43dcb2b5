// swift-tools-version: 6.1
// The server over HTTP: `make server`. A package of its own, as the root package has no dependencies.
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "FireLiteServer",
    platforms: [.macOS(.v14)],
    products: [
        .library(name: "FireLiteServer", targets: ["FireLiteServer"]),
        .executable(name: "firelite-server", targets: ["firelite-server"]),
    ],
    dependencies: [
        .package(name: "FireLite", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .systemLibrary(name: "CServerZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "FireLiteServer",
            dependencies: [
                .product(name: "FireLiteBrowser", package: "FireLite"),
                "CServerZlib", .product(name: "FireLiteFHIRPath", package: "FireLite"),
                .product(name: "FireLiteKnowledge", package: "FireLite"),
                .product(name: "FireLiteService", package: "FireLite"), .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ], swiftSettings: settings),
        .executableTarget(
            name: "firelite-server",
            dependencies: [
                "FireLiteServer", .product(name: "FireLiteBrowser", package: "FireLite"),
                .product(name: "FireLiteKnowledge", package: "FireLite"), .product(name: "FireLiteRecords", package: "FireLite"),
                .product(name: "FireLiteReleases", package: "FireLite"), .product(name: "FireLiteSamples", package: "FireLite"),
                .product(name: "FireLiteService", package: "FireLite"), .product(name: "FireLiteSync", package: "FireLite"),
                .product(name: "FireLiteTrust", package: "FireLite"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"), .product(name: "Logging", package: "swift-log"),
            ], path: "Sources/ServerCommand", swiftSettings: settings),
        .testTarget(
            name: "FireLiteServerTests",
            dependencies: [
                "FireLiteServer", "firelite-server", .product(name: "FireLiteBrowser", package: "FireLite"),
                .product(name: "FireLiteKnowledge", package: "FireLite"),
                .product(name: "FireLiteRecords", package: "FireLite"),
                .product(name: "FireLiteReleases", package: "FireLite"), .product(name: "FireLiteService", package: "FireLite"),
                .product(name: "FireLiteTrust", package: "FireLite"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
    ]
)
