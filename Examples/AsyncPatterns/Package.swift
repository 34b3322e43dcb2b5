// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "AsyncPatterns",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "AsyncPatterns", targets: ["AsyncPatterns"])
    ],
    dependencies: [
        // An app of your own names the repository and a version instead.
        .package(name: "FireLite", path: "../..")
    ],
    targets: [
        .target(
            name: "AsyncPatterns",
            dependencies: [
                .product(name: "FireLite", package: "FireLite"),
                .product(name: "FireLiteR4", package: "FireLite"),
            ],
            swiftSettings: settings),
        .testTarget(name: "AsyncPatternsTests", dependencies: ["AsyncPatterns"], swiftSettings: settings),
    ]
)
