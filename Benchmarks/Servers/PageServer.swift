import FireLiteSync
import Foundation

/// A FHIR server in this process that answers searches for whole types at once, sorted by the time of the last change: as it is asked to, or, as some
/// servers do, the oldest first whatever it is asked.
///
/// The resource with the number n of a type was changed n milliseconds after the first. The pages are made when they are asked for.
final class PageServer: HTTPTransport {
    private let counts: [String: Int]
    /// Appends the JSON of a resource: gets its type and its number.
    private let append: @Sendable (String, Int, inout Data) -> Void
    private let sortsAsAsked: Bool

    /// - Parameter counts: the number of resources of each type.
    init(counts: [String: Int], sortsAsAsked: Bool = true, append: @escaping @Sendable (String, Int, inout Data) -> Void) {
        self.counts = counts
        self.sortsAsAsked = sortsAsAsked
        self.append = append
    }

    static let base = "http://localhost/fhir"

    /// The time of the last change of a resource with a number.
    static func instant(_ number: Int) -> String {
        let (seconds, milliseconds) = number.quotientAndRemainder(dividingBy: 1_000)
        func padded(_ value: Int, _ digits: Int) -> String {
            let text = "\(value)"
            return String(repeating: "0", count: digits - text.count) + text
        }
        return
            "2026-01-01T\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(milliseconds, 3))Z"
    }

    /// The number of the first resource that was changed at a time, such as `ge2026-01-01T00:00:00.500Z`.
    private static func number(_ text: String) -> Int {
        let parts = text.split(separator: "T").last?.dropLast().split(separator: ":") ?? []
        guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]), let seconds = Double(parts[2]) else { return 0 }
        return (hours * 60 + minutes) * 60_000 + Int((seconds * 1_000).rounded())
    }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let components = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        guard request.method == .get, let type = components?.path.split(separator: "/").last.map(String.init), let count = counts[type]
        else { return HTTPResponse(404) }
        func parameter(_ name: String) -> String? { components?.queryItems?.first { $0.name == name }?.value }
        let since = parameter("_lastUpdated")
        let first = min(since.map { Self.number($0) } ?? 0, count)
        let isNewestFirst = sortsAsAsked && parameter("_sort") == "-_lastUpdated"
        let start = min(parameter("_offset").flatMap { Int($0) } ?? 0, count - first)
        let end = min(start + (parameter("_count").flatMap { Int($0) } ?? 100), count - first)
        let search = "\(Self.base)/\(type)?_sort=\(isNewestFirst ? "-" : "")_lastUpdated"
        var body = Data("{\"resourceType\":\"Bundle\",\"type\":\"searchset\",\"total\":\(count - first),\"link\":[".utf8)
        body.append(contentsOf: "{\"relation\":\"self\",\"url\":\"\(search)\"}".utf8)
        if first + end < count {
            let next = search + (since.map { "&_lastUpdated=" + $0 } ?? "") + "&_count=\(end - start)&_offset=\(end)"
            body.append(contentsOf: ",{\"relation\":\"next\",\"url\":\"\(next)\"}".utf8)
        }
        body.append(contentsOf: "]".utf8)
        for place in start..<end {
            body.append(contentsOf: (place == start ? ",\"entry\":[{\"resource\":" : ",{\"resource\":").utf8)
            append(type, isNewestFirst ? count - 1 - place : first + place, &body)
            body.append(UInt8(ascii: "}"))
        }
        if start < end { body.append(UInt8(ascii: "]")) }
        body.append(UInt8(ascii: "}"))
        return HTTPResponse(200, body: body)
    }
}
