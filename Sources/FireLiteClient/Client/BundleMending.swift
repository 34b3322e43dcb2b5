import FireLiteCore
import Foundation

/// A resource of a Bundle that cannot be read.
package struct UnreadableEntry: Sendable {
    /// Nil if the text does not say.
    package let typeName: String?
    /// Nil if the text does not say.
    package let id: String?
    package let version: String?
    /// As the server sent it.
    package let text: String
    /// Why it cannot be read: the place and what was expected there, without values.
    package let reason: String

    package init(_ body: Data, reason: String) {
        let head = ResourceHead(body)
        self.init(
            typeName: head?.typeName, id: head?.id, version: head?.version, text: String(decoding: body, as: UTF8.self), reason: reason)
    }

    init(typeName: String?, id: String?, version: String?, text: String, reason: String) {
        (self.typeName, self.id, self.version) = (typeName, id, version)
        self.text = text
        self.reason = reason
    }
}

/// A Bundle without the resources that cannot be read, so that one of them does not hide the others. Their entries stay, without resource, as far as
/// they can be read: a history still says that there is a version.
struct MendedBundle {
    let json: Data
    let unreadable: [UnreadableEntry]

    init(json: Data, unreadable: [UnreadableEntry]) {
        self.json = json
        self.unreadable = unreadable
    }

    /// - Parameter read: reads a resource, and throws `FHIRDecodingError` if that is not possible.
    /// - Returns: nil if the text is not that of a JSON object with a list of entries, or if every resource can be read.
    init?(_ body: Data, read: (Data) throws -> Void) rethrows {
        let bytes = [UInt8](body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body)
        var walk = JSONWalk(bytes)
        guard let members = walk.members(),
            let list = members.first(where: { bytes[$0.name].elementsEqual("\"entry\"".utf8) })?.value
        else { return nil }
        var inside = JSONWalk(bytes, from: list.lowerBound)
        guard let items = inside.items() else { return nil }
        var unreadable: [UnreadableEntry] = []
        var entries: [[UInt8]] = []
        for item in items {
            let resource = Self.member("resource", of: item, bytes)
            if let reason = try resource.flatMap({ try Self.reason(Data(bytes[$0]), read) }) {
                unreadable.append(UnreadableEntry(Data(bytes[resource ?? item]), reason: reason))
                let rest = Self.without("resource", item, bytes)
                if try rest.count > 2 && Self.reason(Self.wrapped(rest), read) == nil { entries.append(rest) }
            } else if let reason = try Self.reason(Self.wrapped(Array(bytes[item])), read) {
                unreadable.append(UnreadableEntry(Data(bytes[resource ?? item]), reason: reason))
            } else {
                entries.append(Array(bytes[item]))
            }
        }
        guard !unreadable.isEmpty || items.isEmpty else { return nil }
        self.unreadable = unreadable
        var json = Data("{".utf8)
        for member in members where member.value != list || !entries.isEmpty {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json.append(contentsOf: bytes[member.name])
            json.append(UInt8(ascii: ":"))
            if member.value == list {
                json.append(contentsOf: [UInt8(ascii: "[")] + entries.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")])
            } else {
                json.append(contentsOf: bytes[member.value])
            }
        }
        json.append(UInt8(ascii: "}"))
        self.json = json
    }

    private static func reason(_ json: Data, _ read: (Data) throws -> Void) rethrows -> String? {
        do {
            try read(json)
            return nil
        } catch let error as FHIRDecodingError { return error.description }
    }

    private static func wrapped(_ entry: [UInt8]) -> Data {
        Data(#"{"resourceType":"Bundle","entry":["#.utf8 + entry + "]}".utf8)
    }

    private static func member(_ name: String, of item: Range<Int>, _ bytes: [UInt8]) -> Range<Int>? {
        var walk = JSONWalk(bytes, from: item.lowerBound)
        return walk.members()?.first { bytes[$0.name].elementsEqual("\"\(name)\"".utf8) }?.value
    }

    private static func without(_ name: String, _ item: Range<Int>, _ bytes: [UInt8]) -> [UInt8] {
        var walk = JSONWalk(bytes, from: item.lowerBound)
        let members = (walk.members() ?? []).filter { !bytes[$0.name].elementsEqual("\"\(name)\"".utf8) }
        let texts = members.map { Array(bytes[$0.name]) + [UInt8(ascii: ":")] + Array(bytes[$0.value]) }
        return [UInt8(ascii: "{")] + texts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
    }
}
