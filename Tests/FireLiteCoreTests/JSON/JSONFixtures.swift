import FireLiteCore
import FireLiteR4
import Foundation

/// A Patient with these members beside its type.
func patient(_ members: String) -> String { #"{"resourceType":"Patient",\#(members)}"# }

/// What reading a resource throws, or nil.
func decodingError(_ json: String) -> FHIRDecodingError? { decodingError(Data(json.utf8)) }

/// What reading a resource throws, or nil.
func decodingError(_ json: Data) -> FHIRDecodingError? {
    do {
        _ = try FHIRJSON.resource(from: json, release: .r4)
        return nil
    } catch {
        return error as? FHIRDecodingError
    }
}

extension FHIRDecodingError {
    /// Code, place and path in one line, to compare with.
    var summary: String { "\(code.rawValue) \(line):\(column) \(path)" }
}
