import Foundation
import TestSupport
import Testing

@testable import FireLiteClient

/// What a server adds to what was sent is told from what it changes.
@Suite struct AddedMembersTests {
    private func isAdded(_ text: String, to sent: String) -> Bool { AddedMembers.areAll(Data(text.utf8), Data(sent.utf8)) }

    @Test(
        arguments: [
            #"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"meta":{"x":1},"a":1}"#, #"{"a":1,"meta":{"x":[{"y":"}"}]},"z":",\"b\":1"}"#,
        ])
    func membersMayBeAdded(_ text: String) {
        #expect(isAdded(text, to: text))
        #expect(isAdded(text, to: #"{"a":1}"#) == (text.hasPrefix(#"{"a":1"#) || text.hasSuffix(#","a":1}"#)))
    }

    @Test(
        arguments: [
            (#"{"a":12}"#, #"{"a":1}"#), (#"{"a":[1,2]}"#, #"{"a":[1]}"#), (#"{"a":{},"z":{"b":1}}"#, #"{"a":{"b":1}}"#),
            (#"{"a":"x,"}"#, #"{"a":"x"}"#), (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"ab":1}"#, #"{"a":1}"#),
            (#"{"a":[{"b":1},{"c":1}]}"#, #"{"a":[{"b":1}]}"#),
        ])
    func nothingElseMay(_ text: String, _ sent: String) { #expect(!isAdded(text, to: sent)) }

    @Test func versionsAndTimesAreTheServers() {
        let sent = #"{"resourceType":"Patient","id":"1","meta":{"versionId":"1","profile":["x"]},"active":true}"#
        func there(_ meta: String) -> String { #"{"resourceType":"Patient","id":"1","meta":{\#(meta)},"active":true}"# }
        #expect(isAdded(there(#""versionId":"2","lastUpdated":"2026-01-01T00:00:00Z","source":"urn:a","profile":["x"]"#), to: sent))
        #expect(isAdded(there(#""versionId":"2","profile":["x"],"tag":[{"code":"y"}]"#), to: sent))
        #expect(!isAdded(there(#""versionId":"1","profile":["x","y"]"#), to: sent))
        #expect(!isAdded(there(#""versionId":"1""#), to: sent))
        #expect(!isAdded(sent.replacing("true", with: "false"), to: sent))
        let plain = #"{"resourceType":"Patient","id":"1","active":true}"#
        #expect(isAdded(sent, to: plain) && !isAdded(plain, to: sent))
        #expect(isAdded(#"{"meta":{"versionId":"1"}}"#, to: "{}") && isAdded(#"{"a":1}"#, to: "{}"))
    }

    /// Whatever counts as added leaves all that was sent where it was.
    @Test(arguments: 0..<20 as Range<UInt64>) func whatWasSentIsStillThere(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var added = 0
        for _ in 0..<200 {
            let sent = object(2, &random)
            let text = changed(sent, &random)
            let (before, after) = (try json(sent), try json(text))
            guard after != before, isAdded(after, to: before) else { continue }
            added += 1
            #expect(contains(text, sent), "\(text) \(sent)")
        }
        #expect(added > 20)
    }

    private func json(_ value: [String: Any]) throws -> String {
        String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }

    private func object(_ depth: Int, _ random: inout SeededGenerator) -> [String: Any] {
        var object: [String: Any] = [:]
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            object[(["a", "b", "aa", "ab", "c"].randomElement(using: &random) ?? "")] = value(depth, &random)
        }
        return object
    }

    private func value(_ depth: Int, _ random: inout SeededGenerator) -> Any {
        switch Int.random(in: 0...(depth > 0 ? 4 : 2), using: &random) {
        case 0: Int.random(in: 0...12, using: &random)
        case 1: (["", "a", ",\"a\":1", "}", "{\"a\":1,"].randomElement(using: &random) ?? "")
        case 2: Int.random(in: 0...1, using: &random) == 0
        case 3: object(depth - 1, &random)
        default: (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1, &random) }
        }
    }

    private func changed(_ object: [String: Any], _ random: inout SeededGenerator) -> [String: Any] {
        var object = object
        let key = (["a", "b", "aa", "ab", "c", "d"].randomElement(using: &random) ?? "")
        if let inner = object[key] as? [String: Any], Int.random(in: 0...1, using: &random) == 0 {
            object[key] = changed(inner, &random)
        } else if var list = object[key] as? [Any], Int.random(in: 0...1, using: &random) == 0 {
            list.insert(value(1, &random), at: Int.random(in: 0...list.count, using: &random))
            object[key] = list
        } else {
            object[key] = Int.random(in: 0...4, using: &random) == 0 ? nil : value(1, &random)
        }
        return object
    }

    private func contains(_ value: Any, _ sent: Any) -> Bool {
        if let sent = sent as? [String: Any] {
            guard let value = value as? [String: Any] else { return false }
            return sent.allSatisfy { key, inner in value[key].map { contains($0, inner) } ?? false }
        }
        if let sent = sent as? [Any] {
            guard let value = value as? [Any], value.count == sent.count else { return false }
            return zip(value, sent).allSatisfy { contains($0, $1) }
        }
        return "\(value)" == "\(sent)"
    }
}
