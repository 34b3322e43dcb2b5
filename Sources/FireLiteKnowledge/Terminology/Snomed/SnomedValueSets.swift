import FireLiteCore
import Foundation

extension TableCodeSystem: ImplicitValueSets {
    /// The value sets that URLs of SNOMED CT and LOINC mean (FHIR, Using SNOMED CT with HL7 Standards: implicit value sets; Using LOINC).
    func implicitValueSet(_ url: String) throws -> JSONItem? {
        switch kind {
        case "snomed": try snomedValueSet(url)
        case "loinc": try loincValueSet(url)
        default: nil
        }
    }

    private func snomedValueSet(_ url: String) throws -> JSONItem? {
        guard let mark = url.firstIndex(of: "?"), url[mark...].hasPrefix("?fhir_vs") else { return nil }
        let edition = String(url[..<mark])
        guard edition == SnomedCode.url || edition == version || version?.hasPrefix(edition + "/version/") == true else { return nil }
        let rest = url[mark...].dropFirst("?fhir_vs".count)
        let filter: (property: String, operation: String, value: String)?
        if rest.isEmpty {
            filter = nil
        } else if rest == "=refset" {
            filter = ("refset", "exists", "true")
        } else if rest.hasPrefix("=isa/") {
            filter = ("concept", "is-a", String(rest.dropFirst(5)))
        } else if rest.hasPrefix("=refset/") {
            filter = ("concept", "in", String(rest.dropFirst(8)))
        } else if rest.hasPrefix("=ecl/") {
            let text = String(rest.dropFirst(5))
            filter = ("constraint", "=", text.removingPercentEncoding ?? text)
        } else {
            return nil
        }
        // A value set about a concept that is not there is unknown, and not empty.
        if let filter, filter.property == "concept", try concept(filter.value) == nil { return nil }
        return valueSet(url, version: edition == SnomedCode.url ? nil : edition, filter)
    }

    private func loincValueSet(_ url: String) throws -> JSONItem? {
        guard url.hasPrefix("http://loinc.org/vs") else { return nil }
        let rest = url.dropFirst("http://loinc.org/vs".count)
        if rest.isEmpty { return valueSet(url, version: nil, nil) }
        guard rest.hasPrefix("/"), try concept(String(rest.dropFirst())) != nil else { return nil }
        let code = String(rest.dropFirst())
        return valueSet(url, version: nil, code.hasPrefix("LL") ? ("LIST", "=", code) : ("concept", "is-a", code))
    }

    private func valueSet(_ url: String, version: String?, _ filter: (property: String, operation: String, value: String)?) -> JSONItem {
        let filters: JSONItem? = filter.map {
            .array([.object(["property": .string($0.property), "op": .string($0.operation), "value": .string($0.value)])])
        }
        let include = JSONItem.object(["system": .string(self.url), "version": version.map { .string($0) }, "filter": filters])
        return .object([
            "resourceType": .string("ValueSet"), "url": .string(url), "status": .string("active"),
            "compose": .object(["include": .array([include])]),
        ])
    }
}
