import Foundation

/// The types of a release that is data, read from a text of this form:
///
/// ```
/// FireLite layouts 1
/// release R4 4.0.1
/// resource Patient DomainResource
///   gender 0..1 code =AdministrativeGender
/// constraint Patient.contact pat-1 error name.exists() or telecom.exists() or address.exists() or organization.exists()
/// codes AdministrativeGender male female other unknown
/// ```
/// A line of a type is its kind (`resource`, `datatype`, `backbone`, or `abstract resource`, `abstract datatype`), its name and that of its base,
/// `-` for none. Indented lines are its elements, as `LayoutElement.parse` reads them. Codes with spaces are indented lines of their own.
///
/// A layout is created with all layouts that it refers to, as objects refer to the slots of the layouts of their elements without asking.
///
/// `@unchecked Sendable`: `lock` guards `created`; everything else is set before the release is used.
final class ReleaseLayouts: @unchecked Sendable {
    static let firstLine = "FireLite layouts 1"
    private static let constraint = "constraint "

    private struct Definition {
        let kind: Layout.Kind
        let isResource: Bool
        let base: String?
        /// The lines of its elements.
        let lines: Range<Int>
        /// The memory of its slots, which is filled when the layout is created.
        let table: UnsafeMutablePointer<LayoutTable>
    }

    let name: String
    let version: String
    let names: [String]
    let codes: [String: [Substring]]
    /// The constraints of the definitions: path, key, severity and FHIRPath, separated by blanks.
    let constraints: [Substring]
    private let lines: [Substring]
    private let definitions: [String: Definition]
    private let lock = NSLock()
    private var created: [String: Layout] = [:]
    /// The layout of `Element`; nil if the release lacks it.
    private(set) var element: Layout?

    // MARK: - Reading

    /// - Throws: `FHIRReleaseError` if a line cannot be read; the lines of elements are not looked at.
    init(_ text: String) throws(FHIRReleaseError) {
        var text = text
        text.makeContiguousUTF8()
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
        guard lines.first == Self.firstLine[...] else {
            throw FHIRReleaseError(.format, line: 1, "expected '\(Self.firstLine)': write the file with `swift run Generator --layouts`")
        }
        let release = lines.count > 1 ? lines[1].split(separator: " ") : []
        guard release.count == 3, release[0] == "release" else {
            throw FHIRReleaseError(.malformed, line: 2, "expected 'release', its name and its version")
        }
        (name, version) = (String(release[1]), String(release[2]))
        var definitions: [String: Definition] = [:]
        definitions.reserveCapacity(1_024)
        var codes: [String: [Substring]] = [:]
        var constraints: [Substring] = []
        var index = 2
        while index < lines.count {
            let place = index
            index += 1
            if lines[place].isEmpty { continue }
            if lines[place].utf8.starts(with: Self.constraint.utf8) {
                constraints.append(lines[place].dropFirst(Self.constraint.count))
                continue
            }
            while index < lines.count, lines[index].utf8.first == UInt8(ascii: " ") { index += 1 }
            let details = place + 1..<index
            let words = lines[place].split(separator: " ")
            guard words.count > 1, lines[place].utf8.first != UInt8(ascii: " ") else {
                throw FHIRReleaseError(.malformed, line: place + 1, "expected a definition")
            }
            if words[0] == "codes" {
                let list = Array(words.dropFirst(2)) + lines[details].map { $0.drop { $0 == " " } }
                guard codes.updateValue(list, forKey: String(words[1])) == nil else {
                    throw FHIRReleaseError(.name, line: place + 1, "the codes \(words[1]) are defined twice")
                }
                continue
            }
            let (name, definition) = try Self.definition(words, details, line: place + 1)
            guard definitions.updateValue(definition, forKey: name) == nil else {
                throw FHIRReleaseError(.name, line: place + 1, "\(name) is defined twice")
            }
        }
        self.definitions = definitions
        self.codes = codes
        self.constraints = constraints
        names = definitions.keys.sorted()
    }

    private static func definition(
        _ words: [Substring], _ lines: Range<Int>, line: Int
    ) throws(FHIRReleaseError) -> (name: String, Definition) {
        let isAbstract = words[0] == "abstract"
        let rest = words.dropFirst(isAbstract ? 1 : 0)
        let kinds: [Substring: Layout.Kind] = ["resource": .resource, "datatype": .datatype, "backbone": .backbone]
        guard rest.count == 3, let kind = kinds[rest[rest.startIndex]], !(isAbstract && kind == .backbone) else {
            throw FHIRReleaseError(
                .malformed, line: line, "expected a kind of type, its name and its base: '\(words.joined(separator: " "))'")
        }
        let base = rest[rest.startIndex + 2]
        return (
            String(rest[rest.startIndex + 1]),
            Definition(
                kind: isAbstract ? .abstract : kind, isResource: kind == .resource, base: base == "-" ? nil : String(base), lines: lines,
                table: .allocate(capacity: 1))
        )
    }

    // MARK: - Layouts

    /// Whether the name is that of a resource type that has instances.
    func isResource(_ name: String) -> Bool { definitions[name]?.kind == .resource }

    /// The layout of a type; nil if the release has no type of this name.
    ///
    /// - Precondition: the text is right, which `createAll` finds out.
    func layout(named name: String, _ release: FHIRRelease) -> Layout? {
        lock.lock()
        defer { lock.unlock() }
        if let known = created[name] { return known }
        guard definitions[name] != nil else { return nil }
        do throws(FHIRReleaseError) {
            return try create(name, release)
        } catch {
            misuse("the layouts of FHIR \(self.name), \(error): read the file with FHIRRelease(layouts:), which checks it")
        }
    }

