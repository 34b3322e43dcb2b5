import FireLite
import FireLiteCore

extension ResourceProfileView {
    /// The paths of the profile outside of a query, to write columns of SQL on FHIR and search parameters with.
    ///
    /// ```swift
    /// let column = ViewDefinition.Column(name: "birth_sex", path: USCorePatient.paths.birthsex.fhirPath)
    /// ```
    public static var paths: ProfilePath<Self> { ProfilePath(PathScope(path: QueryPath(), root: Object._layout, profile: _rule.url)) }
}

extension ProfileQueryPath {
    /// A search parameter that finds resources by the path: a SearchParameter resource. Once it is stored, searches in that store understand its code.
    ///
    /// ```swift
    /// let parameter = try USCorePatient.paths.race.ombCategory.searchParameter(code: "omb-race", url: "http://example.org/SearchParameter/omb-race")
    /// try store.write { try $0.upsert(parameter) }
    /// let patients = try store.search("Patient?omb-race=2106-3")
    /// ```
    /// The type of the parameter follows from the type at the path (FHIR, Search, Search Parameter Types): a Coding gives a token, a date a date.
    ///
    /// - Parameters:
    ///   - code: the name in searches: letters, digits, hyphens and underscores.
    ///   - url: the canonical URL of the parameter.
    ///   - description: what it finds. Default: the expression.
    /// - Throws: `ProfileError` with code `notSearchable` for a code that cannot be a name, for a path to values that no type of search parameters
    ///   is for, for a path that does not start at a resource, and for a release that has no SearchParameter with an expression.
    public func searchParameter(code: String, url: String, description: String? = nil) throws -> FHIRResource {
        let scope = _scope.scope
        func failure(_ message: String) -> ProfileError {
            ProfileError(.notSearchable, message, element: scope.fhirPath, profile: scope.profile)
        }
        guard !code.isEmpty, code.utf8.allSatisfy(Self.isAllowed) else {
            throw failure("the code of a search parameter needs letters, digits, hyphens and underscores: choose another")
        }
        guard !url.isEmpty else { throw failure("a search parameter needs a URL of its own: give one") }
        guard scope.root.kind == .resource, !scope.searchExpression.isEmpty else {
            throw failure("the path does not lead from a resource to an element: begin it at `paths` of a resource's view")
        }
        guard let type = SearchParameterType.type(of: scope.typeName) else {
            throw failure("no search parameter finds values of type \(scope.typeName): continue the path to one of its elements")
        }
        guard let parameter = scope.root.release.makeResource(named: "SearchParameter"),
            let expression = parameter.layout.element(named: "expression"), let base = parameter.layout.element(named: "base")
        else { throw failure("the classes of this release have no SearchParameter with an expression: add SearchParameter to the module") }
        let text = "\(scope.root.name).\(scope.searchExpression)"
        for (name, value) in [
            ("url", url), ("name", Self.name(code)), ("status", "active"), ("description", description ?? text), ("code", code),
            ("type", type),
        ] {
            if let element = parameter.layout.element(named: name) { parameter._setString(element.slot, value) }
        }
        parameter._setString(expression.slot, text)
        if base.isList { parameter._setStrings(base.slot, [scope.root.name]) } else { parameter._setString(base.slot, scope.root.name) }
        return parameter
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The code as a name for programs, which begins with a capital letter and has no hyphens.
    private static func name(_ code: String) -> String {
        let words = code.split { $0 == "-" || $0 == "_" }
        let name = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isLetter ?? false ? name : "Parameter\(name)"
    }
}

/// The type of the search parameters for values of a type (FHIR, Search, Search Parameter Types).
enum SearchParameterType {
    static func type(of typeName: String) -> String? {
        switch typeName {
        case "boolean", "code", "id", "Coding", "CodeableConcept", "Identifier", "ContactPoint": "token"
        case "string", "markdown", "HumanName", "Address": "string"
        case "date", "dateTime", "instant", "Period", "Timing": "date"
        case "integer", "positiveInt", "unsignedInt", "decimal": "number"
        case "Quantity", "Age", "Count", "Distance", "Duration", "Money", "SimpleQuantity", "MoneyQuantity": "quantity"
        case "Reference": "reference"
        case "uri", "url", "canonical", "oid", "uuid": "uri"
        default: nil
        }
    }
}
