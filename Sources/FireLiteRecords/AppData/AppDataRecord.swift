import Foundation

/// An app's own data, with metadata and annotations.
public struct AppDataRecord: Sendable, Hashable {
    /// The id that the app chose.
    public let id: String
    /// The bytes.
    public let data: Data
    /// The form of the bytes: a media type or any text of the app; nil if it named none.
    public let form: String?
    /// The number of times the bytes were stored, from 1.
    public let version: Int
    /// The times of creation and update, and the status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]

    /// The value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes it. Default: one with ISO 8601 dates, as `put(encoding:id:annotations:)` encodes them.
    /// - Throws: ``RecordError/Code/invalidContent`` if the bytes are not JSON of this type.
    public func decoded<Value: Decodable>(_ type: Value.Type = Value.self, with decoder: JSONDecoder? = nil) throws -> Value {
        let standard = JSONDecoder()
        standard.dateDecodingStrategy = .iso8601
        do {
            return try (decoder ?? standard).decode(type, from: data)
        } catch {
            throw RecordError(.invalidContent, "the app data is not the JSON of a \(type)")
        }
    }
}
