import FireLite
import FireLiteR4
import FireLiteSearch
import Foundation
import Testing

/// A case for each rule of FHIR search.
@Suite struct SearchRulesTests {
    /// A store with resources in JSON.
    private func store(_ json: String...) throws -> FHIRStore {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in for text in json { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) } }
        return store
    }

    private func options(_ zone: String = "GMT") throws -> SearchOptions {
        var options = SearchOptions()
        options.timeZone = try #require(TimeZone(identifier: zone))
        options.handling = .strict
        return options
    }

    private func ids(_ store: FHIRStore, _ search: String, zone: String = "GMT") throws -> [String] {
        try store.search(search, options: options(zone)).matches.compactMap(\.id)
    }

    private func patients() throws -> FHIRStore {
        try store(
            #"""
            {"resourceType":"Patient","id":"1","active":true,"gender":"male","birthDate":"1970-03-30","deceasedBoolean":false,
             "name":[{"use":"official","family":"Müller","given":["Peter","James"]},{"use":"usual","given":["Jim"]}],
             "telecom":[{"system":"phone","value":"555-1"},{"system":"email","value":"p@example.org"}],
             "identifier":[{"system":"urn:a","value":"12","type":{"coding":[{"system":"urn:types","code":"MR"}]}},{"value":"99"}],
             "managingOrganization":{"reference":"Organization/o1","display":"Good Health"},
             "meta":{"lastUpdated":"2024-01-02T03:04:05Z","tag":[{"system":"urn:tags","code":"a"}],"profile":["http://example.org/p/one"]}}
            """#,
            #"""
            {"resourceType":"Patient","id":"2","gender":"female","birthDate":"1980","deceasedDateTime":"2020-01-01",
             "name":[{"family":"Petersen","given":["Ann,Marie"]}],"telecom":[{"system":"phone","value":"p@example.org"}],
             "identifier":[{"system":"urn:b","value":"12"}],"generalPractitioner":[{"reference":"Practitioner/d1"}]}
            """#,
            #"{"resourceType":"Patient","id":"3","name":[{"text":"Zoë Example"}],"link":[{"type":"seealso","other":{"reference":"Patient/1"}}]}"#,
            #"{"resourceType":"Organization","id":"o1","name":"Good Health Clinic","partOf":{"reference":"Organization/o2"}}"#,
            #"{"resourceType":"Organization","id":"o2","name":"Holding"}"#,
            #"{"resourceType":"Practitioner","id":"d1","name":[{"family":"Kim"}]}"#)
    }

    // MARK: - Strings

    @Test func stringsIgnoreCaseAndAccentsAndMatchTheBeginning() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?name=peter") == ["1", "2"])
        #expect(try ids(store, "Patient?family=MULL") == ["1"])
        #expect(try ids(store, "Patient?name=zoe") == ["3"])
        #expect(try ids(store, "Patient?family=uller") == [])
        #expect(try ids(store, "Patient?family:contains=ULLER") == ["1"])
        #expect(try ids(store, "Patient?family:exact=Müller") == ["1"])
        #expect(try ids(store, "Patient?family:exact=müller") == [])
    }

    @Test func stringsFindTheSameWithAnIndex() throws {
        let store = try patients()
        let searches = ["name=peter", "family=MULL", "family=müll", "name=zoe", "name=ö", "name=Jim", "name=j,k", "name=x", "given=ann"]
        let before = try searches.map { try ids(store, "Patient?" + $0) }
        let indexes = try store.createIndexes(forSearch: ["Patient.name", "Patient.family", "Patient.given"])
        #expect(indexes.contains { $0.name == "Patient_name__family__caseless" && $0.isBuilt && $0.kind == .caseless })
        #expect(try searches.map { try ids(store, "Patient?" + $0) } == before)
        let explanation = try store.explainSearch("Patient?name=peter")
        #expect(explanation.indexes.contains("Patient_name__family__caseless") && explanation.missing.isEmpty)
        #expect(explanation.statements[0].plan.contains("Patient_name__family__caseless"))
        #expect(try store.explainSearch("Patient?birthdate=1970").missing == ["Patient.birthdate"])
        #expect(try store.check().isEmpty)
    }

    @Test func backslashesEscapeSeparators() throws {
        let store = try patients()
        #expect(try ids(store, #"Patient?given=Ann\,Marie"#) == ["2"])
        #expect(try ids(store, "Patient?given=Ann%5C,Marie") == ["2"])
        #expect(try ids(store, "Patient?given:exact=Ann,Jim") == ["1"])
        #expect(SearchRequest.escaped(#"a,b|c$d\e"#) == #"a\,b\|c\$d\\e"#)
        let request = SearchRequest(type: "Patient").where("given", SearchRequest.escaped("Ann,Marie"))
        #expect(try store.search(request).matches.compactMap(\.id) == ["2"])
    }

    @Test func repeatedParametersAreAndCommasAreOr() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?given=peter&given=jim") == ["1"])
        #expect(try ids(store, "Patient?given=peter&given=ann") == [])
        #expect(try ids(store, "Patient?gender=male,female") == ["1", "2"])
        let sql = try store.explainSearch("Patient?gender=" + (0..<100).map { "g\($0)" }.joined(separator: ",")).statements[0].sql
        #expect(sql.contains(" IN (") && !sql.contains(" OR "))
    }

    // MARK: - Tokens

    @Test func tokensHaveSystemsAndCodes() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?identifier=12") == ["1", "2"])
        #expect(try ids(store, "Patient?identifier=urn:a|12") == ["1"])
        #expect(try ids(store, "Patient?identifier=|99") == ["1"])
        #expect(try ids(store, "Patient?identifier=|12") == [])
        #expect(try ids(store, "Patient?identifier=urn:b|") == ["2"])
        #expect(try ids(store, "Patient?identifier=urn:a|12,urn:b|12") == ["1", "2"])
        #expect(try ids(store, "Patient?identifier:of-type=urn:types|MR|12") == ["1"])
        #expect(try ids(store, "Patient?active=true") == ["1"])
        #expect(try ids(store, "Patient?gender:not=male") == ["2", "3"])
        #expect(try ids(store, "Patient?gender:missing=true") == ["3"])
        #expect(try ids(store, "Patient?gender:missing=false") == ["1", "2"])
        #expect(try ids(store, "Patient?phone=555-1") == ["1"])
        #expect(try ids(store, "Patient?email=p@example.org") == ["1"])
        #expect(try ids(store, "Patient?telecom=p@example.org") == ["1", "2"])
        #expect(try ids(store, "Patient?deceased=true") == ["2"])
        #expect(try ids(store, "Patient?deceased=false") == ["1", "3"])
    }

    @Test func commonParametersApplyToEveryType() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?_id=1,3") == ["1", "3"])
        #expect(try ids(store, "Patient/2") == ["2"])
        #expect(try ids(store, "Patient?_tag=urn:tags|a") == ["1"])
        #expect(try ids(store, "Patient?_profile=http://example.org/p/one") == ["1"])
        #expect(try ids(store, "Patient?_profile:below=http://example.org/p") == ["1"])
        #expect(try ids(store, "Patient?_lastUpdated=2024-01") == ["1"])
        #expect(try ids(store, "Patient?_lastUpdated=gt2024-01-02") == [])
        #expect(try ids(store, "?_id=1,o1") == ["o1", "1"])
        #expect(try ids(store, "?_type=Organization,Practitioner") == ["o1", "o2", "d1"])
        #expect(try ids(store, "Patient?_content=petersen") == ["2"])
        #expect(try ids(store, "Patient?_content=%09petersen%0A") == ["2"])
        for name in ["_content:not", "_content:missing", "_text:exact"] {
            #expect(throws: SearchError.self, "\(name)") { try ids(store, "Patient?\(name)=petersen") }
        }
    }

    @Test func valueSetsInTheStoreDecideIn() throws {
        let store = try patients()
        let error = #expect(throws: SearchError.self) { try ids(store, "Patient?gender:in=http://example.org/vs") }
        #expect(error?.code == .missingTerminology)
        let more = [
            #"""
            {"resourceType":"ValueSet","id":"v","url":"http://example.org/vs","status":"active","compose":{"include":[
             {"system":"urn:g","filter":[{"property":"concept","op":"is-a","value":"m"}]}]}}
            """#,
            #"""
            {"resourceType":"CodeSystem","id":"c","url":"urn:g","status":"active","content":"complete",
             "concept":[{"code":"m","concept":[{"code":"male"}]},{"code":"female"}]}
            """#,
        ]
        try store.write { tx in for text in more { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) } }
        #expect(try ids(store, "Patient?gender:in=http://example.org/vs") == ["1"])
        #expect(try ids(store, "Patient?gender:not-in=ValueSet/v") == ["2", "3"])
        #expect(try ids(store, "Patient?gender:below=urn:g|m") == ["1"])
        #expect(try ids(store, "Patient?gender:above=urn:g|male") == ["1"])
    }

    // MARK: - Dates

    @Test func datesCompareAsIntervals() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?birthdate=1970") == ["1"])
        #expect(try ids(store, "Patient?birthdate=1970-03-30") == ["1"])
        #expect(try ids(store, "Patient?birthdate=1980-01-01") == [])
        #expect(try ids(store, "Patient?birthdate=ge1970-03-30") == ["1", "2"])
        #expect(try ids(store, "Patient?birthdate=gt1980-06") == ["2"])
        #expect(try ids(store, "Patient?birthdate=lt1980-06") == ["1", "2"])
        #expect(try ids(store, "Patient?birthdate=sa1970-03-29") == ["1", "2"])
        #expect(try ids(store, "Patient?birthdate=eb1980-06") == ["1"])
        #expect(try ids(store, "Patient?birthdate=ne1980") == ["1"])
        #expect(throws: SearchError.self) { try ids(store, "Patient?birthdate=1970-13") }
        #expect(throws: SearchError.self) { try ids(store, "Patient?birthdate=yesterday") }
    }

    @Test func periodsMayBeOpen() throws {
        func encounter(_ id: String, _ period: String) -> String {
            #"{"resourceType":"Encounter","id":"\#(id)","status":"finished","class":{"code":"AMB"},"period":\#(period)}"#
        }
        let store = try store(
            encounter("1", #"{"start":"2020-01-10","end":"2020-01-20"}"#), encounter("2", #"{"start":"2020-01-15"}"#),
            encounter("3", #"{"end":"2020-01-05"}"#), encounter("4", "{\"extension\":[{\"url\":\"urn:x\",\"valueCode\":\"a\"}]}"))
        #expect(try ids(store, "Encounter?date=2020-01") == ["1"])
        #expect(try ids(store, "Encounter?date=gt2021") == ["2"])
        #expect(try ids(store, "Encounter?date=lt2019") == ["3"])
        #expect(try ids(store, "Encounter?date=sa2020-01-12") == ["2"])
        #expect(try ids(store, "Encounter?date=eb2020-01-12") == ["3"])
        #expect(try ids(store, "Encounter?date=ge2020-01-20") == ["2"])
        #expect(try ids(store, "Encounter?date=le2020-01-10") == ["3"])
        #expect(try ids(store, "Encounter?date=ne2020-01") == ["2", "3"])
        #expect(try ids(store, "Encounter?date=ge2020-01-01&date=le2020-01-31") == ["1", "2", "3"])
    }

    @Test func daysAreThoseOfTheZone() throws {
        func observation(_ id: String, _ date: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"effectiveDateTime":"\#(date)"}"#
        }
        let store = try store(
            observation("1", "2020-01-01T23:30:00-05:00"), observation("2", "2020-01-02"), observation("3", "2020-01-02T00:30:00Z"))
        #expect(try ids(store, "Observation?date=2020-01-02") == ["1", "2", "3"])
        #expect(try ids(store, "Observation?date=2020-01-02", zone: "America/New_York") == ["2"])
        #expect(try ids(store, "Observation?date=2020-01-01", zone: "America/New_York") == ["1", "3"])
        #expect(try ids(store, "Observation?date=2020-01-02T04:30:00Z") == ["1"])
        #expect(try ids(store, "Observation?date=2020-01-02T04:30Z") == ["1"])
        #expect(try ids(store, "Observation?date=2020-01-02T06:30:00+02:00") == ["1"])
        #expect(try ids(store, "Observation?_sort=date") == ["2", "3", "1"])
        #expect(try ids(store, "Observation?_sort=-date") == ["1", "3", "2"])
    }

    /// Months and years have no zone, so they are the same ones in each.
    @Test(arguments: ["GMT", "America/New_York", "Asia/Tokyo"]) func datesThatAreNoDaysOverlapThoseOfAnyZone(_ zone: String) throws {
        func observation(_ id: String, _ date: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"effectiveDateTime":"\#(date)"}"#
        }
        let store = try store(
            observation("year", "2020"), observation("month", "2020-02"), observation("day", "2020-02-15"),
            observation("time", "2020-02-15T12:00:00Z"), observation("next", "2021"))
        for isIndexed in [false, true] {
            if isIndexed { try store.createIndexes(forSearch: ["Observation.date"]) }
            for (date, expected) in [
                ("gt2020-02-15", ["year", "month", "next"]), ("lt2020-02-15", ["year", "month"]),
                ("ge2020-02-10", ["year", "month", "day", "time", "next"]),
                ("le2020-02-20", ["year", "month", "day", "time"]), ("2020-02-15", ["day", "time"]), ("2020-02", ["month", "day", "time"]),
                ("2020", ["year", "month", "day", "time"]), ("sa2020-02-14", ["day", "time", "next"]),
                ("eb2020-03", ["month", "day", "time"]),
                ("ne2020-02-15", ["year", "month", "next"]), ("gt2020-02", ["year", "next"]), ("lt2020-02", ["year"]),
            ] {
                #expect(try ids(store, "Observation?date=\(date)", zone: zone) == expected, "\(date), indexed: \(isIndexed)")
            }
        }
    }

    @Test func approximateDatesAreATenthOfTheDistanceAway() throws {
        let store = try patients()
        var options = try options()
        options.now = Date(timeIntervalSince1970: 0)
        #expect(try store.search("Patient?birthdate=ap1979", options: options).matches.compactMap(\.id) == ["2"])
    }

    // MARK: - Numbers and quantities

    @Test func numbersHaveTheirPrecision() throws {
        func risk(_ id: String, _ number: String) -> String {
            #"{"resourceType":"RiskAssessment","id":"\#(id)","status":"final","subject":{"reference":"Patient/1"},"prediction":[{"probabilityDecimal":\#(number)}]}"#
        }
        let store = try store(risk("1", "99.6"), risk("2", "100"), risk("3", "104"), risk("4", "100.4"))
        #expect(try ids(store, "RiskAssessment?probability=100") == ["1", "2", "4"])
        #expect(try ids(store, "RiskAssessment?probability=100.0") == ["2"])
        #expect(try ids(store, "RiskAssessment?probability=1e2") == ["1", "2", "3", "4"])
        #expect(try ids(store, "RiskAssessment?probability=gt100") == ["3", "4"])
        #expect(try ids(store, "RiskAssessment?probability=ge100") == ["2", "3", "4"])
        #expect(try ids(store, "RiskAssessment?probability=lt100") == ["1"])
        #expect(try ids(store, "RiskAssessment?probability=ne100") == ["3"])
        #expect(try ids(store, "RiskAssessment?probability=ap110") == ["1", "2", "3", "4"])
        #expect(throws: SearchError.self) { try ids(store, "RiskAssessment?probability=many") }
    }

    private func observations() throws -> FHIRStore {
        func observation(_ id: String, _ code: String, _ value: String, _ subject: String, _ more: String = "") -> String {
            #"""
            {"resourceType":"Observation","id":"\#(id)","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"\#(code)","display":"Weight of \#(code)"}]},
             "subject":{"reference":"\#(subject)"}\#(value)\#(more)}
            """#
        }
        let store = try patients()
        let texts = [
            observation(
                "w1", "29463-7", #","valueQuantity":{"value":70.2,"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}"#,
                "Patient/1",
                #","effectiveDateTime":"2020-01-01""#),
            observation(
                "w2", "29463-7", #","valueQuantity":{"value":70.2,"unit":"lbs"}"#, "Patient/2", #","effectiveDateTime":"2021-01-01""#),
            observation(
                "b", "85354-9",
                #","component":[{"code":{"coding":[{"system":"http://loinc.org","code":"8480-6"}]},"valueQuantity":{"value":120,"unit":"mmHg"}},{"code":{"coding":[{"system":"http://loinc.org","code":"8462-4"}]},"valueQuantity":{"value":80,"unit":"mmHg"}}]"#,
                "https://example.org/fhir/Patient/1", #","effectivePeriod":{"start":"2019-01-01","end":"2019-01-03"}"#),
            #"{"resourceType":"AuditEvent","id":"a","type":{"code":"x"},"recorded":"2020-01-01T00:00:00Z","agent":[{"requestor":true}],"source":{"observer":{"reference":"Practitioner/d1"}},"entity":[{"what":{"reference":"Observation/w2"}}]}"#,
            #"{"resourceType":"List","id":"l","status":"current","mode":"working","entry":[{"item":{"reference":"Observation/w2"}},{"item":{"reference":"Patient/3"}}]}"#,
        ]
        try store.write { tx in for text in texts { try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) } }
        try store.addBase("https://example.org/fhir/")
        return store
    }

    @Test func quantitiesHaveUnits() throws {
        let store = try observations()
        #expect(try ids(store, "Observation?value-quantity=70.2") == ["w1", "w2"])
        #expect(try ids(store, "Observation?value-quantity=70.2|http://unitsofmeasure.org|kg") == ["w1"])
        #expect(try ids(store, "Observation?value-quantity=70.2||lbs") == ["w2"])
        #expect(try ids(store, "Observation?value-quantity=gt70||kg,lt10") == ["w1"])
        #expect(try ids(store, "Observation?component-value-quantity=le80") == ["b"])
    }

    @Test func compositesAreOfOneElement() throws {
        let store = try observations()
        #expect(try ids(store, "Observation?component-code-value-quantity=8480-6$120") == ["b"])
        #expect(try ids(store, "Observation?component-code-value-quantity=8480-6$80") == [])
        #expect(try ids(store, "Observation?component-code-value-quantity=http://loinc.org|8462-4$lt100||mmHg") == ["b"])
        #expect(try ids(store, "Observation?code-value-quantity=29463-7$gt70") == ["w1", "w2"])
        #expect(try ids(store, "Observation?combo-code-value-quantity=8480-6$120,29463-7$70.2||kg") == ["w1", "b"])
        #expect(throws: SearchError.self) { try ids(store, "Observation?code-value-quantity=29463-7") }
    }

    // MARK: - References

    @Test func referencesHaveSeveralForms() throws {
        let store = try observations()
        #expect(try ids(store, "Observation?subject=Patient/1") == ["w1", "b"])
        #expect(try ids(store, "Observation?patient=1") == ["w1", "b"])
        #expect(try ids(store, "Observation?subject:Patient=2") == ["w2"])
        #expect(try ids(store, "Observation?subject:Device=2") == [])
        #expect(try ids(store, "Observation?subject=https://example.org/fhir/Patient/1") == ["w1", "b"])
        #expect(try ids(store, "Observation?subject=https://example.org/Patient/1") == [])
        #expect(try ids(store, "Patient?organization:text=good") == ["1"])
        #expect(try ids(store, "Observation?subject:missing=true") == [])
    }

    @Test func chainsFollowReferences() throws {
        let store = try observations()
        #expect(try ids(store, "Observation?subject:Patient.name=peter") == ["w1", "w2", "b"])
        #expect(try ids(store, "Observation?patient.gender=female") == ["w2"])
        #expect(try ids(store, "Observation?subject.organization.name=good") == ["w1", "b"])
        #expect(try ids(store, "Observation?subject:Patient.organization:Organization.partof.name=hold") == ["w1", "b"])
        #expect(try ids(store, "Observation?patient.gender:not=male") == ["w2"])
        #expect(throws: SearchError.self) { try ids(store, "Observation?patient.nonsense=1") }
        #expect(throws: SearchError.self) { try ids(store, "Observation?code.name=1") }
    }

    @Test func reverseChainsFollowThemBack() throws {
        let store = try observations()
        #expect(try ids(store, "Patient?_has:Observation:patient:code=29463-7") == ["1", "2"])
        #expect(try ids(store, "Patient?_has:Observation:patient:code=85354-9") == ["1"])
        #expect(try ids(store, "Patient?_has:Observation:patient:_has:AuditEvent:entity:type=x") == ["2"])
        #expect(try ids(store, "Organization?_has:Patient:organization:_has:Observation:subject:code=29463-7") == ["o1"])
        #expect(try ids(store, "Observation?patient._has:Patient:link:_id=3") == ["w1", "b"])
        #expect(try ids(store, "Observation?_list=l") == ["w2"])
        #expect(try ids(store, "Patient?_list=l") == ["3"])
    }

    @Test func includesAddResources() throws {
        let store = try observations()
        func included(_ search: String) throws -> [String] {
            try store.search(search, options: options()).included.map { "\($0.resourceType)/\($0.id ?? "")" }.sorted()
        }
        #expect(try included("Observation?_id=w1&_include=Observation:patient") == ["Patient/1"])
        #expect(try included("Observation?_id=w1&_include=Observation:subject:Device") == [])
        #expect(try included("Observation?_id=w1&_include=*") == ["Patient/1"])
        #expect(
            try included(
                "Observation?_id=w1&_include=Observation:patient&_include:iterate=Patient:organization&_include:iterate=Organization:partof"
            )
                == ["Organization/o1", "Organization/o2", "Patient/1"])
        #expect(try included("Observation?_id=w1&_include=Observation:patient&_include=Patient:organization") == ["Patient/1"])
        #expect(try included("Patient?_id=1&_revinclude=Observation:patient") == ["Observation/b", "Observation/w1"])
        #expect(
            try included("Patient?_id=2&_revinclude=Observation:patient&_revinclude:iterate=AuditEvent:entity")
                == ["AuditEvent/a", "Observation/w2"])
        #expect(throws: SearchError.self) { try included("Patient?_include=Patient:nonsense") }
    }

    @Test func compartmentsHoldWhatTheirParametersSay() throws {
        let store = try observations()
        #expect(try ids(store, "Patient/1/Observation") == ["w1", "b"])
        #expect(try ids(store, "Patient/1/Observation?code=29463-7") == ["w1"])
        #expect(try ids(store, "Patient/1/*") == ["w1", "b", "1", "3"])
        #expect(try ids(store, "Patient/1/$everything") == ["w1", "b", "1", "3"])
        let error = #expect(throws: SearchError.self) { try ids(store, "Patient/9/$everything") }
        #expect(error?.code == .notFound)
    }

    // MARK: - Results

    @Test func listsSortByTheLeastAndTheGreatest() throws {
        let store = try patients()
        #expect(try ids(store, "Patient?_sort=given&given:missing=false") == ["2", "1"])
        #expect(try ids(store, "Patient?_sort=-given") == ["1", "2", "3"])
        #expect(try ids(store, "Patient?_sort=birthdate") == ["1", "2", "3"])
        #expect(try ids(store, "Patient?_sort=-birthdate") == ["2", "1", "3"])
        #expect(try ids(store, "Patient?_sort=-_id") == ["3", "2", "1"])
        #expect(try ids(store, "Patient?_sort=gender,-_id") == ["2", "1", "3"])
    }

    @Test func pagesContinueWhileOthersWrite() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        try store.write { tx in
            for number in 0..<25 {
                let patient = Patient {
                    $0.id = "p\(number)"
                    $0.gender = number % 2 == 0 ? .female : .male
                    if number % 3 != 0 { $0.birthDate = FHIRDate("19\(50 + number)") }
                }
                try tx.upsert(patient)
            }
        }
        let all = try store.search("Patient?_sort=_id&_total=none").matches.compactMap(\.id)
        #expect(try store.search("Patient?_sort=_id&_count=\(Int.max)").matches.compactMap(\.id) == all)
        for search in ["Patient?_sort=-birthdate,gender&_count=4", "Patient?_count=7", "?_count=4&_sort=_id"] {
            let whole = try store.search(search.replacing(/_count=\d+/, with: "_total=none")).matches.compactMap(\.id)
            var pages: [String] = []
            var result = try store.search(search)
            while true {
                #expect(result.total == 25)
                pages += result.matches.compactMap(\.id)
                guard let next = result.nextAddress else { break }
                // A resource at the beginning of the order moves no page.
                if pages.count < 9 {
                    try store.write { tx in
                        try tx.upsert(
                            Patient {
                                $0.id = pages[0]; $0.birthDate = FHIRDate("2024"); $0.active = true
                            })
                    }
                }
                result = try store.search(next)
            }
            #expect(Set(pages) == Set(whole) && pages.count == whole.count, "\(search)")
        }
    }

    @Test func bundlesAreSearchsets() throws {
        let store = try observations()
        let result = try store.search("Observation?code=29463-7&_include=Observation:patient&nonsense=1&_count=1")
        #expect(result.total == 2 && result.next != nil && result.issues.map(\.code) == [.unknownParameter])
        let bundle = try #require(try result.bundle() as? FireLiteR4.Bundle)
        #expect(bundle.type == .searchset && bundle.total == 2)
        #expect(bundle.link.map(\.relation) == ["self", "next"])
        #expect(bundle.entry.compactMap { $0.search?.mode } == [.match, .include, .outcome])
        #expect(bundle.validate().isEmpty)
    }

    @Test func summariesAndElementsLeaveParts() throws {
        let store = try patients()
        let few = try #require(try store.search("Patient?_id=1&_elements=birthDate,name").bundle() as? FireLiteR4.Bundle)
        let patient = try #require(few.entry.first?.resource as? Patient)
        #expect(patient.birthDate != nil && patient.name.count == 2 && patient.gender == nil && patient.telecom.isEmpty)
        #expect(patient.meta?.tag.last?.code == "SUBSETTED")
        let count = try store.search("Patient?_summary=count")
        #expect(count.total == 3 && count.matches.isEmpty)
        let summary = try #require(try store.search("Patient?_id=1&_summary=true").bundle() as? FireLiteR4.Bundle)
        let short = try #require(summary.entry.first?.resource as? Patient)
        #expect(short.gender == .male && short.managingOrganization != nil)
        #expect(try store.search("Patient?_total=none").total == nil)
        // The matches themselves are whole.
        #expect(try store.search("Patient?_id=1&_elements=name").matches(Patient.self).first?.gender == .male)
    }

    @Test func mistakesAreErrorsWithAnOutcome() throws {
        let store = try patients()
        let cases: [(String, SearchError.Code)] = [
            ("Nonsense?x=1", .unknownType), ("Patient?nonsense=1", .unknownParameter), ("Patient?name:nonsense=1", .notSupported),
            ("Patient?_has:Observation:code=1", .invalid), ("Patient?_count=x", .invalid), ("Patient?_sort=nonsense", .unknownParameter),
            ("Patient?birthdate:exact=1970", .notSupported), ("Patient?gender:missing=maybe", .invalid), ("Patient?_cursor=x", .invalid),
            ("Patient?name", .invalid), ("Patient?_filter=x", .invalid),
        ]
        for (search, code) in cases {
            let error = #expect(throws: SearchError.self, "\(search)") { try ids(store, search) }
            #expect(error?.code == code, "\(search)")
            let outcome = try FHIRJSON.resource(from: Data((error?.operationOutcome ?? "").utf8), release: .r4)
            #expect(outcome.resourceType == "OperationOutcome" && outcome.validate().isEmpty)
        }
        #expect(try store.search("Patient?nonsense=1").matches.count == 3)
    }

    @Test func nearIsTheDistanceOnTheEarth() throws {
        func location(_ id: String, _ latitude: Double, _ longitude: Double) -> String {
            #"{"resourceType":"Location","id":"\#(id)","position":{"longitude":\#(longitude),"latitude":\#(latitude)}}"#
        }
        let store = try store(
            location("boston", 42.3601, -71.0589), location("cambridge", 42.3736, -71.1097), location("york", 40.7128, -74.006))
        #expect(try ids(store, "Location?near=42.3601|-71.0589|10|km") == ["boston", "cambridge"])
        #expect(try ids(store, "Location?near=42.3601|-71.0589|1") == ["boston"])
        #expect(try ids(store, "Location?near=42.3601|-71.0589|310|km") == ["boston", "cambridge", "york"])
        #expect(try ids(store, "Location?near=42.3601|-71.0589|300|km") == ["boston", "cambridge"])
    }

    @Test func parametersOfTheStoreCount() throws {
        let store = try patients()
        #expect(throws: SearchError.self) { try ids(store, "Patient?nick=jim") }
        let text = #"""
            {"resourceType":"SearchParameter","id":"s","url":"http://example.org/nick","name":"nick","status":"active","description":"x","code":"nick",
             "base":["Patient"],"type":"string","expression":"Patient.name.where(use='usual').given"}
            """#
        try store.write { tx in try tx.upsert(FHIRJSON.resource(from: Data(text.utf8), release: .r4)) }
        #expect(try ids(store, "Patient?nick=jim") == ["1"])
        #expect(try ids(store, "Patient?nick=peter") == [])
    }

    @Test func addressesMayHaveABase() throws {
        let store = try patients()
        #expect(try ids(store, "https://example.org/fhir/Patient?gender=male") == ["1"])
        #expect(try ids(store, "Patient/_search?gender=male") == ["1"])
        #expect(try SearchRequest("Patient?name=a%20b&_sort=-birthdate").address == "Patient?name=a%20b&_sort=-birthdate")
    }
}
