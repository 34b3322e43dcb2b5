import FireLite
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteBrowser
@testable import FireLiteSync
@testable import FireLiteTrust

/// Who changed, signed and sent a resource.
@Suite struct TrailTests {
    private static let patient = #"{"resourceType":"Patient","id":"1","name":[{"family":"Chalmers"}]}"#
    private static let changed = #"{"resourceType":"Patient","id":"1","name":[{"family":"Windsor"}]}"#
    private static let server = "https://fhir.example.org/r4"

    private func sample() throws -> BrowserSample { try BrowserSample("R4", history: true) }

    private func trail(_ sample: BrowserSample, _ type: String = "Patient", _ id: String = "1") async -> (margin: String, page: String) {
        let margin = await sample.get("/browse/\(type)/\(id)").text
        let page = await sample.get("/browse/\(type)/\(id)/trail").text
        for text in [margin, page] { #expect(PageRules.faults(text).isEmpty, "\(PageRules.faults(text).prefix(3))") }
        let card = margin.components(separatedBy: "<h2>Trail</h2>").dropFirst().first?.components(separatedBy: "</section>").first ?? ""
        return (card, page)
    }

    @Test func theAuditSaysWhoMadeAVersionAndProvesIt() async throws {
        let sample = try sample()
        let key = try PrivateKey()
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: key), party: AuditParty("nurse <b>", purpose: "TREAT"))
        try sample.add(Self.patient)
        try sample.add(Self.changed)
        let (margin, page) = await trail(sample)
        #expect(margin.contains("by nurse &lt;b&gt;, for TREAT") && margin.contains("proven by the trail"))
        #expect(page.components(separatedBy: "nurse &lt;b&gt;, for TREAT</td>").count == 3)
        #expect(page.contains("What is stored is what entry 2 recorded."))
    }

    @Test func aChangePastTheAuditIsNoted() async throws {
        let sample = try sample()
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        try sample.add(Self.patient)
        sample.store.stopAudit()
        try sample.add(Self.changed)
        let (margin, page) = await trail(sample)
        #expect(!margin.contains("proven") && margin.contains("past the audit"))
        #expect(page.contains("past the audit"))
        // The version that nobody recorded came from here, by the log.
        #expect(margin.contains("by this device or app"))
    }

    @Test func aTrailOfUnknownKeysProvesNothing() async throws {
        let sample = try sample()
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        try sample.add(Self.patient)
        #expect(await trail(sample).margin.contains("proven by the trail"))
        try await sample.store.write { tx in _ = try tx.run(on: TrustTables.module, "DELETE FROM _trust_key") }
        #expect(!(await trail(sample).margin.contains("proven")))
    }

    @Test func aSignatureHoldsForWhatWasSigned() async throws {
        let sample = try sample()
        let signer = SigningIdentity(id: "dr", key: try PrivateKey())
        try sample.add(Self.patient)
        try await sample.store.write { tx in
            try tx.setIdentity(
                Identity(id: "dr", name: "Dr <i>Who</i>", keys: [.init(signer.key.publicKey, from: Date(timeIntervalSince1970: 0))]))
            guard let patient = try tx.resource(typeName: "Patient", id: "1") else { return }
            try tx.sign(patient, by: signer)
        }
        let signed = await trail(sample)
        #expect(signed.margin.contains("holds</span>, by Dr &lt;i&gt;Who&lt;/i&gt;"))
        #expect(signed.page.contains("/browse/Provenance/signature-"))
        try sample.add(Self.changed)
        let broken = await trail(sample)
        #expect(broken.margin.contains("does not hold") && !broken.margin.contains("holds</span>, by"))
        #expect(broken.page.contains("The content has changed since"))
    }

    @Test func otherProvenancesAreListedAsWhatTheyAre() async throws {
        let sample = try sample()
        try sample.add(Self.patient)
        func provenance(_ id: String, _ signature: String) -> String {
            #"{"resourceType":"Provenance","id":"\#(id)","target":[{"reference":"Patient/1"}],"recorded":"2020-05-01T09:00:00Z","agent":[{"who":{"display":"Clerk"}}]\#(signature)}"#
        }
        try sample.add(provenance("plain", ""))
        try sample.add(
            provenance(
                "image",
                #","signature":[{"type":[{"code":"x"}],"when":"2020-05-01T09:00:00Z","who":{"display":"x"},"sigFormat":"image/png","data":"AAAA"}]"#
            ))
        let page = await trail(sample).page
        #expect(
            page.contains("a Provenance without signature") && page.contains("in a form that is not verified here")
                && page.contains("Clerk"))
    }

    @Test func whatWaitsToBeSentIsShown() async throws {
        let sample = try sample()
        try sample.add(Self.patient)
        let release = sample.store.release
        try await sample.store.write { tx in
            let patient = try FHIRJSON.resource(from: Data(Self.patient.utf8), release: release)
            try tx.enqueue(.update(patient), for: try #require(URL(string: Self.server)))
            try tx.enqueue(FHIRRequest(.delete, "Patient/11"), for: try #require(URL(string: Self.server)))
        }
        let (margin, page) = await trail(sample)
        #expect(margin.contains("PUT waiting") && !margin.contains("DELETE"))
        #expect(page.contains("to \(Self.server)"))
    }

    @Test func theStateWithAServerFollowsTheLog() async throws {
        let sample = try sample()
        try sample.add(Self.patient)
        func journal(_ body: @escaping @Sendable (SyncJournal) throws -> Void) async throws {
            try await sample.store.write { tx in
                try body(SyncJournal(tx, base: Self.server, Synchronizer.Configuration(), now: Date(timeIntervalSince1970: 0)))
            }
        }
        try await journal { try $0.begin() }
        #expect(await trail(sample).margin.contains("not sent yet"))
        let key = SyncKey(typeName: "Patient", id: "1")
        try await journal { journal in
            try journal.removeChanges(of: key)
            try journal.remember(key, version: "7")
        }
        let synced = await trail(sample)
        #expect(synced.margin.contains("the same as at the server, version 7") && synced.page.contains(Self.server))
        // The log has a change that the list of changes does not contain yet.
        try sample.add(Self.changed)
        #expect(await trail(sample).margin.contains("not sent yet, the server has version 7"))
    }

    @Test func aDeletedResourceHasATrail() async throws {
        let sample = try sample()
        try sample.add(Self.patient)
        try sample.remove("Patient", "1")
        let reply = await sample.get("/browse/Patient/1/trail")
        #expect(reply.status == 200 && reply.text.contains("deleted") && PageRules.faults(reply.text).isEmpty)
        #expect(await sample.get("/browse/Patient/2/trail").status == 404)
    }

    @Test func withoutTimeThePageSaysSoAndTakesItWhenAsked() async throws {
        let sample = try BrowserSample("R4", history: true) { $0.countingTime = .zero }
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        try sample.add(Self.patient)
        let short = await sample.get("/browse/Patient/1/trail").text
        #expect(short.contains("takes longer than a page may") && short.contains("~all=1") && !short.contains("What is stored is what"))
        let long = await sample.get("/browse/Patient/1/trail?~all=1").text
        #expect(!long.contains("takes longer than a page may") && long.contains("What is stored is what entry 1 recorded."))
    }

    @Test func readingTheTrailChangesNothing() async throws {
        let sample = try sample()
        try await sample.store.startAudit(by: SigningIdentity(id: "device", key: PrivateKey()))
        try sample.add(Self.patient)
        let rows = {
            try sample.store.blocking { try $0.sql("SELECT (SELECT count(*) FROM _audit), (SELECT count(*) FROM _change)").map(\.values) }
        }
        let before = try rows()
        _ = await trail(sample)
        #expect(try rows() == before)
    }
}
