// swift-tools-version: 6.1
// Statements of a store in swift-log: a package of its own, as the root package has no dependencies.
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "FireLiteLogging",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [.library(name: "FireLiteLogging", targets: ["FireLiteLogging"])],
    dependencies: [
        .package(name: "FireLite", path: "../.."),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .target(
            name: "FireLiteLogging",
            dependencies: [.product(name: "FireLite", package: "FireLite"), .product(name: "Logging", package: "swift-log")],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteLoggingTests", dependencies: ["FireLiteLogging", .product(name: "FireLiteR4", package: "FireLite")],
            swiftSettings: settings),
    ]
)
