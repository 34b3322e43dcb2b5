import FireLiteCore

/// A class of one's own between `Patient` and FHIR's `DomainResource`. It has no elements.
public class Individual: DomainResource {}

extension Patient {
    /// The first name, as it is spoken.
    public var spokenName: String? { name.first?.spoken }
}
