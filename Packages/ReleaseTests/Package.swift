// swift-tools-version: 6.1
// The tests that need the classes of every release, which take longer to compile than all the rest: `make release-tests`.
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .define("RELEASE_TESTS")]

func products(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "FireLite") } }

let package = Package(
    name: "ReleaseTests",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "FireLite", path: "../..")],
    targets: [
        // TestSupport of the root package, of which a target may not have the name.
        .target(name: "ReleaseTestSupport", dependencies: products("FireLiteCore"), path: "Support", swiftSettings: settings),
        .testTarget(
            name: "FireLiteReleaseTests",
            dependencies: ["ReleaseTestSupport"]
                + products(
                    "FireLite", "FireLiteCore", "FireLiteDSTU2", "FireLiteSTU3", "FireLiteR4", "FireLiteR4B", "FireLiteR5",
                    "FireLiteFHIRPath"),
            swiftSettings: settings),
    ]
)
