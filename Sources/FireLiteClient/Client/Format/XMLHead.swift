import FireLiteXML
import Foundation

/// What identifies a resource in its XML, read without the rest.
final class XMLHead: XMLScannerDelegate {
    private(set) var typeName: String?
    private(set) var id: String?
    private(set) var version: String?
    private(set) var lastUpdated: String?

    /// What is cut out of a document has lost the declarations of its namespaces.
    private let isDocument: Bool
    /// The names of the elements around the resource that are still to come.
    private var around: ArraySlice<String>
    /// The names of the open elements, from the resource inwards.
    private var path: [String] = []
    /// How many elements are open that are not looked at.
    private var skipped = 0
    private var isWellFormed = true

    /// What is deeper does not identify anything: `Patient`, `meta`, `versionId`.
    private static let depth = 3

    /// - Parameters:
    ///   - xml: the text.
    ///   - around: the names of the elements around the resource, if it is cut out of a document with them.
    /// - Returns: nil if the text is not well-formed, or has no resource there.
    init?(_ xml: Data, inside around: [String] = []) {
        isDocument = around.isEmpty
        self.around = around[...]
        guard !xml.contains(0) else { return nil }
        do {
            let scanner = try XMLScanner(self)
            xml.withUnsafeBytes { scanner.feed($0.bindMemory(to: UInt8.self)) }
            scanner.finish()
        } catch { return nil }
        if !isWellFormed || typeName == nil { return nil }
    }

    func begin(_ tag: XMLTag) {
        let isFHIR = tag.uri.map { XMLTag.equals($0, FHIRXML.namespace) } ?? !isDocument
        guard skipped == 0, isFHIR, path.count < Self.depth else {
            skipped += 1
            return
        }
        let name = tag.text
        if let next = around.first {
            if name == next { around.removeFirst() } else { skipped += 1 }
            return
        }
        guard !path.isEmpty || typeName == nil else {
            skipped += 1
            return
        }
        path.append(name)
        if path.count == 1 { typeName = name }
        guard let value = Self.value(of: tag) else { return }
        switch path.dropFirst() {
        case ["id"]: id = value
        case ["meta", "versionId"]: version = value
        case ["meta", "lastUpdated"]: lastUpdated = value
        default: break
        }
    }

    func end() {
        if skipped > 0 {
            skipped -= 1
        } else if !path.isEmpty {
            path.removeLast()
        }
    }

    func fault(_ code: Int) { isWellFormed = false }

    private static func value(of tag: XMLTag) -> String? {
        for index in 0..<tag.attributeCount {
            guard let attribute = tag.attribute(index), attribute.prefix == nil, XMLTag.equals(attribute.name, "value") else { continue }
            return String(decoding: attribute.value, as: UTF8.self)
        }
        return nil
    }
}
