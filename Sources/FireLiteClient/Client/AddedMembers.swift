import Foundation

/// What a server has added to a resource: mostly only its own part of `meta`, so that comparing texts is enough.
enum AddedMembers {
    /// What is the server's in `meta`.
    private static let ofServers: Set<[UInt8]> = Set(["versionId", "lastUpdated", "source"].map { Array("\"\($0)\"".utf8) })
    private static let meta = Array("\"meta\"".utf8)

    /// Whether a resource is another one with members added at one place, whatever `meta` says of version, time and source.
    ///
    /// - Parameters:
    ///   - text: valid JSON.
    ///   - sent: valid JSON.
    /// - Returns: also false if only reading both can tell.
    static func areAll(_ text: Data, _ sent: Data?) -> Bool {
        guard let sent, let text = parts([UInt8](text)), let sent = parts([UInt8](sent)) else { return false }
        return areAll(text.rest, sent.rest) && areAll(text.meta, sent.meta)
    }

    /// A resource without `meta`, and what there is in `meta` of clients.
    private static func parts(_ bytes: [UInt8]) -> (rest: [UInt8], meta: [UInt8])? {
        var walk = JSONWalk(bytes)
        guard let members = walk.members() else { return nil }
        guard let index = members.firstIndex(where: { bytes[$0.name] == meta[...] }) else { return (bytes, Array("{}".utf8)) }
        var inner = JSONWalk(Array(bytes[members[index].value]))
        guard let own = inner.members() else { return nil }
        var kept: [UInt8] = [UInt8(ascii: "{")]
        for member in own where !ofServers.contains(Array(inner.bytes[member.name])) {
            if kept.count > 1 { kept.append(UInt8(ascii: ",")) }
            kept += inner.bytes[member.name.lowerBound..<member.value.upperBound]
        }
        kept.append(UInt8(ascii: "}"))
        // A comma stands before it, or after the first member.
        let start = index > 0 ? members[index - 1].value.upperBound : members[index].name.lowerBound
        let end = index > 0 || members.count == 1 ? members[index].value.upperBound : members[1].name.lowerBound
        return (Array(bytes[..<start] + bytes[end...]), kept)
    }

    private static func areAll(_ text: [UInt8], _ sent: [UInt8]) -> Bool {
        guard text.count > sent.count else { return text == sent }
        var place = 0
        while place < sent.count, text[place] == sent[place] { place += 1 }
        let count = text.count - sent.count
        guard text[(place + count)...] == sent[place...] else { return false }
        // Characters at both ends of what was added may be the same, such as the quotation mark of a name: it may have begun earlier.
        while !isMembers(text[place..<place + count], isFirst: sent.count == 2) {
            guard place > 0, text[place - 1] == text[place + count - 1] else { return false }
            place -= 1
        }
        return true
    }

    /// Whether an object's members stand here, with the comma that separates them from the others.
    private static func isMembers(_ text: ArraySlice<UInt8>, isFirst: Bool) -> Bool {
        var members = text
        if members.first == UInt8(ascii: ",") {
            members = members.dropFirst()
        } else if members.last == UInt8(ascii: ",") {
            members = members.dropLast()
        } else if !isFirst {
            return false
        }
        var walk = JSONWalk([UInt8(ascii: "{")] + members + [UInt8(ascii: "}")])
        return walk.members().map { !$0.isEmpty } ?? false && walk.place == walk.bytes.count
    }
}
