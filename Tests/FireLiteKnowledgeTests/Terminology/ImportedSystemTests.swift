import FireLiteReleases
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// Code systems that were imported into a file of packages answer a validator's questions, while others change the file.
@Suite struct ImportedSystemTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("codes.sqlite")
    }

    private static func question(_ number: Int, _ display: String? = nil) -> CodeQuestion {
        CodeQuestion(system: SnomedCode.url, code: "\(SnomedExamples.code(number))", display: display)
    }

    private func example(_ count: Int) -> SnomedExamples {
        var example = SnomedExamples()
        for number in 1..<count { example.parents[number] = [(number - 1) / 2] }
        return example
    }

    @Test func validatorsUseTheCodeSystemsOfAFile() throws {
        try CodeSystemFile(path: path).add([example(20).write(folder)])
        let knowledge = Knowledge(release: TerminologyExamples.release)
        try knowledge.addKnowledge(at: path)
        let codes = FHIRValidator(knowledge: knowledge).codes
        let below = Canonical("http://snomed.info/sct?fhir_vs=isa/\(SnomedExamples.code(1))")
        // Concept 3 is below 1, and 2 is not.
        #expect(codes.membership(of: Self.question(3), in: below) == .member)
        #expect(codes.membership(of: Self.question(2), in: below) == .notMember)
        #expect(codes.existence(of: Self.question(19)) == .member)
        #expect(codes.existence(of: Self.question(400)) == .notMember)
        #expect(codes.display(of: Self.question(3, "Thing 3")) == .member)
        #expect(codes.display(of: Self.question(3, "Thing 4")) == .notMember)
        let valueSet = """
            {"resourceType":"ValueSet","url":"http://example.org/below","status":"active","compose":{"include":[{"system":"\(SnomedCode.url)",
             "filter":[{"property":"concept","op":"is-a","value":"\(SnomedExamples.code(1))"}]}]}}
            """
        try knowledge.add(Data(valueSet.utf8), source: "below")
        let later = FHIRValidator(knowledge: knowledge).codes
        #expect(later.membership(of: Self.question(3), in: Canonical("http://example.org/below")) == .member)
        #expect(later.membership(of: Self.question(2), in: Canonical("http://example.org/below")) == .notMember)
        // Without the file nobody knows.
        let bare = FHIRValidator(knowledge: Knowledge(release: TerminologyExamples.release)).codes
        #expect(bare.membership(of: Self.question(3), in: below) == .unknown && bare.existence(of: Self.question(3)) == .unknown)
    }

    /// Readers keep the file's lock for a moment after each question, and while questions follow each other.
    @Test func anImportEndsWhileOthersAsk() throws {
        try CodeSystemFile(path: path).add([example(5).write(folder)])
        var shared = Terminology(release: TerminologyExamples.release)
        try shared.addCodeSystems(at: path)
        let terminology = shared
        let top = "\(SnomedExamples.code(0))"
        let isOver = Flag()
        let ended = DispatchSemaphore(value: 0)
        let readers = 3
        for _ in 0..<readers {
            let thread = Thread {
                do {
                    while !isOver.isSet {
                        let relation = try terminology.relation(of: top, to: "\(SnomedExamples.code(3))", in: SnomedCode.url)
                        #expect(relation == .subsumes)
                    }
                } catch { Issue.record(error) }
                ended.signal()
            }
            thread.start()
        }
        let more = try example(30).write(folder, "more")
        let imported = Result { try CodeSystemFile(path: path).add([more]) }
        isOver.set()
        for _ in 0..<readers { ended.wait() }
        #expect(try imported.get().conceptCount == 31)
        #expect(try terminology.relation(of: top, to: "\(SnomedExamples.code(29))", in: SnomedCode.url) == .subsumes)
    }

    @Test func aTerminologyOfKnowledgeHasItsCodeSystems() throws {
        try CodeSystemFile(path: path).add([example(5).write(folder)])
        let knowledge = Knowledge(release: TerminologyExamples.release)
        try knowledge.addKnowledge(at: path)
        var terminology = Terminology(release: TerminologyExamples.release)
        terminology.add(knowledge)
        #expect(try terminology.expand("http://snomed.info/sct?fhir_vs").total == 6)
        #expect(try terminology.lookup(TerminologyCode("\(SnomedExamples.code(4))", system: SnomedCode.url)).display == "Thing 4")
    }

    /// The numbers of rows change when a version is imported again; a terminology that is in use finds the new ones.
    @Test func aVersionThatIsImportedAgainIsUsedFromThenOn() throws {
        let file = CodeSystemFile(path: path)
        try file.add([example(10).write(folder, "one")])
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        let last = TerminologyCode("\(SnomedExamples.code(15))", system: SnomedCode.url)
        let all = "http://snomed.info/sct?fhir_vs=isa/\(SnomedExamples.root)"
        #expect(try terminology.expand(all).total == 10)
        #expect(try !terminology.validate(last).isValid)
        try file.add([example(20).write(folder, "two")])
        #expect(try terminology.expand(all).total == 20)
        #expect(try terminology.validate(last, in: all).isValid)
        #expect(try file.remove(SnomedCode.url) == 1)
        #expect(throws: (any Error).self) { try terminology.lookup(last) }
    }

    /// Every answer is that of the version before or of the one after, and none is an error.
    @Test func questionsDuringAnImportAreAnswered() async throws {
        let file = CodeSystemFile(path: path)
        try file.add([example(30).write(folder, "one")])
        let release = try example(60).write(folder, "two")
        var terminology = Terminology(release: TerminologyExamples.release)
        try terminology.addCodeSystems(at: path)
        let known = terminology
        let all = "http://snomed.info/sct?fhir_vs=isa/\(SnomedExamples.root)"
        let code = TerminologyCode("\(SnomedExamples.code(7))", system: SnomedCode.url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<5 { try CodeSystemFile(path: file.path).add([release]) } }
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<100 {
                        let total = try known.expand(all, count: 5).total
                        #expect(total == 30 || total == 60)
                        #expect(try known.validate(code, in: all).isValid)
                        #expect(try known.lookup(code).children.count == 2)
                        #expect(try !known.expand(all, filter: "thing 7", count: 1).codes.isEmpty)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try known.expand(all, count: 5).total == 60)
    }
}
