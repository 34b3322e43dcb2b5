// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "SlimModels",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "SlimModels", targets: ["SlimModels"]),
        .library(name: "SlimModelsNames", targets: ["SlimModelsNames"]),
    ],
    dependencies: [
        // An app of your own names the repository and a version instead.
        .package(name: "FireLite", path: "../..")
    ],
    targets: [
        .target(
            name: "SlimModels", dependencies: [.product(name: "FireLiteCore", package: "FireLite")], exclude: ["Generated/Models.md"],
            swiftSettings: settings),
        .target(name: "SlimModelsNames", dependencies: ["SlimModels"], swiftSettings: settings),
        .executableTarget(
            name: "Vitals", dependencies: ["SlimModels", .product(name: "FireLite", package: "FireLite")], swiftSettings: settings),
        .testTarget(
            name: "SlimModelsTests", dependencies: ["SlimModels", "SlimModelsNames", .product(name: "FireLite", package: "FireLite")],
            swiftSettings: settings),
    ]
)
