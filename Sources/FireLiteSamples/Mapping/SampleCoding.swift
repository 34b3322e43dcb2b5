/// A code of a system, with its text.
public struct SampleCoding: Sendable, Hashable {
    /// The system's address.
    public var system: String
    /// The code.
    public var code: String
    /// The code's text; nil to leave it out.
    public var display: String?

    /// Creates a code.
    ///
    /// - Parameters:
    ///   - system: the system's address.
    ///   - code: the code.
    ///   - display: the code's text.
    public init(system: String, code: String, display: String? = nil) {
        self.system = system
        self.code = code
        self.display = display
    }

    /// A LOINC code.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - display: the code's text.
    public static func loinc(_ code: String, _ display: String? = nil) -> SampleCoding {
        SampleCoding(system: "http://loinc.org", code: code, display: display)
    }

    /// A SNOMED CT code.
    ///
    /// - Parameters:
    ///   - code: the code.
    ///   - display: the code's text.
    public static func snomed(_ code: String, _ display: String? = nil) -> SampleCoding {
        SampleCoding(system: "http://snomed.info/sct", code: code, display: display)
    }
}
