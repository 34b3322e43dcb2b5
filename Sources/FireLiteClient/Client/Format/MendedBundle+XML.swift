import FireLiteCore
import FireLiteXML
import Foundation

extension MendedBundle {
    /// The same of a Bundle in XML.
    ///
    /// - Returns: nil if the text is not a Bundle, or if every resource can be read.
    init?(xml: Data, release: FHIRRelease) {
        var unreadable: [UnreadableEntry] = []
        var entries: [FHIRObject] = []
        let read: (bundle: FHIRObject, issues: [FHIRDecodingError])
        do {
            var position = 0
            read = try XMLBundleReader(release: release).read(
                filling: { memory in
                    let count = min(memory.count, xml.count - position)
                    let start = xml.startIndex + position
                    memory.copyBytes(from: xml[start..<start + count])
                    position += count
                    return count
                },
                { entry in
                    guard let issue = entry.issues.first else { return entries.append(entry.object) }
                    let start = xml.startIndex + entry.start
                    unreadable.append(UnreadableEntry(xmlEntry: xml[start..<xml.startIndex + entry.end], reason: issue.description))
                    // What is around the resource can be kept if nothing is wrong there.
                    guard entry.issues.allSatisfy({ $0.path.contains("].resource") }) else { return }
                    _ = entry.object.takeResource("resource")
                    if entry.object.hasContent { entries.append(entry.object) }
                })
        } catch { return nil }
        guard !unreadable.isEmpty, let slot = read.bundle.layout.element(named: "entry")?.slot else { return nil }
        if !entries.isEmpty { read.bundle._setObjects(slot, entries) }
        self.init(json: FHIRJSON.data(read.bundle), unreadable: unreadable)
    }
}

extension UnreadableEntry {
    /// - Parameters:
    ///   - entry: the element `entry` of a Bundle.
    ///   - reason: why its resource cannot be read.
    fileprivate init(xmlEntry entry: Data, reason: String) {
        let head = XMLHead(entry, inside: ["entry", "resource"])
        self.init(
            typeName: head?.typeName, id: head?.id, version: head?.version, text: String(decoding: Self.resource(in: entry), as: UTF8.self),
            reason: reason)
    }

    /// The resource as a document of its own, so that it can be read again later; the entry itself if its namespace has a prefix.
    private static func resource(in entry: Data) -> Data {
        guard let start = entry.range(of: Data("<resource>".utf8)),
            let end = entry.range(of: Data("</resource>".utf8), options: .backwards),
            start.upperBound <= end.lowerBound
        else { return entry }
        let inside = entry[start.upperBound..<end.lowerBound].drop { $0 <= 0x20 }
        let name = inside.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        guard name.first == UInt8(ascii: "<"), name.count > 1, !name.contains(UInt8(ascii: ":")) else { return entry }
        return name + Data(" xmlns=\"\(FHIRXML.namespace)\"".utf8) + inside.dropFirst(name.count)
    }
}
