// swift-tools-version: 6.1
// The Apple half of FireLiteCrypto, compiled and tested on Linux with swift-crypto, which has CryptoKit's API: `make apple-crypto`.
// RSA, certificates and AES-CBC need Apple's own frameworks and are left out.
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"), .define("FIRELITE_SWIFT_CRYPTO"),
]

let package = Package(
    name: "AppleCrypto",
    dependencies: [.package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2")],
    targets: [
        // What it uses of FireLiteCore: texts of bytes, secrets, and the frame of errors.
        .target(name: "FireLiteCore", path: "FireLiteCore", swiftSettings: settings),
        .target(
            name: "FireLiteCrypto", dependencies: ["FireLiteCore", .product(name: "Crypto", package: "swift-crypto")],
            path: "FireLiteCrypto",
            swiftSettings: settings),
        .target(name: "TestSupport", path: "TestSupport", swiftSettings: settings),
        .testTarget(
            name: "FireLiteCryptoTests", dependencies: ["FireLiteCore", "FireLiteCrypto", "TestSupport"], path: "FireLiteCryptoTests",
            swiftSettings: settings),
    ]
)
