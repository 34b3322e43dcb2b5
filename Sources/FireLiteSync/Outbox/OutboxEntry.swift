import FireLite
import Foundation

/// A request that waits in the outbox. Its description shows the number, the method and the type of resource only.
public struct OutboxEntry: Sendable, Hashable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// The next step for the entry.
    public enum State: String, Sendable, Hashable {
        /// It will be sent.
        case waiting
        /// The server has refused it: it waits until it is retried or discarded.
        case refused
    }

    /// The number of the entry, which decides the order. A later entry has a higher one.
    public let number: Int64
    /// The base address of the server.
    public let server: String
    /// The address of the second endpoint that a sealed request goes to; nil for one that is sent as it is.
    public let endpoint: String?
    /// The method.
    public let method: HTTPMethod
    /// The path below the base address: `Patient/1`.
    public let path: String
    /// The size of the body.
    public let bodyByteCount: Int
    /// The next step for the entry.
    public let state: State
    /// When it was put into the outbox, by the device's clock.
    public let created: Date
    /// The number of attempts, including those whose answer was lost.
    public let attempts: Int
    /// When it was last sent; nil if never.
    public let lastAttempt: Date?
    /// The status of the last answer; nil if there was none.
    public let status: Int?
    /// Why it was not accepted the last time, without values of records.
    public let error: String?
    /// The OperationOutcome of the last answer as JSON. It is the server's text and may repeat values of records.
    public let outcome: Data?
    /// Whether an earlier attempt, whose answer was lost or is not borne out by reading back, may have taken effect.
    public let isUncertain: Bool

    /// The number.
    public var id: Int64 { number }
    /// Whether the body is sealed.
    public var isSealed: Bool { endpoint != nil }
    /// The server's latest issues about it.
    public var issues: [OutcomeIssue] { outcome.map { OutcomeIssue.issues(in: $0) } ?? [] }

    /// The number, the method and the type of resource.
    public var description: String { "\(number) \(FHIRRequest(method, path))" }

    /// Shows no more than the description.
    public var customMirror: Mirror { Mirror(self, children: []) }

    static let columns = """
        seq, server, endpoint, method, path, length(body) AS size, refused, created, attempts, tried, status, error, outcome, begun, uncertain
        """

    init(_ row: SQLRow) {
        number = row[0].integer ?? 0
        server = row[1].text ?? ""
        endpoint = row[2].text
        method = HTTPMethod(rawValue: row[3].text ?? "")
        path = row[4].text ?? ""
        bodyByteCount = Int(row[5].integer ?? 0)
        state = row[6].integer == 0 ? .waiting : .refused
        created = OutboxTime.date(row[7].integer) ?? Date(timeIntervalSince1970: 0)
        attempts = Int(row[8].integer ?? 0)
        lastAttempt = OutboxTime.date(row[9].integer)
        status = row[10].integer.map { Int($0) }
        error = row[11].text
        outcome = row[12].bytes
        let doubts = (row[14].integer ?? 0) & (OutboxOutgoing.Doubt.uncertain | OutboxOutgoing.Doubt.answered)
        isUncertain = row[13].integer == 1 || doubts != 0
    }
}

/// Times in the outbox's tables: milliseconds since 1970.
enum OutboxTime {
    static func date(_ milliseconds: Int64?) -> Date? { milliseconds.map { Date(timeIntervalSince1970: Double($0) / 1_000) } }

    static func milliseconds(_ date: Date) -> Int64 { date.milliseconds() }
}

extension SQLValue {
    /// The bytes of a blob; nil for others.
    var bytes: Data? { if case .blob(let bytes) = self { Data(bytes) } else { nil } }

    static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
    static func optional(_ text: String?) -> SQLValue { text.map { .text($0) } ?? .null }
    static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
    static func optional(_ data: Data?) -> SQLValue { data.map { .blob([UInt8]($0)) } ?? .null }
}
