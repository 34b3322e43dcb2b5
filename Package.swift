// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
]

/// The C library, by trait.
let library: [Target.Dependency] = [
    .target(name: "CFireLiteSQLite", condition: .when(traits: ["SystemSQLite"])),
    .target(name: "CFireLiteSQLCipher", condition: .when(traits: ["SQLCipher"])),
]

let package = Package(
    name: "FireLite",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "FireLite", targets: ["FireLite"]),
        .library(name: "FireLiteDSTU2", targets: ["FireLiteDSTU2"]),
        .library(name: "FireLiteSTU3", targets: ["FireLiteSTU3"]),
        .library(name: "FireLiteCore", targets: ["FireLiteCore"]),
        .library(name: "FireLiteR4", targets: ["FireLiteR4"]),
        .library(name: "FireLiteR4B", targets: ["FireLiteR4B"]),
        .library(name: "FireLiteR5", targets: ["FireLiteR5"]),
        .library(name: "FireLiteDSTU2Names", targets: ["FireLiteDSTU2Names"]),
        .library(name: "FireLiteSTU3Names", targets: ["FireLiteSTU3Names"]),
        .library(name: "FireLiteR4Names", targets: ["FireLiteR4Names"]),
        .library(name: "FireLiteR4BNames", targets: ["FireLiteR4BNames"]),
        .library(name: "FireLiteR5Names", targets: ["FireLiteR5Names"]),
        .library(name: "FireLiteXML", targets: ["FireLiteXML"]),
        .library(name: "FireLiteFHIRPath", targets: ["FireLiteFHIRPath"]),
        .library(name: "FireLiteSearch", targets: ["FireLiteSearch"]),
        .library(name: "FireLiteKnowledge", targets: ["FireLiteKnowledge"]),
        .library(name: "FireLiteProfiles", targets: ["FireLiteProfiles"]),
        .library(name: "FireLiteCrypto", targets: ["FireLiteCrypto"]),
        .library(name: "FireLiteClient", targets: ["FireLiteClient"]),
        .library(name: "FireLiteRegistry", targets: ["FireLiteRegistry"]),
        .library(name: "FireLiteSync", targets: ["FireLiteSync"]),
        .library(name: "FireLiteRecords", targets: ["FireLiteRecords"]),
        .library(name: "FireLiteSamples", targets: ["FireLiteSamples"]),
        .library(name: "FireLiteSampleSync", targets: ["FireLiteSampleSync"]),
        .library(name: "FireLiteTrust", targets: ["FireLiteTrust"]),
        .library(name: "FireLiteService", targets: ["FireLiteService"]),
        .library(name: "FireLiteBrowser", targets: ["FireLiteBrowser"]),
        .library(name: "FireLiteReleases", targets: ["FireLiteReleases"]),
        .library(name: "FireLiteErasure", targets: ["FireLiteErasure"]),
        .library(name: "FireLiteUI", targets: ["FireLiteUI"]),
        .library(name: "FireLitePreviews", targets: ["FireLitePreviews"]),
        .library(name: "FireLiteLegacy", targets: ["FireLiteLegacy"]),
        .library(name: "FireLiteSynthetic", targets: ["FireLiteSynthetic"]),
        .library(name: "FireLiteGenerator", targets: ["FireLiteGenerator"]),
        .executable(name: "firelite", targets: ["FireLiteCLI"]),
        .executable(name: "demo", targets: ["Demo"]),
        .executable(name: "Generator", targets: ["FireLiteGeneratorCommand"]),
        .plugin(name: "GenerateFHIRModels", targets: ["GenerateFHIRModels"]),
    ],
    traits: [
        .trait(name: "SystemSQLite", description: "Links the system's SQLite. The default."),
        .trait(
            name: "SQLCipher",
            description: "Links SQLCipher instead of SQLite, for encrypted stores: `--traits SQLCipher`, which turns the default off."
        ),
        .default(enabledTraits: ["SystemSQLite"]),
    ],
    targets: [
        .systemLibrary(name: "CFireLiteSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(
            name: "CFireLiteSQLCipher", pkgConfig: "sqlcipher", providers: [.apt(["libsqlcipher-dev"]), .brew(["sqlcipher"])]),
        .target(name: "FireLiteSQLite", dependencies: library, swiftSettings: settings),
        .target(name: "CFireLiteChecksumVFS", dependencies: library),
        .target(name: "FireLiteSQLiteBridge", dependencies: ["FireLiteSQLite", "CFireLiteChecksumVFS"], swiftSettings: settings),
        .target(name: "CFireLitePrefetch"),
        .target(name: "CFireLiteGzip"),
        .target(name: "FireLiteCore", dependencies: ["CFireLitePrefetch"], swiftSettings: settings),
        .target(
            name: "FireLite", dependencies: ["FireLiteCore", "FireLiteSQLiteBridge", "FireLiteXML", "CFireLiteGzip"],
            swiftSettings: settings),
        .target(name: "FireLiteDSTU2", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteSTU3", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteR4", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteR4B", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteR5", dependencies: ["FireLiteCore"], swiftSettings: settings),
        // Aliases, for files in which the classes' own names would be ambiguous.
        .target(name: "FireLiteDSTU2Names", dependencies: ["FireLiteDSTU2"], swiftSettings: settings),
        .target(name: "FireLiteSTU3Names", dependencies: ["FireLiteSTU3"], swiftSettings: settings),
        .target(name: "FireLiteR4Names", dependencies: ["FireLiteR4"], swiftSettings: settings),
        .target(name: "FireLiteR4BNames", dependencies: ["FireLiteR4B"], swiftSettings: settings),
        .target(name: "FireLiteR5Names", dependencies: ["FireLiteR5"], swiftSettings: settings),
        // Loads the system's libxml2 when the first XML is read.
        .target(name: "CFireLiteXML"),
        .target(name: "FireLiteXML", dependencies: ["FireLiteCore", "CFireLiteXML"], swiftSettings: settings),
        .target(name: "FireLiteFHIRPath", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteSearch", dependencies: ["FireLite", "FireLiteCore", "FireLiteFHIRPath"], swiftSettings: settings),
        .target(name: "FireLiteProfiles", dependencies: ["FireLite", "FireLiteCore"], swiftSettings: settings),
        .target(
            name: "FireLiteKnowledge",
            dependencies: ["FireLite", "FireLiteCore", "FireLiteFHIRPath", "FireLiteProfiles", "FireLiteSQLiteBridge", "FireLiteXML"],
            swiftSettings: settings),
        // Reached only from FireLiteCrypto. Without pkgConfig, as SwiftPM would warn those who use the store alone and have no OpenSSL.
        .systemLibrary(name: "CFireLiteCrypto"),
        .target(
            name: "FireLiteCrypto",
            dependencies: ["FireLiteCore", .target(name: "CFireLiteCrypto", condition: .when(platforms: [.linux, .android]))],
            swiftSettings: settings),
        // Loads the system's libcurl when the first request is sent; Apple's systems have URLSession.
        .target(name: "CFireLiteCurl"),
        .target(
            name: "FireLiteClient",
            dependencies: [
                "FireLiteCore", "FireLiteCrypto", "FireLiteXML",
                .target(name: "CFireLiteCurl", condition: .when(platforms: [.linux, .android])),
            ], swiftSettings: settings),
        .target(
            name: "FireLiteRegistry", dependencies: ["FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteKnowledge"],
            swiftSettings: settings),
        .target(
            name: "FireLiteSync",
            dependencies: ["FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteSearch", "FireLiteXML"],
            swiftSettings: settings),
        .target(name: "FireLiteRecords", dependencies: ["FireLite", "FireLiteCore", "FireLiteCrypto"], swiftSettings: settings),
        .target(
            name: "FireLiteSamples", dependencies: ["FireLite", "FireLiteCore", "FireLiteCrypto", "FireLiteXML"], swiftSettings: settings),
        .target(
            name: "FireLiteSampleSync", dependencies: ["FireLite", "FireLiteCore", "FireLiteSamples", "FireLiteSync"],
            swiftSettings: settings),
        .target(
            name: "FireLiteTrust", dependencies: ["FireLite", "FireLiteCore", "FireLiteCrypto", "FireLiteSearch"], swiftSettings: settings),
        .target(
            name: "FireLiteErasure", dependencies: ["FireLite", "FireLiteCore", "FireLiteRecords", "FireLiteSearch"],
            swiftSettings: settings),
        .target(name: "FireLiteUI", dependencies: ["FireLite", "FireLiteCore"], swiftSettings: settings),
        .target(
            name: "FireLiteService",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteFHIRPath", "FireLiteSearch", "FireLiteTrust",
                "FireLiteXML",
            ],
            swiftSettings: settings),
        .target(
            name: "FireLiteBrowser",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteFHIRPath", "FireLiteRecords", "FireLiteSearch",
                "FireLiteService", "FireLiteSync", "FireLiteTerminal", "FireLiteTrust",
            ],
            swiftSettings: settings),
        .target(
            name: "FireLiteLegacy",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteSamples", "FireLiteSync", "FireLiteTrust",
            ],
            swiftSettings: settings),
        .target(name: "FireLiteSynthetic", dependencies: ["FireLiteCore", "FireLiteR4"], swiftSettings: settings),
        .target(
            name: "FireLitePreviews",
            dependencies: ["FireLite", "FireLiteClient", "FireLiteCore", "FireLiteR4", "FireLiteService", "FireLiteSynthetic"],
            swiftSettings: settings),
        .target(name: "FireLiteReleases", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(name: "FireLiteTerminal", dependencies: ["FireLiteCore"], swiftSettings: settings),
        .target(
            name: "FireLiteDemonstration", dependencies: ["FireLite", "FireLiteR4", "FireLiteSynthetic", "FireLiteTerminal"],
            swiftSettings: settings),
        .executableTarget(
            name: "Demo", dependencies: ["FireLite", "FireLiteDemonstration", "FireLiteR4", "FireLiteSynthetic"], swiftSettings: settings),
        .executableTarget(
            name: "FireLiteCLI",
            dependencies: [
                "FireLite", "FireLiteCore", "FireLiteCrypto", "FireLiteDemonstration", "FireLiteErasure", "FireLiteFHIRPath",
                "FireLiteKnowledge", "FireLiteLegacy", "FireLiteR4", "FireLiteRecords", "FireLiteRegistry", "FireLiteReleases",
                "FireLiteSampleSync", "FireLiteSamples", "FireLiteSearch", "FireLiteSync", "FireLiteSynthetic", "FireLiteTerminal",
                "FireLiteTrust", "FireLiteXML",
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "FireLite", "FireLiteCore", "FireLiteCrypto", "FireLiteFHIRPath", "FireLiteKnowledge", "FireLiteR4", "FireLiteRecords",
                "FireLiteSQLite", "FireLiteSQLiteBridge", "FireLiteSamples", "FireLiteSearch", "FireLiteSync", "FireLiteSynthetic",
                "FireLiteTrust", "FireLiteUI", "FireLiteXML", "CFireLiteXML",
            ],
            path: "Benchmarks",
            exclude: ["Peers", "Report", "README.md"], swiftSettings: settings),
        .target(name: "FireLiteGenerator", path: "Generator/FireLiteGenerator", swiftSettings: settings),
        // Reads packages for the Generator, which by itself depends on nothing: it makes code of the modules that this one needs.
        .target(
            name: "FireLiteProfileReader", dependencies: ["FireLiteGenerator", "FireLiteKnowledge", "FireLiteReleases"],
            path: "Generator/FireLiteProfileReader", swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["FireLiteCore"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "FireLiteCoreTests", dependencies: ["FireLiteCore", "FireLiteR4", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FireLiteR4Tests", dependencies: ["FireLite", "FireLiteCore", "FireLiteR4", "TestSupport"], swiftSettings: settings),
        .target(name: "CFaultVFS", dependencies: library, path: "Tests/CFaultVFS"),
        .executableTarget(
            name: "CrashChild", dependencies: ["FireLite", "FireLiteR4", "FireLiteSQLite", "TestSupport"], path: "Tests/CrashChild",
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteTests",
            dependencies: [
                "FireLite", "FireLiteCore", "FireLiteR4", "FireLiteR4Names", "FireLiteReleases", "FireLiteSQLiteBridge",
                "FireLiteSynthetic", "CFaultVFS", "CrashChild", "TestSupport",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteXMLTests",
            dependencies: ["FireLiteXML", "FireLiteCore", "FireLiteDSTU2", "FireLiteR4", "FireLiteReleases", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteFHIRPathTests", dependencies: ["FireLiteFHIRPath", "FireLiteCore", "FireLiteR4", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteSyntheticTests", dependencies: ["FireLite", "FireLiteR4", "FireLiteSynthetic"], swiftSettings: settings),
        .testTarget(name: "FireLiteCryptoTests", dependencies: ["FireLiteCore", "FireLiteCrypto", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "FireLiteSearchTests",
            dependencies: [
                "FireLite", "FireLiteFHIRPath", "FireLiteR4", "FireLiteReleases", "FireLiteSQLiteBridge", "FireLiteSearch",
                "FireLiteSynthetic", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteKnowledgeTests",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteFHIRPath", "FireLiteKnowledge", "FireLiteR4",
                "FireLiteRegistry", "FireLiteReleases", "FireLiteSQLiteBridge", "FireLiteSearch", "FireLiteService", "FireLiteSync",
                "TestSupport",
            ], exclude: ["Fixtures"],
            swiftSettings: settings),
        .executableTarget(
            name: "OutboxChild", dependencies: ["FireLite", "FireLiteR4", "FireLiteSync"], path: "Tests/OutboxChild",
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteSyncTests",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteCrypto", "FireLiteLegacy", "FireLiteR4", "FireLiteRecords",
                "FireLiteReleases", "FireLiteSearch", "FireLiteSync", "FireLiteXML", "OutboxChild", "TestSupport",
                .target(name: "CFireLiteCurl", condition: .when(platforms: [.linux, .android])),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteRecordsTests", dependencies: ["FireLiteRecords", "FireLiteR4", "FireLiteReleases", "TestSupport"],
            swiftSettings: settings),
        .executableTarget(
            name: "SamplesChild", dependencies: ["FireLiteR4", "FireLiteSampleSync", "FireLiteSamples"], path: "Tests/SamplesChild",
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteSamplesTests",
            dependencies: [
                "FireLiteClient", "FireLiteLegacy", "FireLiteSampleSync", "FireLiteSamples", "FireLiteR4", "FireLiteReleases",
                "FireLiteXML",
                "TestSupport",
                "SamplesChild",
            ],
            exclude: ["Fixtures"],
            swiftSettings: settings),
        .executableTarget(
            name: "AuditChild", dependencies: ["FireLiteTrust", "FireLiteR4"], path: "Tests/AuditChild", swiftSettings: settings),
        .testTarget(
            name: "FireLiteTrustTests",
            dependencies: [
                "FireLiteCrypto", "FireLiteLegacy", "FireLiteR4", "FireLiteRecords", "FireLiteReleases", "FireLiteSearch", "FireLiteTrust",
                "AuditChild", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteBrowserTests",
            dependencies: [
                "FireLite", "FireLiteBrowser", "FireLiteCore", "FireLiteR4", "FireLiteReleases", "FireLiteSQLiteBridge", "FireLiteService",
                "FireLiteSync", "FireLiteSynthetic", "FireLiteTrust", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteServiceTests",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLiteErasure", "FireLiteR4", "FireLiteRecords", "FireLiteReleases",
                "FireLiteService", "FireLiteSync", "FireLiteSynthetic", "FireLiteTrust", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteFormatTests",
            dependencies: [
                "FireLiteR4", "FireLiteRecords", "FireLiteReleases", "FireLiteSQLiteBridge", "FireLiteSamples", "FireLiteSearch",
                "FireLiteSync", "FireLiteTrust", "TestSupport",
            ], exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "FireLiteErasureTests",
            dependencies: [
                "FireLite", "FireLiteErasure", "FireLiteR4", "FireLiteRecords", "FireLiteSamples", "FireLiteSync", "FireLiteTrust",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteUITests",
            dependencies: [
                "FireLite", "FireLiteClient", "FireLiteCore", "FireLitePreviews", "FireLiteR4", "FireLiteR4Names", "FireLiteSync",
                "FireLiteUI", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FireLiteCLITests",
            dependencies: [
                "FireLite", "FireLiteCLI", "FireLiteClient", "FireLiteCore", "FireLiteKnowledge", "FireLiteR4", "FireLiteRecords",
                "FireLiteReleases", "FireLiteSQLiteBridge", "FireLiteSamples", "FireLiteService", "FireLiteSync", "FireLiteSynthetic",
                "FireLiteTerminal", "FireLiteTrust", "FireLiteXML", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "FireLiteProfilesTests",
            dependencies: [
                "FireLite", "FireLiteCore", "FireLiteFHIRPath", "FireLiteGenerator", "FireLiteKnowledge", "FireLiteProfileReader",
                "FireLiteProfiles", "FireLiteR4", "FireLiteReleases", "FireLiteSearch", "TestSupport",
            ],
            exclude: ["Fixtures"], swiftSettings: settings),
        .testTarget(
            name: "FireLiteGeneratorTests", dependencies: ["FireLiteGenerator", "TestSupport"], exclude: ["Fixtures"],
            swiftSettings: settings),
        .executableTarget(
            name: "FireLiteGeneratorCommand", dependencies: ["FireLiteGenerator"], path: "Generator/FireLiteGeneratorCommand",
            swiftSettings: settings),
        // The Generator of the plugin, which also makes views of the profiles in packages.
        .executableTarget(
            name: "FireLiteModelsCommand", dependencies: ["FireLiteGenerator", "FireLiteProfileReader"],
            path: "Generator/FireLiteModelsCommand", swiftSettings: settings),
        .plugin(
            name: "GenerateFHIRModels",
            capability: .command(
                intent: .custom(verb: "generate-fhir-models", description: "Generates the classes of a FHIR release into a target."),
                permissions: [.writeToPackageDirectory(reason: "The classes are written into the target's folder.")]),
            dependencies: ["FireLiteModelsCommand"]),
    ]
)

// What tests keep busy for long is compiled with the optimizer where they are run once from nothing, as CI does: that takes longer, and the tests half the
// time. Assertions and the messages of preconditions stay. Not for apps, which build for release: only packages in folders may have such flags.
if Context.environment["FIRELITE_OPTIMIZED_TESTS"] == "1" {
    let optimized: Set = [
        "FireLiteSQLite", "FireLiteSQLiteBridge", "FireLiteCore", "FireLite", "FireLiteXML", "FireLiteFHIRPath", "FireLiteSamples",
        "FireLiteGenerator",
    ]
    for target in package.targets where optimized.contains(target.name) {
        target.swiftSettings =
            settings + [.unsafeFlags(["-O", "-whole-module-optimization", "-num-threads", "2", "-assert-config", "Debug"])]
    }
}
