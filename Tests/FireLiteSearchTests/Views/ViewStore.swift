import FireLiteR4
import FireLiteSearch
import Foundation
import TestSupport

/// Stores and rows for tests of views.
enum ViewStore {
    /// A store with resources, as JSON.
    static func store(_ resources: [String]) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { transaction in
            for json in resources { try transaction.add(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
        }
        return store
    }

    /// The same in a file, whose views are made on some cores however small it is.
    static func store(_ resources: [String], at path: String, cores: Int) throws -> FHIRStore {
        var configuration = FHIRStore.Configuration()
        (configuration.maximumCores, configuration.bytesForMoreCores) = (cores, 0)
        let store = try FHIRStore(path: path, release: .r4, configuration: configuration)
        try store.write { transaction in
            for json in resources { try transaction.add(FHIRJSON.resource(from: Data(json.utf8), release: .r4)) }
        }
        return store
    }

    /// Resources with everything that is stored in two columns or in tables of its own.
    static let tricky = [
        #"{"resourceType":"Patient","id":"a","active":true,"gender":"male","birthDate":"1970-01","_birthDate":{"extension":[{"url":"x","valueString":"y"}]},"deceasedDateTime":"2020-02-03T04:05:06.789-03:30","name":[{"use":"official","family":"O'Hara","given":["A","B"]},{"given":["C"]},{"use":"old","family":"Old"}],"telecom":[{"system":"phone","value":"1","rank":2},{"system":"email","value":"e"},{"system":"phone","value":"2"}],"address":[{"line":["l1","l2"],"city":"c"}],"contact":[{"name":{"family":"K","given":["X","Y"]},"telecom":[{"system":"phone","value":"3"},{"value":"4"}]},{"gender":"other"}],"maritalStatus":{"coding":[{"system":"s","code":"M"}]},"managingOrganization":{"reference":"Organization/o1"}}"#,
        ##"{"resourceType":"Patient","id":"b","active":false,"deceasedBoolean":true,"name":[{"family":"B","given":[null,"Z"],"_given":[{"extension":[{"url":"u","valueCode":"n"}]},null]}],"extension":[{"url":"http://x/sex","valueCode":"F"},{"url":"http://x/race","extension":[{"url":"text","valueString":"t"}]}],"contained":[{"resourceType":"Patient","id":"in","name":[{"family":"Inner"}]}],"maritalStatus":{"text":"only text"},"link":[{"other":{"reference":"http://h/fhir/Patient/a/_history/3"},"type":"refer"},{"other":{"reference":"#in"},"type":"seealso"}]}"##,
        #"{"resourceType":"Patient","deceasedBoolean":false}"#,
        #"{"resourceType":"Observation","id":"1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart"},{"code":"second"}],"text":"t"},"subject":{"reference":"Patient/a"},"effectiveDateTime":"2015-02-07T13:28:17.239+02:00","issued":"2015-02-07T13:28:17Z","valueQuantity":{"value":1.50,"unit":"mg","code":"mg"},"category":[{"coding":[{"code":"vital"}]},{"text":"x"}]}"#,
        #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"only"},"subject":{"reference":"urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7"},"effectivePeriod":{"start":"2015","end":"2016-02-01T00:00:00+00:00"},"valueQuantity":{"value":1e3},"component":[{"code":{"text":"c"},"valueQuantity":{"value":0.1234567890123456789}},{"code":{"text":"d"},"valueString":"s"}]}"#,
        #"{"resourceType":"Observation","id":"3","status":"amended","code":{"coding":[{"code":"8867-4"}]},"subject":{"reference":"https://e.org/a/b/Patient/9"},"valueString":"v","effectiveInstant":"2015-12-31T23:59:59.123456+14:00","valueInteger":3}"#
            .replacing(#","valueInteger":3"#, with: ""),
        #"{"resourceType":"Observation","id":"4","status":"final","code":{"coding":[{"code":"x"}]},"subject":{"reference":"Patient?identifier=1"},"valueBoolean":true}"#,
        #"{"resourceType":"Observation","id":"5","status":"final","code":{"coding":[{"code":"x"}]},"subject":{"reference":"Patient/bad id"},"valueInteger":42,"effectiveDateTime":"0001-01-01T00:00:00+10:00"}"#,
    ]

    /// The rows before what is wrong with the view, and that.
    static func rowsAndError(_ view: ViewDefinition, _ store: FHIRStore, by backEnd: ViewBackEnd) throws -> (
        rows: [ViewRow], error: ViewError?
    ) {
        var rows: [ViewRow] = []
        do {
            try store.forEachRow(of: view, by: backEnd) { rows.append($0) }
            return (rows, nil)
        } catch let error as ViewError {
            return (rows, error)
        }
    }

    /// The rows, or what is wrong with the view.
    static func rows(_ view: ViewDefinition, _ store: FHIRStore, by backEnd: ViewBackEnd) throws -> Result<[ViewRow], ViewError> {
        var rows: [ViewRow] = []
        do {
            try store.forEachRow(of: view, by: backEnd) { rows.append($0) }
            return .success(rows)
        } catch let error as ViewError {
            return .failure(error)
        }
    }
}
