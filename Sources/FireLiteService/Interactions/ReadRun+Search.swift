import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import Foundation

extension ReadRun {
    /// `search` by GET and POST, of the system, a type or a compartment (FHIR, Search).
    ///
    /// - Parameter form: whether parameters are in the body, too.
    func search(_ type: String?, in compartment: SearchRequest.Compartment? = nil, form: Bool = false) throws -> Answer {
        try call.require(.search, type)
        var items = call.query
        if form { items.append(try formItems()) }
        var request = SearchRequest(type: type, in: compartment)
        for item in items.all { request = request.where(item.name, item.value) }
        return try bundle(of: request, items)
    }

    /// The parameters in a form.
    private func formItems() throws -> QueryItems {
        let body = call.request.body
        guard !body.isEmpty else { return QueryItems() }
        guard MediaType(call.request.fields["Content-Type"] ?? "").name == MediaType.form else {
            throw ServiceFault(415, "not-supported", "the body of a search is \(MediaType.form)", at: "http.Content-Type")
        }
        guard let text = String(data: body, encoding: .utf8) else { throw ServiceFault(400, "invalid", "the body is not UTF-8") }
        return try QueryItems(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// The options of a search.
    func options(_ items: QueryItems) -> SearchOptions {
        let limits = service.configuration.limits
        var options = SearchOptions()
        options.handling = call.presentation.handling ?? .lenient
        options.timeZone = service.configuration.timeZone
        options.now = call.now
        options.pageSize = limits.pageSize
        options.maximumIncluded = limits.included
        options.base = service.base
        options.codesInValueSet = service.configuration.codesInValueSet
        options.relatedCodes = service.configuration.relatedCodes
        return options
    }

    /// A page of the results of a search.
    func bundle(of request: SearchRequest, _ items: QueryItems, permission: SMARTScope.Permission = .search) throws -> Answer {
        let maximum = service.configuration.limits.maximumPageSize
        var limited = SearchRequest(type: request.type, in: request.compartment)
        if request.isEverything, let compartment = request.compartment { limited = SearchRequest(everythingOf: compartment) }
        for parameter in request.parameters {
            let isTooLong = parameter.name == "_count" && Int(parameter.value).map { $0 > maximum } ?? false
            limited = limited.where(parameter.name, isTooLong ? String(maximum) : parameter.value)
        }
        if call.presentation.format == .json, !call.presentation.isPretty, let page = try page(of: limited, items, permission),
            let json = try bundle(page)
        {
            return Answer(200, .bytes(json))
        }
        let result = try seen(permission) { try transaction.search(limited, options: options(items)) }
        // A part of a resource does not know its version any more.
        var versions: [String: Int64] = [:]
        for resource in result.stored { versions[Self.key(resource)] = FHIRStore.revision(of: resource) }
        let json = try result.bundleJSON(noteBytes: size.add) { resource in
            try transaction.checkCancellation()
            return try shown(resource, version: versions[Self.key(resource)])
        }
        return Answer(200, .json(json))
    }

    /// The matches of a search; nil if they are not all that its answer has.
    ///
    /// A client that sees everything and asks again what was asked before gets the same matches as long as nothing was committed, which SQLite says.
    private func page(of request: SearchRequest, _ items: QueryItems, _ permission: SMARTScope.Permission) throws -> MatchPage? {
        let options = options(items)
        let (size, address) = (service.configuration.limits.pageSize, request.address)
        guard call.access.scopes == nil, transaction.hasOnlyRows, size <= Self.longestRemembered,
            address.utf8.count <= Self.longestAddress, Self.isMemorable(request)
        else {
            return try seen(permission) { try transaction.matchPage(request, options: options) }
        }
        // Several services can answer for one store.
        let key = "search \(options.handling) \(size) \(options.timeZone.identifier) \(service.base) \(address)"
        return try transaction.remembered(key) { try transaction.matchPage(request, options: options) }
    }

    /// Whether a search is worth to be remembered: its page is short, and its matches depend on the file alone, not on the time, as with `ap`, nor on
    /// a terminology, as with modifiers.
    private static func isMemorable(_ request: SearchRequest) -> Bool {
        request.parameters.allSatisfy { parameter in
            !parameter.value.contains("ap") && !parameter.name.utf8.contains(UInt8(ascii: ":")) && parameter.name != "_filter"
                && (parameter.name != "_count" || Int(parameter.value).map { $0 <= longestRemembered } ?? false)
        }
    }

    /// The matches of a page that is remembered.
    private static let longestRemembered = 100
    /// The longest address of a search that is remembered, in bytes: a form may have many megabytes.
    private static let longestAddress = 1_000

    static func key(_ resource: FHIRResource) -> String { "\(resource.resourceType)/\(resource.id ?? "")" }
}
