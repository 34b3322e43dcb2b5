import Foundation

/// An app's own data with metadata and annotations.
public struct AppDataRecord: Sendable, Hashable {
    /// Its id, the app's choice.
    public let id: String
    /// The bytes.
    public let data: Data
    /// What the bytes are: a media type or any text of the app's; nil if it did not say.
    public let form: String?
    /// The number of times the bytes were stored, from 1.
    public let version: Int
    /// When it was created and updated, and its status.
    public let metadata: RecordMetadata
    /// The annotations, sorted.
    public let annotations: [String]

    /// The value that was stored as JSON.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - decoder: decodes it. Default: one with ISO 8601 dates, as ``AppData/put(encoding:id:annotations:)`` encodes them.
    /// - Throws: ``RecordError/Code/invalidContent`` if the bytes are not such a value.
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
