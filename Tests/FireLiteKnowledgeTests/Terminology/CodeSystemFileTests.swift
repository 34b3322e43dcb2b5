import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Releases of large code systems are imported as a whole or not at all, and answer as their files say.
@Suite struct CodeSystemFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func code(_ number: Int) -> TerminologyCode { TerminologyCode("\(SnomedExamples.code(number))", system: SnomedCode.url) }

    @Test func hierarchiesAnswerAsAWalkDoes() throws {
        let example = SnomedExamples.random(7, count: 60)
        let terminology = try example.terminology(folder)
        for first in example.parents.keys {
            for second in example.parents.keys {
                let found = try terminology.relation(
                    of: "\(SnomedExamples.code(first))", to: "\(SnomedExamples.code(second))", in: SnomedCode.url)
                let expected: CodeRelation =
                    first == second
                    ? .equivalent
                    : example.above(second).contains(first) ? .subsumes : example.above(first).contains(second) ? .subsumedBy : .notSubsumed
                #expect(found == expected, "\(first) \(second)")
            }
        }
    }

    @Test func implicitValueSetsAreThoseOfTheirURLs() throws {
        let example = SnomedExamples.random(3, count: 50)
        let terminology = try example.terminology(folder)
        let edition = "http://snomed.info/sct/900000000000207008"
        func numbers(_ url: String) throws -> Set<Int> {
            let codes = Set(try terminology.expand(url).codes.map(\.code))
            return Set(example.parents.keys.filter { codes.contains("\(SnomedExamples.code($0))") })
        }
        let top = SnomedExamples.code(1)
        #expect(try numbers("http://snomed.info/sct?fhir_vs=isa/\(top)") == example.below(1).union([1]))
        #expect(try numbers(edition + "?fhir_vs=isa/\(top)") == example.below(1).union([1]))
        #expect(try numbers(edition + "/version/20250101?fhir_vs=refset/\(SnomedExamples.code(4))") == example.members[4] ?? [])
        #expect(try numbers("http://snomed.info/sct?fhir_vs") == Set(example.parents.keys))
        #expect(try numbers("http://snomed.info/sct?fhir_vs=refset") == Set(example.members.keys))
        #expect(try numbers("http://snomed.info/sct?fhir_vs=ecl/%3C%20\(top)") == example.below(1))
        for url in [edition + "/version/20240101?fhir_vs", "http://snomed.info/sct?fhir_vs=isa/1", "http://snomed.info/sct?fhir_vs=other"] {
            let error = #expect(throws: TerminologyError.self) { try terminology.expand(url) }
            #expect(error?.code == .notFound, "\(url)")
        }
    }

    @Test func namesAreFoundByTheBeginningsOfTheirWords() throws {
        var example = SnomedExamples()
        for number in 1...40 { example.parents[number] = [number / 2] }
        let terminology = try example.terminology(folder)
        let all = "http://snomed.info/sct?fhir_vs"
        #expect(try terminology.expand(all, filter: "thi 17").codes.map(\.display) == ["Thing 17"])
        let page = try terminology.expand("http://snomed.info/sct?fhir_vs=isa/\(SnomedExamples.code(2))", filter: "THING", count: 3)
        // The shortest names come first, and no more are looked at than the page needs.
        #expect(page.codes.map(\.display) == ["Thing 2", "Thing 4", "Thing 5"])
        #expect(try terminology.expand(all, count: 5, offset: 38).codes.count == 4)
        #expect(try terminology.expand(all, count: 5).total == 42)
        let lookup = try terminology.lookup(Self.code(17))
        #expect(lookup.display == "Thing 17" && lookup.parents == [Self.code(8).code] && lookup.systemName == "SNOMED CT")
    }

    /// Of many words the index is asked for some, and the others are looked for in the names that it finds.
    @Test func everyOneOfManyWordsCounts() throws {
        let words = "acute bilateral chronic distal extrême fourth global hepatic internal juvenile known lateral".split(separator: " ")
        func line(_ code: String, _ name: String) -> String {
            "00001 \(code.padding(toLength: 7, withPad: " ", startingAt: 0)) 1 \("short".padding(toLength: 60, withPad: " ", startingAt: 0)) \(name)"
        }
        // Each name lacks another word.
        let lines = words.indices.map { place in
            line("A\(10 + place)", words.indices.filter { $0 != place }.map { String(words[$0]) }.joined(separator: " "))
        }
        let whole = line("B10", words.joined(separator: " "))
        let file = try folder.write("icd10cm_order_2025.txt", (lines + [whole]).joined(separator: "\n"))
        let path = folder.file("codes.sqlite")
        try CodeSystemFile(path: path).add([file])
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        let compose = #"{"include":[{"system":"http://hl7.org/fhir/sid/icd-10-cm"}]}"#
        try terminology.add(contentsOf: Data(TerminologyExamples.valueSet("icd", compose).utf8))
        func found(_ filter: String) throws -> [String] {
            try terminology.expand("http://example.org/icd", filter: filter).codes.map(\.code)
        }
        let all = words.map { $0.prefix(3) }.joined(separator: " ")
        #expect(try found(all) == ["B10"])
        #expect(try found(words.map { $0.prefix(1) }.joined(separator: " ")) == ["B10"])
        // Words that come again, or that others imply, change nothing.
        #expect(try found(String(repeating: "a ac acu extreme ", count: 500)).count == 11)
        #expect(try found(all + " zebra").isEmpty)
        for (place, word) in words.enumerated() {
            let others = words.filter { $0 != word }.map { String($0.prefix(4)) }.joined(separator: " ")
            #expect(try Set(found(others)) == ["A\(10 + place)", "B10"])
        }
    }

    @Test func anImportThatEndsLeavesTheFormerVersion() throws {
        struct Stopped: Error {}
        let path = folder.file("codes.sqlite")
        let file = CodeSystemFile(path: path)
        var example = SnomedExamples()
        example.parents[1] = [0]
        let first = try file.add([example.write(folder, "one")])
        example.parents[2] = [0]
        let release = try example.write(folder, "two")
        var steps = 0
        #expect(throws: Never.self) {
            var count = 0
            try CodeSystemFile(path: folder.file("other.sqlite")).add([release]) { _ in count += 1 }
            steps = count
        }
        for stop in 1...steps {
            var count = 0
            #expect(throws: Stopped.self) {
                try file.add([release]) { _ in
                    count += 1
                    if count == stop { throw Stopped() }
                }
            }
            #expect(try file.systems() == [first])
        }
        // The same version is replaced; another date is another version.
        #expect(try file.add([release]).conceptCount == first.conceptCount + 1)
        #expect(try file.systems().count == 1)
        example.date = "20250701"
        try file.add([example.write(folder, "three")])
        #expect(try file.systems().map(\.version).count == 2)
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        #expect(try terminology.lookup(Self.code(1)).version == "http://snomed.info/sct/900000000000207008/version/20250701")
        #expect(try file.remove(SnomedCode.url) == 2)
        #expect(try file.systems().isEmpty)
    }

    @Test func aTerminologyInUseSeesAnImportOfTheSameNumbers() throws {
        var example = SnomedExamples()
        example.parents = [0: [], 1: [0], 2: [1], 3: [0]]
        let terminology = try example.terminology(folder)
        let url = "http://snomed.info/sct?fhir_vs=ecl/< \(SnomedExamples.code(1))"
        #expect(try terminology.expand(url).codes.map(\.display) == ["Thing 2"])
        (example.parents[2], example.parents[3]) = ([0], [1])
        try CodeSystemFile(path: folder.file("codes.sqlite")).add([example.write(folder, "again")])
        #expect(try terminology.expand(url).codes.map(\.display) == ["Thing 3"])
    }

    @Test func damagedReleasesAreErrorsWithTheirPlace() throws {
        var example = SnomedExamples()
        for number in 1...3 { example.parents[number] = [number - 1] }
        func error(_ file: String, _ change: (String) -> String) throws -> KnowledgeError? {
            let release = try example.write(folder, UUID().uuidString)
            let path = release + "/Snapshot/" + file
            try Data(change(String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)).utf8)
                .write(to: URL(fileURLWithPath: path))
            return #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: folder.file("broken.sqlite")).add([release]) }
        }
        let concepts = "Terminology/sct2_Concept_Snapshot_INT_20250101.txt"
        let relationships = "Terminology/sct2_Relationship_Snapshot_INT_20250101.txt"
        #expect(try error(concepts) { String($0.dropLast(25)) }?.message.contains("line 6: 4 fields") == true)
        #expect(try error(concepts) { $0.replacingOccurrences(of: "effectiveTime", with: "time") }?.message.contains("line 1") == true)
        #expect(try error(concepts) { $0.replacingOccurrences(of: "\t1\t", with: "\tyes\t") }?.message.contains("line 2") == true)
        #expect(try error(concepts) { _ in "" }?.message.contains("empty") == true)
        let missing = "\(SnomedExamples.code(3))"
        #expect(try error(relationships) { $0.replacingOccurrences(of: missing, with: "999005") }?.message.contains("999005") == true)
        // The root below the last concept makes a circle.
        let circle = "\(SnomedExamples.root)\t\(SnomedExamples.code(3))"
        let message = try error(relationships) {
            $0 + "9021\t20250101\t1\t900000000000207008\t\(circle)\t0\t116680003\t900000000000011006\t900000000000451002\r\n"
        }?.message
        #expect(message?.contains("above itself") == true)
        #expect(throws: KnowledgeError.self) { try CodeSystemFile(path: folder.file("new.sqlite")).add([folder.file("nothing")]) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("new.sqlite")))
    }

    @Test func loincHasItsHierarchyAndAnswerLists() throws {
        let release = folder.file("Loinc")
        for (file, text) in [
            (
                "LoincTable/Loinc.csv",
                """
                "LOINC_NUM","COMPONENT","SYSTEM","STATUS","VersionLastChanged","LONG_COMMON_NAME","SHORTNAME"
                "1-8","Acyclovir","Isolate","ACTIVE","2.73","Acyclovir [Susceptibility]","Acyclovir Susc Islt"
                "2-6","A ""quoted"" thing, with a comma","Bld","DEPRECATED","2.80","Old","Old"
                """
            ),
            (
                "AccessoryFiles/ComponentHierarchyBySystem/ComponentHierarchyBySystem.csv",
                """
                PATH_TO_ROOT,SEQUENCE,IMMEDIATE_PARENT,CODE,CODE_TEXT
                ,1,,LP1-0,Top
                LP1-0,1,LP1-0,LP2-0,Group
                LP1-0.LP2-0,1,LP2-0,1-8,Acyclovir
                """
            ),
            (
                "AccessoryFiles/AnswerFile/AnswerList.csv",
                """
                AnswerListId,AnswerListName,AnswerStringId,DisplayText
                LL1-9,Yes or no,LA33-6,Yes
                LL1-9,Yes or no,LA32-8,No
                """
            ),
        ] {
            let url = URL(fileURLWithPath: release + "/" + file)
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        let path = folder.file("codes.sqlite")
        #expect(try CodeSystemFile(path: path).add([release]).version == "2.80")
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        #expect(try terminology.relation(of: "LP1-0", to: "1-8", in: "http://loinc.org") == .subsumes)
        #expect(try terminology.expand("http://loinc.org/vs/LL1-9").codes.map(\.display) == ["Yes", "No"])
        #expect(try terminology.expand("http://loinc.org/vs/LP1-0").codes.map(\.code) == ["LP1-0", "LP2-0", "1-8"])
        #expect(try terminology.lookup(TerminologyCode("2-6", system: "http://loinc.org")).isInactive)
        let filter =
            #"{"include":[{"system":"http://loinc.org","filter":[{"property":"COMPONENT","op":"=","value":"A \"quoted\" thing, with a comma"}]}]}"#
        try terminology.add(contentsOf: Data(TerminologyExamples.valueSet("loinc", filter).utf8))
        #expect(try TerminologyExamples.codes(terminology, "loinc") == ["2-6"])
    }

    @Test func rxNormAndOrderFilesAreRead() throws {
        let release = folder.file("rx")
        try FileManager.default.createDirectory(atPath: release, withIntermediateDirectories: true)
        func conso(_ code: String, _ type: String, _ term: String) -> String {
            "\(code)|ENG|||||1|\(code)\(type)|||\(code)|RXNORM|\(type)|\(code)|\(term)||N||"
        }
        let names = [conso("161", "IN", "acetaminophen"), conso("161", "SY", "APAP"), conso("2", "SCDC", "acetaminophen 325 MG")]
        try Data((names.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: release + "/RXNCONSO.RRF"))
        try Data("161||CUI|RN|2||CUI|has_ingredient|||RXNORM||||||\n".utf8).write(to: URL(fileURLWithPath: release + "/RXNREL.RRF"))
        let path = folder.file("codes.sqlite")
        try CodeSystemFile(path: path).add([release])
        func line(_ code: String, _ flag: Int, _ name: String) -> String {
            "00001 \(code.padding(toLength: 7, withPad: " ", startingAt: 0)) \(flag) \(name.padding(toLength: 60, withPad: " ", startingAt: 0)) \(name)"
        }
        let order = try folder.write(
            "icd10cm_order_2025.txt",
            [line("A00", 0, "Cholera"), line("A000", 1, "Cholera due to X"), line("B01", 1, "Other")].joined(separator: "\n"))
        #expect(try CodeSystemFile(path: path).add([order]).version == "2025")
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        #expect(try terminology.relation(of: "A00", to: "A00.0", in: "http://hl7.org/fhir/sid/icd-10-cm") == .subsumes)
        let rxnorm = "http://www.nlm.nih.gov/research/umls/rxnorm"
        #expect(try terminology.lookup(TerminologyCode("161", system: rxnorm)).display == "acetaminophen")
        let filter = #"{"include":[{"system":"\#(rxnorm)","filter":[{"property":"has_ingredient","op":"=","value":"161"}]}]}"#
        try terminology.add(contentsOf: Data(TerminologyExamples.valueSet("rx", filter).utf8))
        #expect(try TerminologyExamples.codes(terminology, "rx") == ["2"])
        #expect(try CodeSystemFile(path: path).systems().count == 2)
    }
}
