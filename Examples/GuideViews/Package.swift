// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let fireLite: [Target.Dependency] = ["FireLite", "FireLiteCore", "FireLiteProfiles", "FireLiteR4"].map {
    .product(name: $0, package: "FireLite")
}

let package = Package(
    name: "GuideViews",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "GuideViews", targets: ["GuideViews"])
    ],
    dependencies: [
        // An app of your own names the repository and a version instead.
        .package(name: "FireLite", path: "../..")
    ],
    targets: [
        // Views of US Core 6.1.0 and IPS 1.1.0, which the plugin makes: see README.md.
        .target(name: "GuideViews", dependencies: fireLite, swiftSettings: settings),
        .executableTarget(
            name: "GuideChecks", dependencies: ["GuideViews", .product(name: "FireLiteKnowledge", package: "FireLite")] + fireLite,
            swiftSettings: settings),
    ]
)
