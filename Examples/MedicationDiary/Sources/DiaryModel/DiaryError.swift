import Foundation

/// An error of the diary itself; those of the store and of FHIR's JSON are `FHIRStoreError` and `FHIRDecodingError`.
public enum DiaryError: LocalizedError, Hashable {
    /// The record was deleted, or is no medication.
    case noSuchMedication
    /// FHIR has no such status for the record.
    case unknownStatus(known: [String])

    public var errorDescription: String? {
        switch self {
        case .noSuchMedication: "the medication is not in the diary any more: list the medications again"
        case .unknownStatus(let known): "unknown status: use one of \(known.joined(separator: ", "))"
        }
    }
}
