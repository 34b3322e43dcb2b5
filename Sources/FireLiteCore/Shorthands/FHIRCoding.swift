/// The protocol of every release's class `Coding`.
public protocol FHIRCoding: FHIRObject, FHIRObjectInitializers {
    /// `Coding.system`
    var system: String? { get set }
    /// `Coding.version`
    var version: String? { get set }
    /// `Coding.code`
    var code: String? { get set }
    /// `Coding.display`
    var display: String? { get set }
}

extension FHIRCoding {
    /// A code of a code system: `Coding(.cvx, "140")`.
    public init(_ system: CodeSystemAddress, _ code: String, display: String? = nil) {
        self.init()
        self.system = system.rawValue
        self.code = code
        if let display { self.display = display }
    }

    /// A code of LOINC: `.loinc("8867-4")`.
    public static func loinc(_ code: String, display: String? = nil) -> Self { Self(.loinc, code, display: display) }

    /// A code of SNOMED CT: `.snomed("38341003")`.
    public static func snomed(_ code: String, display: String? = nil) -> Self { Self(.snomed, code, display: display) }

    /// A unit of UCUM: `.ucum("kg")`.
    public static func ucum(_ code: String, display: String? = nil) -> Self { Self(.ucum, code, display: display) }

    /// Whether it is a code of a code system, whatever the version.
    package func isCode(_ code: String, of system: CodeSystemAddress) -> Bool { self.code == code && self.system == system.rawValue }

    /// The text to display: the display text, or the code; nil if there is neither.
    public var displayText: String? { display ?? code }
}

/// The protocol of every release's class `CodeableConcept`.
public protocol FHIRCodeableConcept: FHIRObject, FHIRObjectInitializers {
    /// The release's class `Coding`.
    associatedtype Coding: FHIRCoding
    /// `CodeableConcept.coding`
    var coding: [Coding] { get set }
    /// `CodeableConcept.text`
    var text: String? { get set }
}

extension FHIRCodeableConcept {
    /// A concept with codes: `CodeableConcept(.loinc("8867-4"), text: "Heart rate")`.
    ///
    /// - Parameters:
    ///   - codings: codes of the same meaning.
    ///   - text: the concept in words. Default: none.
    public init(_ codings: Coding..., text: String? = nil) {
        self.init()
        coding = codings
        if let text { self.text = text }
    }

    /// Whether one of the codes is this one.
    public func contains(_ code: String, of system: CodeSystemAddress) -> Bool { coding.contains { $0.isCode(code, of: system) } }

    /// The first code of a code system; nil if there is none.
    public func code(of system: CodeSystemAddress) -> String? { coding.first { $0.system == system.rawValue }?.code }

    /// The text to display: the text, the display text of a code, or a code; nil if there is none.
    public var displayText: String? {
        text ?? coding.lazy.compactMap(\.display).first ?? coding.lazy.compactMap(\.code).first
    }
}
