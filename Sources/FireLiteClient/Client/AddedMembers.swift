import Foundation

/// What a server has added to a resource: mostly only its own part of `meta`, so that comparing texts is enough.
enum AddedMembers {
    /// Whether a text is another one with members added at one place.
    ///
    /// - Parameters:
    ///   - text: valid JSON.
    ///   - sent: valid JSON.
    static func areAll(_ text: Data, _ sent: Data?) -> Bool {
        guard let sent, text.count > sent.count else { return text == sent }
        return text.withUnsafeBytes { text in
            sent.withUnsafeBytes { sent in
                var place = 0
                while place < sent.count, text[place] == sent[place] { place += 1 }
                let count = text.count - sent.count
                let rest = sent.count - place
                guard rest == 0 || memcmp(text.baseAddress! + place + count, sent.baseAddress! + place, rest) == 0 else { return false }
                // Both begin with the same characters, such as the quotation mark of a name.
                while place > 0, text[place - 1] == text[place + count - 1] { place -= 1 }
                var members = text[place..<place + count]
                if members.first == UInt8(ascii: ",") {
                    members = members.dropFirst()
                } else if members.last == UInt8(ascii: ",") {
                    members = members.dropLast()
                } else {
                    return false
                }
                var walk = JSONWalk([UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
                return walk.members().map { !$0.isEmpty } ?? false && walk.place == walk.bytes.count
            }
        }
    }
}
