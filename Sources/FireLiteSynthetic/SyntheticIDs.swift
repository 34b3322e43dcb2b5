/// The form of the ids of synthetic resources.
public enum SyntheticIDs: Sendable, Hashable, CaseIterable {
    /// UUIDs, which no two resources share.
    case uuids
    /// As many servers number them: each type from 1, so that every id occurs in all types. Some differ from the one before in case only, and some
    /// have 64 characters, FHIR's maximum (<https://hl7.org/fhir/R4/datatypes.html#id>).
    case numbers
}

/// Gives resources their ids.
struct SyntheticIDSource {
    private let form: SyntheticIDs
    /// The number of resources of each type so far.
    private var counts: [String: Int] = [:]

    init(_ form: SyntheticIDs) { self.form = form }

    /// The id of the next resource of a type.
    ///
    /// - Parameter uuid: the one it has as a UUID.
    mutating func next(_ type: String, _ uuid: String) -> String {
        guard form == .numbers else { return uuid }
        let number = counts[type, default: 0] + 1
        counts[type] = number
        switch number % 8 {
        case 4: return "id-\(number)"
        case 5: return "ID-\(number - 1)"
        case 7: return Self.longest(number)
        default: return "\(number)"
        }
    }

    private static func longest(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}
