// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
    name: "MedicationDiary",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "DiaryModel", targets: ["DiaryModel"]),
        .library(name: "DiaryViews", targets: ["DiaryViews"]),
        .executable(name: "diary", targets: ["MedicationDiary"]),
    ],
    dependencies: [
        // An app of your own names the repository and a version instead.
        .package(name: "FireLite", path: "../..")
    ],
    targets: [
        .target(
            name: "DiaryModel",
            dependencies: [
                .product(name: "FireLite", package: "FireLite"),
                .product(name: "FireLiteR4", package: "FireLite"),
            ],
            swiftSettings: settings),
        .target(name: "DiaryViews", dependencies: ["DiaryModel"], swiftSettings: settings),
        .executableTarget(name: "MedicationDiary", dependencies: ["DiaryModel"], swiftSettings: settings),
        .testTarget(name: "DiaryModelTests", dependencies: ["DiaryModel"], swiftSettings: settings),
        .testTarget(name: "DiaryViewsTests", dependencies: ["DiaryViews"], swiftSettings: settings),
        .testTarget(name: "MedicationDiaryTests", dependencies: ["MedicationDiary"], swiftSettings: settings),
    ]
)
