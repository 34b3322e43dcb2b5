import FireLite
import FireLiteClient
import FireLiteCore
import FireLiteSearch

extension ReadRun {
    /// Summaries of care (CCD), which count if no type of document is asked for (US Core, Operation $docref).
    private static let summaries = "http://loinc.org|34133-9"

    /// `$docref` (US Core, Operation $docref): the references to documents of a patient, by type and by the time that they are about; without a time the
    /// latest. It makes no documents on demand.
    func documentReferences() throws -> Answer {
        try call.require(.search, "DocumentReference")
        let items = try parameters()
        // A search ignores a parameter without a value, and would find everybody's documents.
        guard let patient = items.last("patient"), !patient.isEmpty else {
            throw ServiceFault(400, "required", "$docref needs the parameter patient", at: "http.patient")
        }
        var request = SearchRequest(type: "DocumentReference").where("patient", patient)
        request = request.where("type", try typeParameter() ?? items.last("type").flatMap { $0.isEmpty ? nil : $0 } ?? Self.summaries)
        for (name, comparator) in [("start", "ge"), ("end", "le")] {
            guard let text = items.last(name) else { continue }
            guard FHIRDateTime(text.replacingBytes(" ", with: "+")) != nil else {
                throw ServiceFault(400, "value", "the value is a date or a time", at: "http.\(name)")
            }
            request = request.where("period", comparator + text.replacingBytes(" ", with: "+"))
        }
        for profile in items.values("profile") { request = request.where("_profile", profile) }
        request = request.sort("-date")
        guard items.last("start") == nil, items.last("end") == nil else { return try bundle(of: request, items) }
        let latest = try seen(.search) { try transaction.search(request.count(1), options: options(items)) }
        // The page that follows is of no interest.
        let page = SearchResult(
            request, release: release, matches: latest.matches, included: [], total: latest.matches.count, base: service.base)
        return Answer(
            200, .json(try page.bundleJSON(noteBytes: size.add) { try transaction.whole($0).stamped(version: FHIRStore.revision(of: $0)) }))
    }

    /// The parameter `type` of a body: a Coding or a CodeableConcept, of which the first coding counts.
    private func typeParameter() throws -> String? {
        guard call.request.method == .post, !call.request.body.isEmpty else { return nil }
        let body = try ContentReader(service: service).resource(of: call.request)
        guard let parameter = body.children("parameter").first(where: { $0.text("name") == "type" }) else { return nil }
        let coding = parameter.child("valueCoding") ?? parameter.child("valueCodeableConcept")?.children("coding").first
        guard let code = coding?.text("code") else { return nil }
        return (coding?.text("system").map { $0 + "|" } ?? "") + code
    }
}
