import FireLiteCore

/// Stands for FHIR's `HumanName`: every name that is read or made is one.
public final class PersonName: HumanName {
    /// Given names and the family name, as they are spoken.
    public var spoken: String { (given + [family].compactMap { $0 }).joined(separator: " ") }
}
