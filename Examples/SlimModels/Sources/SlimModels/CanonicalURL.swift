import FireLiteCore

/// Stands for `String` where FHIR has a `canonical`: a URL and perhaps a version.
public struct CanonicalURL: FHIRCode {
    /// The text as JSON has it.
    public let rawValue: String
    /// No codes are known: any text is one.
    public static var _codes: String { "" }

    /// Any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The URL without the version.
    public var url: Substring { rawValue.prefix { $0 != "|" } }
}
