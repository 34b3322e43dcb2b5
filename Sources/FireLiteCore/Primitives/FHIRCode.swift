/// A `code` with a required binding: an open set of values, with a static member for each code of the value set.
///
/// Any text is a value, so that codes from newer servers are kept; `isKnown` and `validate()` detect unknown codes.
public protocol FHIRCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
where RawValue == String {
    /// Any code, known to the value set or not.
    init(rawValue: String)
    /// Every code of the value set, separated by line feeds or spaces.
    static var _codes: String { get }
}

extension FHIRCode {
    /// The code in the literal, known to the value set or not.
    public init(stringLiteral value: String) { self.init(rawValue: value) }

    /// The code.
    public var description: String { rawValue }

    /// Every code of the value set, in its order.
    public static var known: [Self] { _knownCodes.map { Self(rawValue: String($0)) } }

    /// Whether the value set contains this code.
    public var isKnown: Bool { Self._knownCodes.contains { $0 == rawValue } }

    package static var _knownCodes: [Substring] {
        let separator: Character = _codes.contains("\n") ? "\n" : " "
        return _codes.split(separator: separator)
    }

    /// Whether both are the same code.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }
    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

/// The value of a choice element, `value[x]`: an enum with a case for each type the element allows.
///
/// `==` compares the case and then the values with their own `==`: objects by content, dates and decimals by literal, texts as Swift
/// strings. An enum whose cases all hold primitives is `Sendable`. One with a case for an object is not, as objects belong to one isolation
/// at a time: send a copy of the object, or its keys.
public protocol FHIRChoice: Equatable {
    /// The value in `object` of the choice element whose first slot is `first`, or nil.
    init?(_object: FHIRObject, _ first: Int)
    /// Sets the choice element whose first slot is `first`, replacing its value.
    func _write(_ object: FHIRObject, _ first: Int)
}
