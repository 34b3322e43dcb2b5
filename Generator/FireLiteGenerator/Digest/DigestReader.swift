import Foundation

/// Reads a digest.
///
/// A digest is UTF-8 text. Words are separated by spaces, `-` stands for a word that is missing, and indented lines belong
/// to the line before them that is not. It starts with `FireLite digest 2` and `release NAME VERSION`; then come, in any
/// order, empty lines and
///
///     [abstract] primitive|datatype|resource NAME BASE URL
///       ELEMENT[[x]] MIN..MAX TYPES [STRENGTH VALUESET [BINDING NAME]]
///     backbone PATH BASE
///       (elements as above)
///     constraint PATH KEY error|warning [expression TEXT | xpath TEXT]
///     modifier PATH ELEMENT...
///     summary PATH ELEMENT...
///     valueset URL NAME
///       CODE
///     search URL NAME TYPE BASE,BASE
///       expression TEXT, xpath TEXT, target TYPE,TYPE or component URL TEXT
///
/// where TYPES is `Name`, `Reference>Target,Target`, several of those with `|` between them, the path of a backbone
/// element of the same type, or `@` and the path whose content is repeated. The lines `constraint`, `modifier` and `summary` follow
/// the type or backbone element that they are about; PATH is its name, or for `constraint` also that of one of its elements. A
/// digest 1 has none of them.
struct DigestReader {
    private let file: String
    private var lines: [DigestLine]
    private var index = 0
    private var hasFacts = true
    private var release = ReleaseDefinition(release: FHIRReleaseName(name: "", version: ""))

    /// Reads a digest and checks that its parts fit together.
    ///
    /// - Throws: `GeneratorError` with line and column.
    static func read(_ file: SourceFile) throws -> ReleaseDefinition {
        guard let text = String(bytes: file.bytes, encoding: .utf8) else {
            throw GeneratorError("not UTF-8 text", at: SourceLocation(file: file.name))
        }
        var reader = DigestReader(file: file.name, text: text)
        try reader.readHeader()
        while reader.skipEmptyLines() { try reader.readDefinition() }
        let release = reader.release.sorted()
        try DefinitionValidator.validate(release)
        return release
    }

    /// The first line of digests before constraints, modifiers and summaries were part of them.
    private static let firstLineWithoutFacts = "FireLite digest 1"
    /// The first lines of the digests that can be read.
    static let firstLines = [DigestWriter.firstLine, firstLineWithoutFacts]

    private init(file: String, text: String) {
        self.file = file
        // By code unit, because "\r\n" is one character.
        lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            DigestLine(file: file, number: index + 1, text: Substring(line.last == "\r" ? line.dropLast() : line))
        }
    }

    private mutating func skipEmptyLines() -> Bool {
        while index < lines.count, lines[index].text.isEmpty { index += 1 }
        return index < lines.count
    }

    // MARK: - Header

    private mutating func readHeader() throws {
        guard let first = lines.first, Self.firstLines.contains(String(first.text)) else {
            throw GeneratorError("no digest, expected `\(DigestWriter.firstLine)`", at: SourceLocation(file: file, line: 1, column: 1))
        }
        hasFacts = first.text == DigestWriter.firstLine
        index = 1
        guard index < lines.count else {
            throw GeneratorError("expected `release NAME VERSION`", at: SourceLocation(file: file, line: 2, column: 1))
        }
        var line = lines[index]
        index += 1
        guard try line.word("`release NAME VERSION`") == "release" else {
            throw GeneratorError("expected `release NAME VERSION`", at: SourceLocation(file: file, line: 2, column: 1))
        }
        let place = line.location
        let name = try line.word("the release's name")
        guard Identifier.isTypeName(name) else { throw GeneratorError("`\(name)` is not a release name", at: place) }
        let versionPlace = line.location
        let version = try line.word("the release's version")
        guard FHIRReleaseName.isVersion(version) else {
            throw GeneratorError("`\(version)` is not a version", at: versionPlace)
        }
        try line.end()
        release.release = FHIRReleaseName(name: String(name), version: String(version))
    }

    // MARK: - Definitions

    private mutating func readDefinition() throws {
        var line = lines[index]
        let place = line.location
        if line.isIndented { throw GeneratorError("indented line without a definition before it", at: place) }
        index += 1
        var keyword = try line.word("a definition")
        let isAbstract = keyword == "abstract"
        if isAbstract { keyword = try line.word("a kind of type") }
        if let kind = TypeDefinition.Kind(rawValue: String(keyword)) {
            try readType(&line, kind, isAbstract: isAbstract, place)
        } else if keyword == "backbone", !isAbstract {
            try readBackbone(&line, place)
        } else if keyword == "valueset", !isAbstract {
            try readValueSet(&line, place)
        } else if keyword == "search", !isAbstract {
            release.searchParameters.append(try DigestSearchReader.read(&line, details: indentedLines()))
        } else if let fact = DigestFactReader.Fact(rawValue: String(keyword)), !isAbstract, hasFacts {
            guard let last = release.types.indices.last else { throw GeneratorError("`\(keyword)` without a type above it", at: place) }
            try DigestFactReader.read(fact, &line, into: &release.types[last])
        } else {
            throw GeneratorError("unknown definition `\(keyword)`", at: place)
        }
    }

    private mutating func indentedLines() -> ArraySlice<DigestLine> {
        let start = index
        while index < lines.count, lines[index].isIndented { index += 1 }
        return lines[start..<index]
    }

    private mutating func readType(
        _ line: inout DigestLine, _ kind: TypeDefinition.Kind, isAbstract: Bool, _ place: SourceLocation
    ) throws {
        let namePlace = line.location
        let name = try line.word("the type's name")
        guard Identifier.isTypeName(name) else { throw GeneratorError("`\(name)` is not a type name", at: namePlace) }
        let base = try line.wordOrDash("the base type's name")
        let url = try line.url("the canonical URL")
        try line.end()
        let elements = try indentedLines().map { try DigestElementReader.read($0) }
        if kind == .primitive, let element = elements.first {
            throw GeneratorError("a primitive has no elements", at: element.location)
        }
        release.types.append(
            TypeDefinition(
                name: String(name), kind: kind, isAbstract: isAbstract, base: base, url: url, elements: elements,
                location: place))
    }

    private mutating func readBackbone(_ line: inout DigestLine, _ place: SourceLocation) throws {
        let pathPlace = line.location
        let path = String(try line.word("the backbone element's path"))
        let base = String(try line.word("the base type's name"))
        try line.end()
        guard let last = release.types.indices.last, release.types[last].kind != .primitive,
            Identifier.isPath(path), path.hasPrefix(release.types[last].name + ".")
        else {
            throw GeneratorError("`\(path)` is not a path in the type above it", at: pathPlace)
        }
        let elements = try indentedLines().map { try DigestElementReader.read($0) }
        release.types[last].backbones.append(
            BackboneDefinition(path: path, base: base, elements: elements, location: place))
    }

    private mutating func readValueSet(_ line: inout DigestLine, _ place: SourceLocation) throws {
        let url = try line.url("the value set's URL")
        let name = try line.lineRemainder("the value set's name")
        var codes: [String] = []
        for var codeLine in indentedLines() {
            let place = codeLine.location
            let code = try codeLine.remainder("a code")
            guard Identifier.isLine(code) else { throw GeneratorError("this is not a code", at: place) }
            codes.append(code)
        }
        release.valueSets.append(ValueSetDefinition(url: url, name: name, codes: codes, location: place))
    }
}
