import FireLiteCore
import FireLiteReleases
import FireLiteService
import Foundation
import Testing

/// A service over a store in memory, and short forms of requests.
struct ServiceSample {
    let service: FHIRService
    let store: FHIRStore
    static let base = "http://example.org/fhir"

    init(
        _ release: String = "R4", history: Bool = true, _ json: String..., configure: (inout FHIRService.Configuration) -> Void = { _ in }
    ) throws {
        store = try FHIRStore.inMemory(release: try #require(BundledRelease.named(release)).release)
        if history { try store.track(.history) }
        var configuration = FHIRService.Configuration()
        configuration.base = Self.base
        configuration.timeZone = .gmt
        configure(&configuration)
        service = try FHIRService(store: store, configuration: configuration)
        let release = store.release
        try store.write { tx in for text in json { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: release)) } }
    }

    /// A sample of a service over any store.
    init(_ service: FHIRService) {
        self.service = service
        store = service.store
    }

    /// The same store without the limits of this sample's service: the connections are those of the store.
    func unlimited() throws -> ServiceSample {
        var configuration = FHIRService.Configuration()
        configuration.base = Self.base
        return ServiceSample(try FHIRService(store: store, configuration: configuration))
    }

    /// Sends a request.
    func send(_ method: HTTPMethod, _ path: String, _ body: String = "", _ fields: HTTPFields = [:]) async -> Reply {
        var fields = fields
        if !body.isEmpty, fields["Content-Type"] == nil { fields["Content-Type"] = "application/fhir+json" }
        let response = await service.respond(to: ServiceRequest(method, "/fhir" + path, fields: fields, body: Data(body.utf8)))
        return await Reply(response)
    }

    func get(_ path: String, _ fields: HTTPFields = [:]) async -> Reply { await send(.get, path, "", fields) }

    /// An answer.
    struct Reply {
        let status: Int
        let fields: HTTPFields
        let text: String
        let json: JSONItem?

        init(_ response: ServiceResponse) async {
            status = response.status
            fields = response.fields
            text = String(decoding: (try? await response.data()) ?? Data(), as: UTF8.self)
            json = try? JSONItemReader.read(Data(text.utf8))
        }

        var entries: [JSONItem] { json?["entry"]?.items ?? [] }
        /// The ids of the resources in a Bundle.
        var ids: [String] { entries.compactMap { $0["resource"]?["id"]?.text } }
        var id: String { json?["id"]?.text ?? "" }
        var version: String { json?["meta"]?["versionId"]?.text ?? "" }
        /// The code of the first issue of an OperationOutcome.
        var issue: String? { json?["resourceType"]?.text == "OperationOutcome" ? json?["issue"]?.items.first?["code"]?.text : nil }

        func link(_ relation: String) -> String? {
            json?["link"]?.items.first { $0["relation"]?.text == relation }?["url"]?.text.map {
                $0.replacing("http://example.org/fhir", with: "")
            }
        }
    }
}
