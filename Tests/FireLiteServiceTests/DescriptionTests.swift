import FireLiteCore
import FireLiteReleases
import FireLiteService
import Foundation
import Testing

@Suite struct DescriptionTests {
    @Test(arguments: InteractionTests.releases) func descriptionsAreValid(_ release: String) async throws {
        let sample = try ServiceSample(release)
        let reply = await sample.get("/metadata")
        #expect(reply.status == 200)
        let resource = try FHIRJSON.resource(from: Data(reply.text.utf8), release: sample.store.release)
        let errors = resource.validate().filter { $0.severity == .error }
        #expect(errors.isEmpty, "\(errors.prefix(5))")
        #expect(reply.json?["fhirVersion"]?.text == sample.store.release.version)
        let types = reply.json?["rest"]?.items.first?["resource"]?.items.compactMap { $0["type"]?.text } ?? []
        #expect(types == sample.store.release.resourceTypeNames)
    }

    @Test func descriptionsSayWhatIsOff() async throws {
        let without = try ServiceSample("R4", history: false)
        let patient = { (reply: ServiceSample.Reply) in
            reply.json?["rest"]?.items.first?["resource"]?.items.first { $0["type"]?.text == "Patient" }
        }
        let reply = await without.get("/metadata")
        let codes = patient(reply)?["interaction"]?.items.compactMap { $0["code"]?.text } ?? []
        #expect(codes.contains("read") && codes.contains("create") && !codes.contains("history-instance"))
        let reading = try ServiceSample("R4") { $0.isReadOnly = true }
        let fewer = patient(await reading.get("/metadata"))?["interaction"]?.items.compactMap { $0["code"]?.text } ?? []
        #expect(!fewer.contains("create") && fewer.contains("history-instance"))
        #expect(await reading.send(.post, "/Patient", #"{"resourceType":"Patient"}"#).status == 405)
        #expect(await reading.send(.delete, "/Patient/a").status == 405)
    }

    @Test func everyListedParameterOfASearchIsUnderstood() async throws {
        let sample = try ServiceSample()
        let reply = await sample.get("/metadata")
        let types = reply.json?["rest"]?.items.first?["resource"]?.items ?? []
        var count = 0
        for type in types {
            guard let name = type["type"]?.text, ["Patient", "Observation", "Condition", "Encounter", "MedicationRequest"].contains(name)
            else { continue }
            for parameter in type["searchParam"]?.items ?? [] {
                guard let code = parameter["name"]?.text, parameter["type"]?.text != "special" else { continue }
                let found = await sample.get("/\(name)?\(code):missing=true", ["Prefer": "handling=strict"])
                #expect(found.status == 200 || parameter["type"]?.text == "composite", "\(name).\(code): \(found.text)")
                count += 1
            }
        }
        #expect(count > 100)
    }

    @Test func theInterfaceIsAnOpenAPIDocument() async throws {
        let sample = try ServiceSample()
        let reply = await sample.get("/openapi.json")
        #expect(reply.status == 200 && reply.json?["openapi"]?.text == "3.0.3" && reply.json?["paths"]?["/{type}/{id}"]?["get"] != nil)
    }
}
