import FireLite
import FireLiteCore
import Foundation

extension ReadRun {
    /// The interface as an OpenAPI document (<https://spec.openapis.org/oas/v3.0.3>), for clients that are generated and tests.
    func openAPI() throws -> Answer {
        let facts = try DescriptionFacts(self)
        let text = service.descriptions.text("openapi \(facts.key)") { OpenAPIDocument(self, facts).json }.text
        return Answer(200, .raw(Data(text.utf8), "application/json"))
    }
}

private struct OpenAPIDocument {
    private let run: ReadRun
    private let facts: DescriptionFacts

    init(_ run: ReadRun, _ facts: DescriptionFacts) {
        self.run = run
        self.facts = facts
    }

    private var mediaType: String { ContentFormat.json.mediaType(run.release) }

    var json: String {
        let document = JSONItem.object([
            "openapi": .string("3.0.3"),
            "info": .object([
                "title": .string("\(run.service.configuration.name), FHIR \(run.release.name)"), "version": .string(FireLiteBuild.version),
            ]), "servers": .array([.object(["url": .string(run.service.base)])]), "paths": paths,
            "components": .object([
                "schemas": .object([
                    "Resource": .object([
                        "type": .string("object"), "required": .array([.string("resourceType")]),
                        "properties": .object(["resourceType": .object(["type": .string("string")])]),
                    ])
                ]),
                "securitySchemes": run.service.configuration.authorizer == nil
                    ? nil : .object(["bearer": .object(["type": .string("http"), "scheme": .string("bearer")])]),
            ]),
            "security": run.service.configuration.authorizer == nil ? nil : .array([.object(["bearer": .array([])])]),
        ])
        return document.json
    }

    // MARK: - Paths

    private static let types = "#/components/schemas/Resource"

    private func path(_ name: String, _ values: [String]? = nil) -> JSONItem {
        parameter(
            name, in: "path", .object(["type": .string("string"), "enum": values.map { .array($0.map { .string($0) }) }]), isRequired: true)
    }

    private func parameter(_ name: String, in place: String, _ schema: JSONItem, isRequired: Bool = false) -> JSONItem {
        .object(["name": .string(name), "in": .string(place), "required": .bool(isRequired), "schema": schema])
    }

    private func query(_ name: String, _ type: String = "string") -> JSONItem {
        parameter(name, in: "query", .object(["type": .string(type)]))
    }

    private var id: JSONItem {
        parameter("id", in: "path", .object(["type": .string("string"), "pattern": .string("^[A-Za-z0-9.-]{1,64}$")]), isRequired: true)
    }

    private var resource: JSONItem { .object(["schema": .object(["$ref": .string(Self.types)])]) }

    private var answers: JSONItem {
        let content = JSONItem.object([.init(name: mediaType, value: resource)])
        return .object(["default": .object(["description": .string("A resource, or an OperationOutcome."), "content": content])])
    }

    private func operation(_ summary: String, _ parameters: [JSONItem], body type: String? = nil) -> JSONItem {
        .object([
            "summary": .string(summary), "parameters": .array(parameters),
            "requestBody": type.map { .object(["required": .bool(true), "content": .object([.init(name: $0, value: resource)])]) },
            "responses": answers,
        ])
    }

    private var paths: JSONItem {
        let types = path("type", run.release.resourceTypeNames)
        let search = [
            query("_id"), query("_lastUpdated"), query("_count", "integer"), query("_sort"), query("_summary"), query("_elements"),
        ]
        let history = [query("_since"), query("_count", "integer")]
        let canWrite = !facts.isReadOnly
        let patch = run.service.hasPatch && canWrite ? operation("patch", [types, id], body: "application/json-patch+json") : nil
        return .object([
            "/metadata": .object(["get": operation("capabilities", [])]),
            "/": .object([
                "get": operation("search-system", [query("_type")] + search),
                "post": operation("batch or transaction", [], body: mediaType),
            ]),
            "/_history": .object(["get": operation("history-system", history)]),
            "/{type}": .object([
                "get": operation("search-type", [types] + search), "post": canWrite ? operation("create", [types], body: mediaType) : nil,
            ]),
            "/{type}/_history": .object(["get": operation("history-type", [types] + history)]),
            "/{type}/{id}": .object([
                "get": operation("read", [types, id]), "put": canWrite ? operation("update", [types, id], body: mediaType) : nil,
                "patch": patch,
                "delete": canWrite ? operation("delete", [types, id]) : nil,
            ]),
            "/{type}/{id}/_history": .object(["get": operation("history-instance", [types, id] + history)]),
            "/{type}/{id}/_history/{version}": .object(["get": operation("vread", [types, id, path("version")])]),
            "/{type}/$validate": .object(["post": operation("validate", [types], body: mediaType)]),
            "/{type}/{id}/$meta": .object(["get": operation("meta", [types, id])]),
            "/Patient/{id}/$everything": .object(["get": operation("everything", [id, query("_count", "integer"), query("_since")])]),
            "/Observation/$lastn": .object(["get": operation("lastn", [query("patient"), query("max", "integer")])]),
        ])
    }
}
