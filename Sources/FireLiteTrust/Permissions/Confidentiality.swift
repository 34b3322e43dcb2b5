/// A level of confidentiality, with HL7's codes, the lowest first. A resource without a label is ``normal``.
public enum Confidentiality: String, Sendable, Hashable, CaseIterable, Comparable {
    /// `U`
    case unrestricted = "U"
    /// `L`
    case low = "L"
    /// `M`
    case moderate = "M"
    /// `N`
    case normal = "N"
    /// `R`
    case restricted = "R"
    /// `V`
    case veryRestricted = "V"

    private var level: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    public static func < (left: Confidentiality, right: Confidentiality) -> Bool { left.level < right.level }
}
