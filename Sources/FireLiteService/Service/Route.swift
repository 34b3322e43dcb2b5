import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

/// What the path of a request leads to.
enum Route: Equatable {
    case system
    case metadata
    case smartConfiguration
    case openAPI
    case token
    case type(String)
    case instance(String, String)
    case version(String, String, String)
    /// The history of everything, of a type or of an instance.
    case history(String?, String?)
    /// `_search` of the system or of a type.
    case search(String?)
    /// A compartment: of a resource, with the type of the results, or nil for all.
    case compartment(String, String, String?)
    /// `_search` in a compartment.
    case compartmentSearch(String, String, String?)
    /// An operation of the system, a type or an instance, with its name without the dollar sign.
    case operation(String, String?, String?)
    /// The state of a job of bulk data.
    case job(String)
    /// A file of a job.
    case file(String, String)

    /// Reads a path below the base.
    ///
    /// - Throws: `ServiceFault` with status 404 for a path that leads nowhere.
    init(_ segments: [String], _ release: FHIRRelease) throws {
        func type(_ name: String) throws -> String {
            guard release.hasResourceType(named: name) else { throw ServiceFault.unknownType(name, release) }
            return name
        }
        func id(_ text: String) throws -> String {
            guard ResourceID.isValid(text) else {
                throw ServiceFault(404, "not-found", "this is not a resource id: an id has 1 to 64 letters, digits, hyphens and periods")
            }
            return text
        }
        func name(_ text: String) -> String? { text.hasPrefix("$") && text.utf8.count > 1 ? String(text.dropFirst()) : nil }
        switch segments.count {
        case 0: self = .system
        case 1:
            switch segments[0] {
            case "metadata": self = .metadata
            case "openapi.json": self = .openAPI
            case "_history": self = .history(nil, nil)
            case "_search": self = .search(nil)
            default:
                if let name = name(segments[0]) { self = .operation(name, nil, nil) } else { self = .type(try type(segments[0])) }
            }
        case 2:
            switch (segments[0], segments[1]) {
            case (".well-known", "smart-configuration"): self = .smartConfiguration
            case ("auth", "token"): self = .token
            case ("$jobs", let job): self = .job(job)
            case (let first, "_history"): self = .history(try type(first), nil)
            case (let first, "_search"): self = .search(try type(first))
            case (let first, let second):
                let first = try type(first)
                if let name = name(second) { self = .operation(name, first, nil) } else { self = .instance(first, try id(second)) }
            }
        case 3 where segments[0] == "$jobs": self = .file(segments[1], segments[2])
        case 3:
            let (first, second) = (try type(segments[0]), try id(segments[1]))
            switch segments[2] {
            case "_history": self = .history(first, second)
            case "_search": self = .compartmentSearch(first, second, nil)
            case "*": self = .compartment(first, second, nil)
            default:
                if let name = name(segments[2]) {
                    self = .operation(name, first, second)
                } else {
                    self = .compartment(first, second, try type(segments[2]))
                }
            }
        case 4:
            let (first, second) = (try type(segments[0]), try id(segments[1]))
            switch (segments[2], segments[3]) {
            case ("_history", let version): self = .version(first, second, try id(version))
            case ("*", "_search"): self = .compartmentSearch(first, second, nil)
            case (let third, "_search"): self = .compartmentSearch(first, second, try type(third))
            default: throw Self.nowhere
            }
        default: throw Self.nowhere
        }
    }

    private static var nowhere: ServiceFault { ServiceFault(404, "not-found", "the path leads nowhere: GET metadata lists what there is") }

    /// The methods that the place has, for `Allow` (RFC 9110, 15.5.6).
    var methods: [HTTPMethod] {
        switch self {
        case .system: [.get, .head, .post]
        case .metadata, .smartConfiguration, .openAPI, .version, .history, .file: [.get, .head]
        case .token, .search, .compartmentSearch: [.post]
        case .type: [.get, .head, .post, .put, .patch, .delete]
        case .instance: [.get, .head, .put, .patch, .delete]
        case .compartment: [.get, .head]
        case .operation: [.get, .head, .post]
        case .job: [.get, .head, .delete]
        }
    }

    /// Whether everybody may ask without a token.
    var isOpen: Bool {
        switch self {
        case .metadata, .smartConfiguration, .openAPI, .token: true
        default: false
        }
    }

    /// The type and id for the audit trail.
    var subject: (type: String?, id: String?) {
        switch self {
        case .type(let type), .search(let type?): (type, nil)
        case .instance(let type, let id), .version(let type, let id, _): (type, id)
        case .history(let type, let id), .operation(_, let type, let id): (type, id)
        case .compartment(let type, let id, _), .compartmentSearch(let type, let id, _): (type, id)
        default: (nil, nil)
        }
    }
}

/// Logical ids (FHIR, Datatypes, id).
enum ResourceID {
    static func isValid(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                65...90 ~= byte || 97...122 ~= byte || 48...57 ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            }
    }

    static func make() -> String { RandomUUID.text() }
}

/// A target of a request: the segments of its path below the base, and its parameters.
struct Target {
    let segments: [String]
    let query: QueryItems

    /// - Parameters:
    ///   - text: a path with a query, or an address.
    ///   - base: the service's base address without a slash at its end.
    ///   - isRelative: whether a path may be relative to the base, as in entries of Bundles.
    /// - Throws: `ServiceFault` for a target outside of the base.
    init(_ text: String, base: String, isRelative: Bool = false) throws {
        let end = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        var path = text.utf8[..<end]
        if Self.scheme(of: path) != nil {
            path = try Self.rest(of: path, below: base.utf8[...])
        } else if path.first == UInt8(ascii: "/") || !isRelative {
            path = try Self.rest(of: path, below: Self.path(of: base.utf8[...]))
        }
        // Without the slashes at both ends.
        segments = try path.split(separator: UInt8(ascii: "/")).map { part in
            guard let segment = AddressText.decoded(Substring(part)), !segment.utf8.contains(0) else {
                throw ServiceFault(400, "invalid", "the path is not percent-encoded UTF-8")
            }
            return segment
        }
        query = try QueryItems(end == text.endIndex ? "" : text[text.utf8.index(after: end)...])
    }

    /// The end of `https://` in an address; nil for a path. By bytes, as addresses are compared.
    private static func scheme(of address: Substring.UTF8View) -> String.Index? {
        var start = address.startIndex
        while let colon = address[start...].firstIndex(of: UInt8(ascii: ":")) {
            start = address.index(after: colon)
            if address[start...].starts(with: "//".utf8) { return address.index(start, offsetBy: 2) }
        }
        return nil
    }

    /// The path of an address, `/fhir`; empty if it has none.
    private static func path(of address: Substring.UTF8View) -> Substring.UTF8View {
        guard let host = scheme(of: address), let start = address[host...].firstIndex(of: UInt8(ascii: "/")) else { return "".utf8[...] }
        return address[start...]
    }

    /// What follows a base in an address or path.
    private static func rest(of text: Substring.UTF8View, below base: Substring.UTF8View) throws -> Substring.UTF8View {
        guard text.starts(with: base) else { throw outside }
        let rest = text.dropFirst(base.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") else { throw outside }
        return rest
    }

    private static var outside: ServiceFault { ServiceFault(404, "not-found", "the path is outside of the server's base") }
}
