import FireLiteCore

extension FHIRRelease {
    /// The names of the releases that come with this module, the oldest first: `DSTU2`, `STU3`, `R4`, `R4B`, `R5`.
    public static var bundledNames: [String] { BundledRelease.all.map(\.name) }

    /// A release with layouts that come with this module, for programs that need no generated classes; nil for another name.
    ///
    /// Its resources are of class `FHIRResource`, as those of `init(layouts:)`.
    ///
    /// - Parameter name: its short name, in upper or lower case.
    public static func bundled(_ name: String) -> FHIRRelease? { BundledRelease.named(name)?.release }
}
