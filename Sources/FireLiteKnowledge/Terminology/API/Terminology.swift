import FireLiteCore
import Foundation

/// A terminology: code systems, value sets and concept maps, and the operations on them that FHIR defines.
///
/// It answers offline, from definitions that you add: resources, whole packages, and sources that it asks for what it lacks. UCUM,
/// languages, media types, countries and currencies are known without a definition, and so are the codes of FHIR R4, R4B and R5
/// themselves.
///
/// ```swift
/// var terminology = Terminology(release: .r4)
/// try terminology.add(contentsOf: colors)
/// let red = TerminologyCode("red", system: "http://example.org/colors")
/// let answer = try terminology.validate(red, in: "http://example.org/warm-colors")
/// ```
///
/// It is a value: what you add to a copy is not in the original. See FHIR, Terminology Module and Using Terminologies.
public struct Terminology: Sendable {
    /// The release whose own codes are known, and whose parameter names `$translate` uses.
    public let release: FHIRRelease
    /// The maximum number of codes in an expansion without `count`; more are an error. Default: 1,000.
    public var maximumExpansion = 1_000
    /// Where the times of expansions come from. Default: the clock of the first store whose definitions were added, else the system's.
    public var clock: FHIRClock {
        get { givenClock ?? storeClock ?? .system }
        set { givenClock = newValue }
    }
    private var givenClock: FHIRClock?
    private var storeClock: FHIRClock?
    var library: TerminologyLibrary

    /// A terminology without definitions.
    ///
    /// - Parameter release: the release whose definitions are added.
    public init(release: FHIRRelease) {
        self.release = release
        library = TerminologyLibrary(release: release)
        for provider in GrammarSystems.all { library.add(provider) }
    }

    // MARK: - Definitions

    /// Adds the definitions in JSON: a CodeSystem, ValueSet, ConceptMap or NamingSystem, or a Bundle with some. Other resources
    /// are ignored.
    ///
    /// A CodeSystem or ValueSet replaces one of the same URL and version. A ValueSet of DSTU2 may define a code system, which is
    /// added as well.
    /// - Throws: ``TerminologyError`` with `unreadable` for a text that is not JSON.
    public mutating func add(contentsOf json: Data) throws { add(try Self.json(json)) }

    /// Adds a definition, or those of a Bundle.
    ///
    /// - Parameter resource: a CodeSystem, ValueSet, ConceptMap or NamingSystem, or a Bundle; others are ignored.
    /// - Throws: ``TerminologyError`` with `unreadable` if the resource has no JSON.
    public mutating func add(_ resource: FHIRResource) throws { add(try Self.json(FHIRJSON.data(resource))) }

    /// Adds a source, which is asked for definitions that the terminology lacks. Earlier sources are asked first.
    public mutating func add(_ source: some TerminologySource) {
        if storeClock == nil { storeClock = (source as? StoredDefinitions)?.clock }
        library.add(source)
    }

    /// Adds the definitions of packages and files, and the code systems that were imported into those files.
    ///
    /// - Parameter knowledge: what is added to it later is found as well, but for code systems that are imported.
    public mutating func add(_ knowledge: Knowledge) {
        library.add(knowledge)
        for system in knowledge.importedSystems { library.add(system) }
    }

    mutating func add(_ json: JSONItem) {
        for entry in json["resourceType"]?.text == "Bundle" ? json["entry"]?.items ?? [] : [] {
            if let resource = entry["resource"] { add(resource) }
        }
        library.add(json)
    }

    static func json(_ data: Data) throws -> JSONItem {
        let isMarked = data.starts(with: [0xEF, 0xBB, 0xBF])
        do throws(JSONItemError) {
            return try JSONItemReader.read(isMarked ? data.dropFirst(3) : data)
        } catch {
            throw TerminologyError(.unreadable, "invalid", "line \(error.line) of a definition or request is not JSON: \(error.problem)")
        }
    }

    // MARK: - Operations

    /// Performs an operation as a FHIR server does: it takes Parameters and returns a resource.
    ///
    /// `tx-resource` parameters add definitions for this operation only.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - parameters: the JSON of the Parameters resource.
    ///   - language: the value of `Accept-Language` of the request; the parameter `displayLanguage` overrides it.
    /// - Returns: the JSON of Parameters, or of a ValueSet for `$expand`.
    /// - Throws: ``TerminologyError``, whose ``TerminologyError/operationOutcome`` is what a server would send.
    public func perform(_ operation: TerminologyOperation, parameters: Data, language: String? = nil) throws -> Data {
        let request = try RequestParameters(Self.json(parameters))
        return ResponseText.data(try perform(operation, request, language))
    }

    func perform(_ operation: TerminologyOperation, _ parameters: RequestParameters, _ language: String? = nil) throws -> JSONItem {
        var library = library
        for item in parameters.all("tx-resource") { if let json = item["resource"] { library.add(json) } }
        // A ValueSet of DSTU2 may bring its code system.
        if let json = parameters.resource("valueSet") {
            for definition in EarlierDefinitions.current(json).dropLast() { library.add(definition) }
        }
        switch operation {
        case .expand:
            return try ExpandOperation(
                library: library, parameters: parameters, language: language, limit: maximumExpansion, now: clock.now
            ).run()
        case .validateCode: return try ValidateOperation(library: library, parameters: parameters, language: language).inValueSet()
        case .validateCodeInSystem:
            return try ValidateOperation(library: library, parameters: parameters, language: language).inCodeSystem()
        case .lookup: return try LookupOperation(library: library, parameters: parameters, language: language).run()
        case .subsumes: return try SubsumesOperation(library: library, parameters: parameters).run()
        case .translate:
            return try TranslateOperation(library: library, parameters: parameters, isR4: !release.version.hasPrefix("5.")).run()
        case .batchValidate: return try BatchOperation(library: library, parameters: parameters, language: language).run()
        }
    }
}

/// An operation of a terminology (FHIR, Terminology Service).
public enum TerminologyOperation: String, Sendable, CaseIterable {
    /// `ValueSet/$expand`.
    case expand
    /// `ValueSet/$validate-code`.
    case validateCode = "validate-code"
    /// `CodeSystem/$validate-code`.
    case validateCodeInSystem = "cs-validate-code"
    /// `CodeSystem/$lookup`.
    case lookup
    /// `CodeSystem/$subsumes`.
    case subsumes
    /// `ConceptMap/$translate`.
    case translate
    /// `ValueSet/$batch-validate-code`.
    case batchValidate = "batch-validate"
}

/// Where a terminology looks for definitions that it lacks: a store, packages, a server.
public protocol TerminologySource: Sendable {
    /// The JSON of the definitions with a canonical URL, of every version; empty if there are none.
    ///
    /// A terminology asks once for each URL.
    /// - Parameters:
    ///   - type: `CodeSystem`, `ValueSet` or `ConceptMap`.
    ///   - url: the canonical URL without a version.
    /// - Throws: what the source throws; the operation ends with it.
    func definitions(ofType type: String, url: String) throws -> [Data]
}

extension TerminologyError {
    /// The JSON of the `OperationOutcome` that a server sends with this error.
    public var operationOutcome: Data { Data(TerminologyIssue.outcome(issues).json.utf8) }
}
