import FireLiteCore
import Foundation

/// Turns a Bundle's entries into resources to store one by one: each with an id, and with references between them as `Type/id`.
///
/// It follows the rules for transactions (<https://hl7.org/fhir/R4/http.html#trules>) and for references in Bundles
/// (<https://hl7.org/fhir/R4/bundle.html#references>). First note every entry, then take the resources:
///
/// ```swift
/// var unpacker = BundleUnpacker(release: .r4)
/// for entry in entries { unpacker.note(entry) }
/// let resources = entries.compactMap { unpacker.take(from: $0) }
/// ```
package struct BundleUnpacker {
    /// The target of a `urn:uuid:`, kept small, as there may be a million.
    private enum Target {
        /// The resource of this type whose id is the UUID.
        case type(UInt16)
        /// The `Type/id` that begins there in `keys`.
        case key(Int)
    }

    private let rewriter: ReferenceRewriter
    /// The Bundle's `type`. Of a history, which lists the newest version first, only that version is taken.
    package var kind: String?
    private var isHistory: Bool { kind == "history" }
    private var types: [String] = []
    private var typeNumbers: [String: UInt16] = [:]
    /// Each `Type/id` in UTF-8, with a zero at its end.
    private var keys: [UInt8] = []
    private var uuids: [UUID: Target] = [:]
    /// The `Type/id` hashes of the resources whose `fullUrl` is a base followed by exactly that.
    private var regular: [ExactText: Set<Int>] = [:]
    /// `Type/id` by every other `fullUrl`.
    private var irregular: [ExactText: String] = [:]
    private var taken: Set<ExactText> = []

    /// The content of a Bundle.
    package struct Content {
        /// The resources to store.
        package var resources: [FHIRResource] = []
        /// OperationOutcomes about a search, which are not part of its result.
        package var outcomes: [FHIRResource] = []
        /// The number of resources skipped because a history has newer versions of them.
        package var superseded = 0
    }

    /// Takes the resources out of a Bundle's entries.
    ///
    /// - Parameter bundle: loses its entries' resources.
    package static func content(of bundle: FHIRResource) -> Content {
        let entries = bundle.children("entry")
        var unpacker = BundleUnpacker(release: bundle.layout.release)
        unpacker.kind = bundle.text("type")
        for entry in entries { unpacker.note(entry) }
        var content = Content()
        for entry in entries { unpacker.take(from: entry).map { content.take($0) } }
        return content
    }

    /// The OperationOutcome about a Bundle as a whole, `Bundle.issues`, which releases before R5 lack.
    package static func issues(of bundle: FHIRResource) -> FHIRResource? { bundle.child("issues") as? FHIRResource }

    /// The role of an entry's resource.
    package enum Entry {
        case resource(FHIRResource)
        /// An OperationOutcome about the search whose result the Bundle is (<https://hl7.org/fhir/R4/bundle.html#searchset>).
        case outcome(FHIRResource)
        /// A history has a newer version.
        case superseded
    }

    package init(release: FHIRRelease) {
        rewriter = ReferenceRewriter(release: release)
    }

    // MARK: - Entries

    /// Records the resource of an entry's `fullUrl`.
    package mutating func note(_ entry: FHIRObject) {
        guard let resource = entry.child("resource") as? FHIRResource else { return }
        note(fullUrl: entry.text("fullUrl"), type: resource.resourceType, id: resource.id)
    }

    /// Records the resource of a `fullUrl`.
    package mutating func note(fullUrl: String?, type: String, id: String?) {
        guard let fullUrl, let id = id ?? Self.id(in: fullUrl, type: type) else { return }
        if let uuid = Self.uuid(in: fullUrl) {
            uuids[uuid] = target(type, id, uuid)
            return
        }
        let key = "\(type)/\(id)"
        if fullUrl.hasSuffix("/" + key) {
            regular[String(fullUrl.dropLast(key.count)), default: []].insert(ExactText(key).hashValue)
        } else {
            irregular[fullUrl] = key
        }
    }

    private mutating func target(_ type: String, _ id: String, _ uuid: UUID) -> Target {
        guard id == uuid.uuidString.lowercased() else {
            let start = keys.count
            keys.append(contentsOf: "\(type)/\(id)\0".utf8)
            return .key(start)
        }
        if let number = typeNumbers[type] { return .type(number) }
        let number = UInt16(truncatingIfNeeded: types.count)
        types.append(type)
        typeNumbers[type] = number
        return .type(number)
    }

    /// Takes the resource out of an entry, with an id and with the references that the Bundle resolves rewritten.
    ///
    /// - Returns: nil if the entry has none: it only deletes or gets.
    package mutating func take(from entry: FHIRObject) -> Entry? {
        let fullUrl = entry.text("fullUrl")
        guard let resource = entry.child("resource") as? FHIRResource, let slot = entry.layout.element(named: "resource")?.slot else {
            if isHistory, let url = entry.child("request")?.text("url") { taken.insert(text: url) }
            return nil
        }
        entry._setObject(slot, nil as FHIRObject?)
        if kind == "searchset", Self.isOutcome(resource, entry) { return .outcome(resource) }
        if resource.id == nil, let fullUrl { resource.id = Self.id(in: fullUrl, type: resource.resourceType) }
        if isHistory, let id = resource.id, !taken.insert(text: "\(resource.resourceType)/\(id)") { return .superseded }
        rewrite(resource, fullUrl: fullUrl)
        return .resource(resource)
    }

    private static func isOutcome(_ resource: FHIRResource, _ entry: FHIRObject) -> Bool {
        let mode = entry.child("search")?.text("mode")
        return mode == "outcome" || mode == nil && resource.resourceType == "OperationOutcome"
    }

    /// The codes of an OperationOutcome; a server's texts may contain values of records.
    package static func summary(of outcome: FHIRResource) -> String {
        let issues = outcome.children("issue").map { issue in
            [issue.text("severity"), issue.text("code").map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        }
        return issues.isEmpty ? "no issue" : issues.joined(separator: ", ")
    }

    // MARK: - References

    /// `Type/id` for a reference to an entry of the Bundle, with its version and fragment, if any; nil for any other.
    ///
    /// - Parameter base: the server that the reference is relative to, with a slash at its end.
    package func key(for reference: String, base: String? = nil) -> String? {
        guard !isEmpty else { return nil }
        let bytes = reference.utf8
        guard bytes.first != UInt8(ascii: "#") else { return nil }
        let end = Self.endOfAddress(reference)
        guard end < bytes.count else { return target(of: reference, base: base) }
        let rest = bytes.index(bytes.startIndex, offsetBy: end)
        return target(of: String(reference[..<rest]), base: base).map { $0 + reference[rest...] }
    }

    /// Whether no entry has a `fullUrl`, to which references could lead.
    private var isEmpty: Bool { uuids.isEmpty && regular.isEmpty && irregular.isEmpty }

    /// The number of bytes before the version and the fragment of a reference. By bytes, as there may be millions of references.
    private static func endOfAddress(_ reference: String) -> Int {
        var reference = reference
        let version: StaticString = "/_history/"
        return reference.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            for place in bytes.indices {
                if bytes[place] == UInt8(ascii: "#") { return place }
                guard bytes[place] == UInt8(ascii: "/"), place + version.utf8CodeUnitCount <= bytes.count else { continue }
                if sameBytes(start + place, version.utf8Start, version.utf8CodeUnitCount) { return place }
            }
            return bytes.count
        }
    }

    private func target(of url: String, base: String?) -> String? {
        if let uuid = Self.uuid(in: url) {
            switch uuids[uuid] {
            case .type(let number): return "\(types[Int(number)])/\(uuid.uuidString.lowercased())"
            case .key(let start): return String(decoding: keys[start...].prefix { $0 != 0 }, as: UTF8.self)
            case nil: return nil
            }
        }
        if !irregular.isEmpty, let key = irregular[url] { return key }
        let bytes = url.utf8
        if bytes.contains(UInt8(ascii: ":")) {
            guard !regular.isEmpty, let slash = bytes.lastIndex(of: UInt8(ascii: "/")),
                let start = bytes[..<slash].lastIndex(of: UInt8(ascii: "/"))
            else { return nil }
            let key = String(url[bytes.index(after: start)...])
            return regular[String(url[...start])]?.contains(ExactText(key).hashValue) == true ? key : nil
        }
        return irregular.isEmpty ? nil : base.flatMap { irregular[$0 + url] }
    }

    /// Rewrites references to entries in the resource of an entry and everything in it.
    ///
    /// - Parameter fullUrl: that of the entry.
    package func rewrite(_ resource: FHIRResource, fullUrl: String?) {
        guard !isEmpty else { return }
        let base = irregular.isEmpty ? nil : fullUrl.flatMap { Self.base(of: $0, type: resource.resourceType) }
        // Outside of references only names that the Bundle defines change: any other URI may be meant literally.
        rewriter.rewrite(resource) { text, isReference in isReference || text.hasPrefix("urn:") ? key(for: text, base: base) : nil }
    }

    // MARK: - URLs

    private static func uuid(in url: String) -> UUID? {
        let scheme = "urn:uuid:"
        return url.hasPrefix(scheme) ? UUID(uuidString: String(url.dropFirst(scheme.count))) : nil
    }

    /// The id from a `fullUrl` for a resource without one.
    package static func id(in fullUrl: String, type: String) -> String? {
        if let uuid = uuid(in: fullUrl) { return uuid.uuidString.lowercased() }
        let scheme = "urn:oid:"
        let tail = fullUrl.range(of: "/\(type)/", options: .backwards).map { fullUrl[$0.upperBound...] }
        guard let id = fullUrl.hasPrefix(scheme) ? fullUrl.dropFirst(scheme.count) : tail, isID(id)
        else { return nil }
        return String(id)
    }

    /// Whether a text is a FHIR id (<https://hl7.org/fhir/R4/datatypes.html#id>).
    static func isID(_ text: some StringProtocol) -> Bool { (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(isIDByte) }

    /// Whether a FHIR id can contain the byte.
    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// The server's part of a `fullUrl`, with the slash at its end.
    private static func base(of fullUrl: String, type: String) -> String? {
        fullUrl.range(of: "/\(type)/", options: .backwards).map { String(fullUrl[...$0.lowerBound]) }
    }
}

extension BundleUnpacker.Content {
    package mutating func take(_ entry: BundleUnpacker.Entry) {
        switch entry {
        case .resource(let resource): resources.append(resource)
        case .outcome(let outcome): outcomes.append(outcome)
        case .superseded: superseded += 1
        }
    }
}
