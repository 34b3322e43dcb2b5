import FireLite
import Foundation

/// A place in the results of a search, after a page. It stays valid while others write: no result is repeated or skipped for it.
public struct SearchCursor: Sendable, Hashable, Codable {
    /// The parameter with a cursor in an address.
    static let parameter = "_cursor"

    /// The type of the last result.
    let type: String
    let place: QueryCursor

    init(type: String, place: QueryCursor) {
        self.type = type
        self.place = place
    }

    /// The cursor as text for an address: its value in `SearchResult.nextAddress`.
    public var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
        let data: Data
        // Invariant: texts and numbers can be encoded.
        do { data = try encoder.encode(self) } catch {
            preconditionFailure("a cursor cannot be encoded: \(error)")
        }
        return data.base64URL
    }

    /// Reads a cursor.
    ///
    /// - Parameter text: `text` of a cursor.
    /// - Throws: `SearchError.invalid` for other text.
    public init(_ text: String) throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "∞", negativeInfinity: "-∞", nan: "NaN")
        let failure = SearchError(.invalid, "this is not a cursor: use the address of the next page unchanged", in: Self.parameter)
        guard let data = Data(base64URL: text) else { throw failure }
        do { self = try decoder.decode(Self.self, from: data) } catch is DecodingError { throw failure }
    }
}
