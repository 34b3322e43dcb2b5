import FireLiteR4
import FireLiteReleases
import FireLiteSearch
import Foundation
import Testing

/// Rules of search that are easily got nearly right.
@Suite struct SearchDetailTests {
    @Test func intervalsOfNumbersAreOpenAtTheirEnd() throws {
        func risk(_ id: String, _ number: String) -> String {
            #"{"resourceType":"RiskAssessment","id":"\#(id)","status":"final","subject":{"reference":"Patient/1"},"prediction":[{"probabilityDecimal":\#(number)}]}"#
        }
        let sample = try SearchStore(risk("1", "99.5"), risk("2", "100.5"))
        #expect(try sample.ids("RiskAssessment?probability=100") == ["1"])
        #expect(try sample.ids("RiskAssessment?probability=ne100") == ["2"])
    }

    @Test func unitsOfOneDimensionConvert() throws {
        func weight(_ id: String, _ value: String, _ unit: String, _ system: String = "http://unitsofmeasure.org") -> String {
            #"""
            {"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"w"},
             "valueQuantity":{"value":\#(value),"system":"\#(system)","code":"\#(unit)"}}
            """#
        }
        let sample = try SearchStore(
            weight("kg", "70.2", "kg"), weight("g", "70200", "g"), weight("lb", "154.8", "[lb_av]"), weight("m", "70.2", "m"),
            weight("own", "70.2", "kg", "urn:own"), weight("c", "37.5", "Cel"), weight("f", "99.5", "[degF]"), weight("heavy", "90000", "g")
        )
        let system = "http://unitsofmeasure.org"
        #expect(try sample.ids("Observation?value-quantity=70.2|\(system)|kg") == ["kg", "g", "lb"])
        #expect(try sample.ids("Observation?value-quantity=70200|\(system)|g") == ["kg", "g"])
        #expect(try sample.ids("Observation?value-quantity=gt71|\(system)|kg") == ["heavy"])
        #expect(try sample.ids("Observation?value-quantity=le70.2|\(system)|kg") == ["kg", "g"])
        #expect(try sample.ids("Observation?value-quantity=ap75|\(system)|kg") == ["kg", "g", "lb"])
        #expect(try sample.ids("Observation?value-quantity=ne70.2|\(system)|kg") == ["heavy"])
        #expect(try sample.ids("Observation?value-quantity=37.5|\(system)|Cel") == ["c", "f"])
        // Without the system, and in other systems, units are names.
        #expect(try sample.ids("Observation?value-quantity=70.2||kg") == ["kg", "own"])
        #expect(try sample.ids("Observation?value-quantity=70.2|urn:own|kg") == ["own"])
        #expect(try sample.ids("Observation?value-quantity=70.2|\(system)|unknown") == [])
    }

    @Test func resultsOfSeveralTypesGoOnInOrder() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"a","birthDate":"2000"}"#, #"{"resourceType":"Patient","id":"b"}"#,
            #"{"resourceType":"Organization","id":"a"}"#, #"{"resourceType":"Organization","id":"c"}"#,
            #"{"resourceType":"Practitioner","id":"a"}"#, #"{"resourceType":"Practitioner","id":"d"}"#)
        for sort in ["_id", "-_id", "_lastUpdated", "-_id,_lastUpdated"] {
            let whole = try sample.store.search("?_sort=\(sort)").matches.map { "\($0.resourceType)/\($0.id ?? "")" }
            var pages: [String] = []
            var next: String? = "?_sort=\(sort)&_count=1"
            while let address = next, pages.count < 20 {
                let page = try sample.store.search(address)
                pages += page.matches.map { "\($0.resourceType)/\($0.id ?? "")" }
                next = page.nextAddress
            }
            #expect(pages == whole && whole.count == 6, "\(sort)")
        }
    }

    @Test func chainsToTypesWithoutResourcesFindNothing() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#)
        for chain in [
            "patient.name=x", "subject:Patient.name=x", "subject.name=x", "patient.organization.name=x", "patient.gender:not=male",
        ] {
            #expect(try sample.ids("Observation?\(chain)") == [], "\(chain)")
        }
        #expect(try sample.error("Observation?patient.nonsense=x")?.code == .unknownParameter)
        #expect(try sample.ids("Patient?name=x") == [])
        #expect(try sample.ids("Observation?_has:Provenance:target:agent=x") == [])
    }

    @Test func compositesOfSTU3FindTheirParts() throws {
        let release = try #require(BundledRelease.named("STU3")).release
        let sample = try SearchStore(
            #"""
            {"resourceType":"Observation","id":"1","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"15074-8"}]},
             "valueQuantity":{"value":6.3}}
            """#, release: release)
        #expect(try sample.ids("Observation?code-value-quantity=15074-8$gt6") == ["1"])
        #expect(try sample.ids("Observation?code-value-quantity=15074-8$gt7") == [])
    }

    @Test func emptyParametersAreIgnored() throws {
        let sample = try SearchStore(#"{"resourceType":"Patient","id":"1","gender":"male"}"#, #"{"resourceType":"Patient","id":"2"}"#)
        #expect(try sample.ids("Patient?name=") == ["1", "2"])
        #expect(try sample.ids("Patient?name=&gender=male&birthdate=") == ["1"])
    }

    @Test func identifiersHaveTheSystemOfTheirType() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"1","identifier":[{"value":"12","type":{"coding":[{"system":"urn:t","code":"MR"}]}}]}"#,
            #"{"resourceType":"Patient","id":"2","identifier":[{"value":"12","type":{"coding":[{"system":"urn:u","code":"MR"}]}}]}"#)
        #expect(try sample.ids("Patient?identifier:of-type=urn:t|MR|12") == ["1"])
        #expect(try sample.ids("Patient?identifier:of-type=|MR|12") == ["1", "2"])
    }

    @Test func urlsAreBelowOthersAtASlash() throws {
        func set(_ id: String, _ url: String) -> String { #"{"resourceType":"ValueSet","id":"\#(id)","status":"active","url":"\#(url)"}"# }
        let sample = try SearchStore(set("1", "http://e.org/a"), set("2", "http://e.org/a/b"), set("3", "http://e.org/ab"))
        #expect(try sample.ids("ValueSet?url:below=http://e.org/a") == ["1", "2"])
        #expect(try sample.ids("ValueSet?url:above=http://e.org/a/b") == ["1", "2"])
    }

    @Test func summariesKeepMandatoryElements() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"note":[{"text":"n"}],"valueString":"v"}"#)
        let bundle = try sample.store.search("Observation?_elements=value").bundle() as? FireLiteR4.Bundle
        let observation = try #require(bundle?.entry.first?.resource as? Observation)
        #expect(observation.status == .final && observation.code?.text == "x" && observation.valueString == "v" && observation.note.isEmpty)
    }

    @Test func listsAreNamedByTheirIDs() throws {
        func list(_ id: String, _ patient: String) -> String {
            #"{"resourceType":"List","id":"\#(id)","status":"current","mode":"working","entry":[{"item":{"reference":"Patient/\#(patient)"}}]}"#
        }
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Patient","id":"2"}"#, list("l1", "1"), list("l2", "2"))
        #expect(try sample.ids("Patient?_list=l2") == ["2"])
        #expect(try sample.ids("Patient?_list=l1,l2") == ["1", "2"])
    }

    @Test func referencesAndCanonicalsMayHaveVersions() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Observation","id":"1","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1/_history/2"}}"#,
            #"{"resourceType":"Observation","id":"2","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#,
            #"{"resourceType":"QuestionnaireResponse","id":"q","status":"completed","questionnaire":"http://e.org/q|1.0"}"#)
        #expect(try sample.ids("Observation?subject=Patient/1") == ["1", "2"])
        #expect(try sample.ids("Observation?subject=Patient/1/_history/2") == ["1"])
        #expect(try sample.ids("QuestionnaireResponse?questionnaire=http://e.org/q") == ["q"])
        #expect(try sample.ids("QuestionnaireResponse?questionnaire=http://e.org/q%7C2.0") == [])
    }

    @Test func valueSetsExcludeAndIntersect() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"m","gender":"male"}"#, #"{"resourceType":"Patient","id":"f","gender":"female"}"#,
            #"{"resourceType":"Patient","id":"o","gender":"other"}"#,
            #"""
            {"resourceType":"ValueSet","id":"two","status":"active","url":"urn:two","compose":{"include":[
             {"system":"urn:g","concept":[{"code":"male"},{"code":"female"}]}],"exclude":[{"system":"urn:g","concept":[{"code":"female"}]}]}}
            """#,
            #"""
            {"resourceType":"ValueSet","id":"both","status":"active","url":"urn:both","compose":{"include":[
             {"system":"urn:g","concept":[{"code":"male"},{"code":"other"}],"valueSet":["urn:two"]}]}}
            """#)
        #expect(try sample.ids("Patient?gender:in=urn:two") == ["m"])
        #expect(try sample.ids("Patient?gender:in=urn:both") == ["m"])
        #expect(try sample.ids("Patient?gender:not-in=urn:both") == ["f", "o"])
    }

    @Test func compartmentsHaveTheirTypesOnly() throws {
        let sample = try SearchStore(
            #"{"resourceType":"Patient","id":"1"}"#, #"{"resourceType":"Organization","id":"o"}"#,
            #"{"resourceType":"Observation","id":"x","status":"final","code":{"text":"x"},"subject":{"reference":"Patient/1"}}"#)
        #expect(try sample.store.explainSearch("Patient/1/*").statements.map(\.type) == ["Observation", "Patient"])
        #expect(try sample.ids("Patient/1/*") == ["x", "1"])
    }

    @Test func resultsSortByReferencesToTheTypesOfAParameter() throws {
        func observation(_ id: String, _ subject: String) -> String {
            #"{"resourceType":"Observation","id":"\#(id)","status":"final","code":{"text":"x"},"subject":{"reference":"\#(subject)"}}"#
        }
        let sample = try SearchStore(observation("1", "Group/a"), observation("2", "Patient/c"), observation("3", "Patient/b"))
        #expect(try sample.ids("Observation?_sort=patient") == ["3", "2", "1"])
        #expect(try sample.ids("Observation?_sort=subject") == ["1", "3", "2"])
        // The form of DSTU2.
        #expect(try sample.ids("Observation?_sort:desc=subject") == ["2", "3", "1"])
        #expect(try sample.ids("Observation?_sort:asc=subject") == ["1", "3", "2"])
    }

    @Test func resultsSortByThePartOfTheElementsThatAParameterNames() throws {
        func patient(_ id: String, _ telecom: String...) -> String {
            let points = telecom.map { text in
                let parts = text.split(separator: " ")
                return #"{"system":"\#(parts[0])","value":"\#(parts[1])"}"#
            }
            return #"{"resourceType":"Patient","id":"\#(id)","telecom":[\#(points.joined(separator: ","))]}"#
        }
        let sample = try SearchStore(
            patient("1", "email a", "phone 3"), patient("2", "phone 1", "phone 9", "email c"), patient("3", "email b"),
            patient("4", "phone 5", "fax 0"))
        #expect(try sample.ids("Patient?_sort=phone") == ["2", "1", "4", "3"])
        #expect(try sample.ids("Patient?_sort=-phone") == ["2", "4", "1", "3"])
        #expect(try sample.ids("Patient?_sort=email") == ["1", "3", "2", "4"])
        for isIndexed in [false, true] {
            if isIndexed { try sample.store.createIndexes(forSearch: ["Patient.phone", "Patient.email"]) }
            for sort in ["phone", "-phone", "-email,phone"] {
                let whole = try sample.ids("Patient?_sort=\(sort)")
                var pages: [String] = []
                var next: String? = "Patient?_sort=\(sort)&_count=1"
                while let address = next, pages.count < 10 {
                    let page = try sample.store.search(address, options: sample.options)
                    pages += page.matches.compactMap(\.id)
                    next = page.nextAddress
                }
                #expect(pages == whole && whole.count == 4, "\(sort)")
            }
        }
    }

    @Test func distancesOfEarlierReleasesAreAParameterOfTheirOwn() throws {
        func location(_ id: String, _ latitude: Double, _ longitude: Double) -> String {
            #"{"resourceType":"Location","id":"\#(id)","position":{"longitude":\#(longitude),"latitude":\#(latitude)}}"#
        }
        let places = [location("boston", 42.3601, -71.0589), location("cambridge", 42.3736, -71.1097), location("york", 40.7128, -74.006)]
        let stu3 = try SearchStore(places[0], places[1], places[2], release: try #require(BundledRelease.named("STU3")).release)
        #expect(try stu3.ids("Location?near=42.3601:-71.0589&near-distance=1||km") == ["boston"])
        #expect(
            try stu3.ids("Location?near-distance=le10000|http://unitsofmeasure.org|m&near=42.3601:-71.0589") == ["boston", "cambridge"])
        #expect(try stu3.ids("Location?near=42.3601:-71.0589") == ["boston", "cambridge"])
        #expect(try stu3.ids("Location?near=42.3601:-71.0589,40.7128:-74.006&near-distance=1||km") == ["boston", "york"])
        #expect(try stu3.error("Location?near-distance=1||km")?.code == .invalid)
        #expect(try stu3.error("Location?near=42.3601|-71.0589")?.code == .invalid)
        #expect(try stu3.error("Location?near=42.3601:-71.0589&near-distance=ge1||km")?.code == .invalid)
        let dstu2 = try SearchStore(places[0], places[1], places[2], release: try #require(BundledRelease.named("DSTU2")).release)
        #expect(try dstu2.ids("Location?near=42.3601,-71.0589&near-distance=10") == ["boston", "cambridge"])
    }
}
