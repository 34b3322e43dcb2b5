import FireLite
import Foundation

/// Whether two texts of JSON say the same, as Foundation reads them.
enum JSONContent {
    static func areEqual(_ first: Data, _ second: Data) throws -> Bool {
        areEqual(try JSONSerialization.jsonObject(with: first), try JSONSerialization.jsonObject(with: second))
    }

    /// The same for two resources of which one went through a coder that reads decimals as numbers, which loses the literals, such as
    /// `1.0`.
    static func areEqual(_ first: FHIRResource, _ second: FHIRResource) throws -> Bool {
        try first == second || areEqual(FHIRJSON.data(first), FHIRJSON.data(second))
    }

    private static func areEqual(_ first: Any, _ second: Any) -> Bool {
        switch (first, second) {
        case let (first as [String: Any], second as [String: Any]):
            first.count == second.count && first.allSatisfy { name, value in second[name].map { areEqual(value, $0) } ?? false }
        case let (first as [Any], second as [Any]):
            first.count == second.count && zip(first, second).allSatisfy { areEqual($0, $1) }
        case let (first as String, second as String): first == second
        case let (first as NSNumber, second as NSNumber): first == second
        default: first is NSNull && second is NSNull
        }
    }
}
