import FireLiteCore
import Foundation

/// A resource of the store with its metadata and annotations.
public struct Record<Resource: FHIRResource> {
    /// The resource: the store's object, or the opened copy of a sealed one. Call `update` to store changes of the copy.
    public let resource: Resource
    /// When it was created and updated, and its status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]

    /// The resource's logical id.
    public var id: String { resource.id ?? "" }
}

/// The type and id of a record.
public struct RecordKey: Sendable, Hashable {
    /// FHIR's name of the resource type.
    public let typeName: String
    /// The logical id.
    public let id: String

    /// - Parameters:
    ///   - typeName: FHIR's name of the resource type.
    ///   - id: the logical id.
    public init(_ typeName: String, id: String) {
        self.typeName = typeName
        self.id = id
    }
}

/// The times and the status of a record.
public struct RecordMetadata: Sendable, Hashable {
    /// When it was first stored; nil if a store object without records stored it.
    public let created: Date?
    /// When its content or its annotations last changed; nil if unknown.
    public let updated: Date?
    /// Whether it is active, pending or deleted.
    public let status: RecordStatus
    /// When it was deleted; nil for others.
    public let deleted: Date?
}

/// The status of a record.
public enum RecordStatus: String, Sendable, Hashable, CaseIterable {
    /// It is stored.
    case active
    /// It is stored, and a request about it waits in the store's outbox.
    case pending
    /// It was deleted. Its metadata stays until it is purged.
    case deleted
}

/// A record without its content, such as a deleted one.
public struct RecordSummary: Sendable, Hashable {
    /// FHIR's name of the resource type; the form of app data.
    public let typeName: String
    /// The logical id.
    public let id: String
    /// When it was created and updated, and its status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]
    /// Whether content is sealed with a key of its own.
    public let isSealed: Bool
}

/// The form in which annotations are kept and compared.
package enum RecordAnnotation {
    /// The annotations without white space at their ends, in lower case and composed (NFC), each once, sorted.
    ///
    /// - Throws: `RecordError.emptyAnnotation`.
    package static func normalized(_ annotations: some Sequence<String>) throws -> [String] {
        var found: Set<String> = []
        for annotation in annotations { found.insert(try normalized(annotation)) }
        return found.sorted()
    }

    /// One annotation in that form.
    ///
    /// - Throws: `RecordError.emptyAnnotation`.
    package static func normalized(_ annotation: String) throws -> String {
        // Of visible ASCII characters only capital letters have another form.
        let isNormal = annotation.utf8.allSatisfy { (0x21...0x7E).contains($0) && !(0x41...0x5A).contains($0) }
        if isNormal, !annotation.isEmpty { return annotation }
        let text = annotation.trimmingCharacters(in: .whitespacesAndNewlines).lowercased().precomposedStringWithCanonicalMapping
        guard !text.isEmpty else { throw RecordError(.emptyAnnotation, "an annotation is empty: leave it out") }
        return text
    }
}