    /// Creates the layout of `Element`, and with it those of almost all datatypes.
    func createElement(_ release: FHIRRelease) throws(FHIRReleaseError) {
        lock.lock()
        defer { lock.unlock() }
        if definitions["Element"] != nil { element = try create("Element", release) }
    }

    /// Creates every layout.
    func createAll(_ release: FHIRRelease) throws(FHIRReleaseError) {
        lock.lock()
        defer { lock.unlock() }
        for name in names where created[name] == nil { try create(name, release) }
        guard definitions["Element"]?.isResource == false else { throw FHIRReleaseError(.name, line: 1, "there is no type Element") }
        for name in names {
            guard let definition = definitions[name], definition.isResource else { continue }
            let id = created[name]?.elements.first
            guard id?.name == "id", id?.primitive?.storage == .text, id?.isList == false else {
                throw FHIRReleaseError(.name, line: definition.lines.lowerBound, "the first element of the resource \(name) is not its id")
            }
        }
    }

    /// Creates a layout and all layouts that it refers to, directly or indirectly. The lock is held.
    @discardableResult
    private func create(_ name: String, _ release: FHIRRelease) throws(FHIRReleaseError) -> Layout {
        var waiting = [name]
        while let next = waiting.popLast() { try createOne(next, release, &waiting, depth: 0) }
        // Invariant: the name was the first one waiting.
        guard let layout = created[name] else { preconditionFailure("no layout was created") }
        return layout
    }

    /// Creates a layout and its bases, and queues the types of its elements.
    @discardableResult
    private func createOne(
        _ name: String, _ release: FHIRRelease, _ waiting: inout [String], depth: Int
    ) throws(FHIRReleaseError) -> Layout {
        if let known = created[name] { return known }
        guard let definition = definitions[name] else { throw FHIRReleaseError(.name, line: 1, "there is no type \(name)") }
        let line = definition.lines.lowerBound
        guard depth < 16 else { throw FHIRReleaseError(.name, line: line, "\(name) has more than 16 bases, or is a base of its own") }
        var base: Layout?
        if let baseName = definition.base {
            guard let known = definitions[baseName], known.isResource == definition.isResource else {
                throw FHIRReleaseError(.name, line: line, "\(name) derives from \(baseName), which is not a type of its kind")
            }
            base = try createOne(baseName, release, &waiting, depth: depth + 1)
        }
        let elements = try elements(of: name, definition, base, &waiting)
        let layout = Layout(
            type(of: name, definition), name: name, kind: definition.kind, base: base, release: release, elements: elements,
            table: definition.table)
        created[name] = layout
        return layout
    }

    private func elements(
        of name: String, _ definition: Definition, _ base: Layout?, _ waiting: inout [String]
    ) throws(FHIRReleaseError) -> [LayoutElement] {
        var elements = base?.elements ?? []
        var names = Set(elements.map(\.name))
        for index in definition.lines {
            let parsed: [LayoutElement]
            do throws(LayoutElement.LineError) {
                parsed = try LayoutElement.parse(lines[index], first: elements.count) { typeName in
                    let typeName = String(typeName)
                    guard let found = definitions[typeName], !found.isResource else { return nil }
                    if created[typeName] == nil { waiting.append(typeName) }
                    return LayoutElement.ComplexType(type: type(of: typeName, found), table: UnsafePointer(found.table))
                }
            } catch {
                throw FHIRReleaseError(.malformed, line: index + 1, "\(name): \(error.message)")
            }
            for element in parsed {
                guard names.insert(element.name).inserted else {
                    throw FHIRReleaseError(.name, line: index + 1, "\(name) has the element \(element.name) twice")
                }
                if let binding = element.binding, codes[binding] == nil {
                    throw FHIRReleaseError(.name, line: index + 1, "\(name).\(element.name): there are no codes \(binding)")
                }
            }
            elements += parsed
        }
        guard elements.count <= Layout.maximumSlots else {
            throw FHIRReleaseError(
                .tooManyElements, line: definition.lines.lowerBound,
                "\(name) has \(elements.count) slots, and \(Layout.maximumSlots) is the maximum")
        }
        return elements
    }

    private func type(of name: String, _ definition: Definition) -> FHIRObject.Type {
        if definition.isResource { return FHIRResource.self }
        return name == "Reference" ? DataReference.self : FHIRObject.self
    }
}

/// A mistake in a file of layouts: its line and what is wrong.
public struct FHIRReleaseError: FireLiteError, Hashable {
    /// The kind of mistake.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String
        /// The code with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not a file of layouts, or has a later version of the format.
        public static let format = Code(rawValue: "format")
        /// A line does not have the form that its keyword requires.
        public static let malformed = Code(rawValue: "malformed")
        /// A name is defined twice, or used without a definition.
        public static let name = Code(rawValue: "name")
        /// A type has more elements than an object can hold.
        public static let tooManyElements = Code(rawValue: "tooManyElements")
    }

    /// The kind of mistake.
    public let code: Code
    /// The line, from 1.
    public let line: Int
    /// What is wrong, with names from the definitions.
    public let message: String

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }

    /// The line and the message.
    public var description: String { "line \(line): \(message)" }
}
