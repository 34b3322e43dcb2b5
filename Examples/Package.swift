// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

let store: [Target.Dependency] = [
    .product(name: "FireLite", package: "FireLite"),
    .product(name: "FireLiteR4", package: "FireLite"),
]

let diary = "MedicationDiary"
let form = "PatientForm"
let patterns = "AsyncPatterns"

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v14), .iOS(.v17)],
    products: [
        .library(name: "DiaryModel", targets: ["DiaryModel"]),
        .library(name: "DiaryViews", targets: ["DiaryViews"]),
        .executable(name: "diary", targets: ["MedicationDiary"]),
        .library(name: "PatientForm", targets: ["PatientForm"]),
        .library(name: "AsyncPatterns", targets: ["AsyncPatterns"]),
    ],
    dependencies: [
        // An app of your own names the repository and a version instead.
        .package(name: "FireLite", path: "..")
    ],
    targets: [
        .target(name: "DiaryModel", dependencies: store, path: "\(diary)/Sources/DiaryModel", swiftSettings: settings),
        .target(
            name: "DiaryViews", dependencies: ["DiaryModel", .product(name: "FireLiteUI", package: "FireLite")],
            path: "\(diary)/Sources/DiaryViews",
            swiftSettings: settings),
        .executableTarget(
            name: "MedicationDiary", dependencies: ["DiaryModel", .product(name: "FireLite", package: "FireLite")],
            path: "\(diary)/Sources/MedicationDiary", swiftSettings: settings),
        .testTarget(name: "DiaryModelTests", dependencies: ["DiaryModel"], path: "\(diary)/Tests/DiaryModelTests", swiftSettings: settings),
        .testTarget(name: "DiaryViewsTests", dependencies: ["DiaryViews"], path: "\(diary)/Tests/DiaryViewsTests", swiftSettings: settings),
        .testTarget(
            name: "MedicationDiaryTests", dependencies: ["MedicationDiary"], path: "\(diary)/Tests/MedicationDiaryTests",
            swiftSettings: settings),
        .target(
            name: "PatientForm",
            dependencies: [
                .product(name: "FireLiteClient", package: "FireLite"), .product(name: "FireLiteR4Names", package: "FireLite"),
                .product(name: "FireLiteSync", package: "FireLite"), .product(name: "FireLiteUI", package: "FireLite"),
            ], path: "\(form)/Sources/PatientForm", swiftSettings: settings),
        .testTarget(
            name: "PatientFormTests",
            dependencies: ["PatientForm", .product(name: "FireLitePreviews", package: "FireLite")],
            path: "\(form)/Tests/PatientFormTests", swiftSettings: settings),
        .target(name: "AsyncPatterns", dependencies: store, path: "\(patterns)/Sources/AsyncPatterns", swiftSettings: settings),
        .testTarget(
            name: "AsyncPatternsTests", dependencies: ["AsyncPatterns"], path: "\(patterns)/Tests/AsyncPatternsTests",
            swiftSettings: settings),
    ]
)
