import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch
import FireLiteTrust
import Foundation

extension FHIRService {
    /// Answers an operation (FHIR, Operations).
    func operation(_ name: String, type: String?, id: String?, call: ServiceCall) async throws -> ServiceResponse {
        let operation = try ServiceOperation.find(named: name, type: type, id: id, in: self)
        if let registered = operation.registered { return try await self.registered(registered, type: type, id: id, call: call) }
        if operation.isWrite {
            guard call.request.method == .post else {
                throw ServiceFault(
                    405, "not-supported", "the operation changes something, so it is called by POST", fields: ["Allow": "POST"])
            }
            try requireWritable()
        }
        switch (name, type, id) {
        case ("meta-add", let type?, let id?), ("meta-delete", let type?, let id?):
            if type == "Subscription" { await subscriptions.settle(self, saves: true) }
            return try await store.writing(until: deadline) {
                let outcome = try self.write(for: call) { try $0.changeMeta(type, id, adds: name == "meta-add") }
                guard let resource = outcome.resource else { throw ServiceFault.notFound }
                guard outcome.isReadable else { return ServiceResponse(200) }
                return try ReadRun.metaAnswer(resource.stamped(version: outcome.version)).responseAfterCommit(
                    call.presentation, self.release)
            }
        case ("viewdefinition-run", nil, nil): return try await runView(call)
        case ("export", _, _): return try await export(type, id, call)
        case ("import", nil, nil): return try await bulkImport(call)
        case ("events", "Subscription"?, let id?): return try await subscriptionEvents(id, call)
        default: return try await reading(call) { try $0.operation(name, type, id) }
        }
    }

    // MARK: - Views

    /// The maximum size of the result of a view in memory: a longer one is refused.
    private static let maximumViewBytes = 256 << 20

    /// `$viewdefinition-run` (SQL on FHIR, Operation $viewdefinition-run) with the definition in the request.
    private func runView(_ call: ServiceCall) async throws -> ServiceResponse {
        guard call.request.method == .post else {
            throw ServiceFault(405, "not-supported", "the operation is called by POST with a ViewDefinition", fields: ["Allow": "POST"])
        }
        // A view can look at every type, below what hides resources.
        let isPermitted = call.access.scopes?.contains { scope in
            scope.context != .patient && scope.type == nil && scope.conditions.isEmpty
                && scope.permissions.isSuperset(of: [.read, .search])
        }
        guard isPermitted ?? true else {
            throw ServiceFault(403, "forbidden", "a view needs a token that permits to read and search everything")
        }
        let item: JSONItem
        do { item = try JSONItemReader.read(call.request.body) } catch {
            throw ServiceFault(400, "structure", "the body is not JSON (line \(error.line)): \(error.problem)")
        }
        var definition = item
        var settings: [String: String] = Dictionary(call.query.all.map { ($0.name, $0.value) }) { _, last in last }
        if item["resourceType"]?.text == "Parameters" {
            let parameters = item["parameter"]?.items ?? []
            guard let found = parameters.first(where: { $0["name"]?.text == "viewResource" })?["resource"] else {
                throw ServiceFault(400, "required", "the operation needs the parameter viewResource", at: "Parameters.parameter")
            }
            definition = found
            for parameter in parameters {
                guard let name = parameter["name"]?.text, let value = parameter.members.first(where: { $0.name.hasPrefix("value") })?.value
                else {
                    continue
                }
                settings[name] = value.text ?? value.json
            }
        }
        guard definition["resource"]?.text != "Subscription" || configuration.authorizer == nil else {
            throw ServiceFault(403, "forbidden", "a view of subscriptions would show the header fields of others")
        }
        let view = try ViewDefinition(json: Data(definition.json.utf8))
        let limit = settings["_limit"].map { Int($0) }
        if let limit, limit ?? -1 < 0 { throw ServiceFault(400, "value", "_limit is a number, 0 or more", at: "http._limit") }
        let form = try ViewForm(settings["_format"] ?? call.request.fields["Accept"])
        let hasHeader = settings["header"] != "false"
        return try await store.reading(until: deadline) {
            let data = try self.rows(of: view, form, hasHeader: hasHeader, limit: limit ?? nil)
            return ServiceResponse(200, fields: ["Content-Type": form.mediaType], body: .data(data))
        }
    }

    private struct LimitReached: Error {}

    private func rows(of view: ViewDefinition, _ form: ViewForm, hasHeader: Bool, limit: Int?) throws -> Data {
        try view.validate(for: release)
        var data = Data()
        if form == .csv, hasHeader { data += Data((view.columnNames.map(Self.csvCell).joined(separator: ",") + "\r\n").utf8) }
        if form == .json { data.append(UInt8(ascii: "[")) }
        var count = 0
        do {
            try store.forEachRow(of: view, terminology: configuration.terminology) { row in
                if let limit, count >= limit { throw LimitReached() }
                if form == .json, count > 0 { data.append(UInt8(ascii: ",")) }
                data += Data((form == .csv ? row.csv + "\r\n" : form == .json ? row.json : row.json + "\n").utf8)
                count += 1
                guard data.count <= Self.maximumViewBytes else {
                    throw ServiceFault(413, "too-costly", "the view has more rows than an answer can hold: use _limit")
                }
            }
        } catch is LimitReached {}
        if form == .json { data.append(UInt8(ascii: "]")) }
        return data
    }

    private static func csvCell(_ text: String) -> String {
        let needsQuotes = text.contains { ",\"\r\n".contains($0) }
        return needsQuotes ? "\"" + text.replacingBytes("\"", with: "\"\"") + "\"" : text
    }
}

/// The forms of a view's rows.
private enum ViewForm {
    case csv, ndjson, json

    init(_ text: String?) throws {
        switch MediaType(text ?? "*/*").name {
        case "csv", "text/csv": self = .csv
        case "ndjson", "application/ndjson", "application/x-ndjson", "application/fhir+ndjson": self = .ndjson
        case "json", "application/json", "application/fhir+json", "*/*": self = .json
        default: throw ServiceFault(406, "not-supported", "rows are text/csv, application/x-ndjson or application/json", at: "http._format")
        }
    }

    var mediaType: String {
        switch self {
        case .csv: "text/csv; charset=utf-8"
        case .ndjson: "application/x-ndjson"
        case .json: "application/json"
        }
    }
}
