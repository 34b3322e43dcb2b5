import FireLite
import Foundation

/// An entry of the outbox as it is sent.
struct OutboxOutgoing: Sendable {
    let number: Int64
    /// The UUID that tells the entry from a later one with its number.
    let mark: String
    let endpoint: String?
    let request: FHIRRequest
    /// Whether the server may have done an earlier attempt.
    let isUncertain: Bool
    /// Whether the server has said that it has done an earlier attempt, and has not shown it.
    let isAnswered: Bool
    /// Whether somebody has decided that it is sent again, whatever the server has.
    let isDecided: Bool

    /// The bits of the column `uncertain`.
    enum Doubt {
        /// The server may have done an attempt.
        static let uncertain: Int64 = 1
        /// The server says that it has done one.
        static let answered: Int64 = 2
        /// It is to be sent again without asking what the server has.
        static let decided: Int64 = 4
    }

    static let columns = "seq, mark, endpoint, method, path, parameters, fields, body, begun, uncertain"

    /// - Throws: `OutboxError.file` if the row was not written by this library.
    init(_ row: SQLRow) throws {
        number = row[0].integer ?? 0
        mark = row[1].text ?? ""
        endpoint = row[2].text
        do {
            let decoder = JSONDecoder()
            request = FHIRRequest(
                HTTPMethod(rawValue: row[3].text ?? ""), row[4].text ?? "",
                parameters: FHIRParameters(
                    try decoder.decode([[String]].self, from: Data((row[5].text ?? "[]").utf8)).map {
                        try Self.pair($0) { .init(name: $0, value: $1) }
                    }),
                fields: HTTPFields(
                    try decoder.decode([[String]].self, from: Data((row[6].text ?? "[]").utf8)).map {
                        try Self.pair($0) { .init(name: $0, value: $1) }
                    }),
                body: row[7].bytes)
        } catch { throw OutboxError(.file, "the entry \(row[0].integer ?? 0) of the outbox cannot be read: discard it") }
        let doubts = row[9].integer ?? 0
        isUncertain = row[8].integer == 1 || doubts & (Doubt.uncertain | Doubt.answered) != 0
        isAnswered = doubts & Doubt.answered != 0
        isDecided = row[8].integer != 1 && doubts & Doubt.decided != 0
    }

    private static func pair<Value>(_ texts: [String], _ make: (String, String) -> Value) throws -> Value {
        guard texts.count == 2 else { throw CocoaError(.coderReadCorrupt) }
        return make(texts[0], texts[1])
    }

    /// Names and values as they stand in the file: `[["Content-Type","application/fhir+json"]]`.
    static func text(_ pairs: [(String, String)]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(pairs.map { [$0.0, $0.1] }), as: UTF8.self)
    }
}
