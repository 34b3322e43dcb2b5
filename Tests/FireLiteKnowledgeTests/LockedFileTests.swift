import FireLite
import FireLiteCore
import FireLiteR4
import Foundation
import TestSupport
import Testing

@testable import FireLiteKnowledge

/// What a file of packages cannot say now is an error, never a verdict, and is asked again the next time.
@Suite struct LockedFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("k.sqlite")
        let package = folder.file("guide")
        try FileManager.default.createDirectory(atPath: package, withIntermediateDirectories: true)
        try folder.write("guide/package.json", #"{"name":"a.guide","version":"1.0.0"}"#)
        try folder.write("guide/profile.json", Self.profile)
        try folder.write("guide/set.json", Self.valueSet)
        try folder.write("guide/system.json", Self.codeSystem)
        try KnowledgeFile(path: path).addPackage(at: package)
    }

    private static let url = "http://a.org/p"
    private static let set = "http://a.org/set"
    private static let profile = """
        {"resourceType":"StructureDefinition","url":"\(url)","name":"P","status":"active","kind":"resource","abstract":false,"type":"Patient",
         "baseDefinition":"http://hl7.org/fhir/StructureDefinition/Patient","derivation":"constraint","differential":{"element":[
         {"id":"Patient","path":"Patient"},{"id":"Patient.birthDate","path":"Patient.birthDate","min":1},
         {"id":"Patient.maritalStatus","path":"Patient.maritalStatus","binding":{"strength":"required","valueSet":"\(set)"}}]}}
        """
    private static let valueSet = """
        {"resourceType":"ValueSet","url":"\(set)","status":"active","compose":{"include":[{"system":"http://a.org/system"}]}}
        """
    private static let codeSystem = """
        {"resourceType":"CodeSystem","url":"http://a.org/system","status":"active","content":"complete","concept":[{"code":"a"}]}
        """

    private func patient(_ code: String) throws -> Patient {
        let text = """
            {"resourceType":"Patient","meta":{"profile":["\(Self.url)"]},"birthDate":"2000-01-01",
             "maritalStatus":{"coding":[{"system":"http://a.org/system","code":"\(code)"}]}}
            """
        return try FHIRJSON.decode(Patient.self, from: Data(text.utf8))
    }

    private func validator(_ busyTimeout: Int) throws -> FHIRValidator {
        let knowledge = Knowledge(release: .r4)
        try knowledge.addKnowledge(at: path, busyTimeout: busyTimeout)
        return FHIRValidator(knowledge: knowledge)
    }

    /// Runs `body` while another connection has locked the file.
    private func locked(_ body: () throws -> Void) throws {
        let writer = try CodeTables(writing: path)
        try writer.with { try $0.run("BEGIN EXCLUSIVE") }
        try body()
        try writer.with { try $0.run("ROLLBACK") }
    }

    private func errors(_ validator: FHIRValidator, _ code: String) throws -> [ValidationIssue.MessageID] {
        try validator.validate(patient(code)).filter { $0.severity == .error }.map(\.messageID)
    }

    @Test func aLockedFileIsAnErrorAndIsReadLater() throws {
        let validator = try validator(10)
        try locked {
            for code in ["a", "b"] {
                let error = #expect(throws: KnowledgeError.self) { try validator.validate(patient(code)) }
                #expect(error?.code == .file && error?.message.contains("is locked") == true, "\(error?.message ?? "")")
            }
            #expect(throws: KnowledgeError.self) { try validator.validate(Patient(), against: [Self.url]) }
            #expect(throws: KnowledgeError.self) { try validator.knowledge.definitions(ofType: "ValueSet", url: Self.set) }
        }
        #expect(try errors(validator, "a").isEmpty)
        #expect(try errors(validator, "b").contains(.code))
        #expect(try validator.validate(Patient(), against: [Self.url]).contains { $0.messageID == .minimum })
    }

    /// The profile is known already, and the codes are asked for first while the file is locked.
    @Test func anAnswerAboutCodesThatFailedIsNotKept() throws {
        let validator = try validator(10)
        #expect(try validator.validate(Patient(), against: [Self.url]).contains { $0.messageID == .minimum })
        try locked {
            #expect(throws: KnowledgeError.self) { try validator.validate(patient("b")) }
            let question = CodeQuestion(system: "http://a.org/system", code: "b")
            #expect(validator.codes.membership(of: question, in: Canonical(Self.set)) == .unknown)
            #expect(validator.codes.existence(of: question) == .unknown)
        }
        let question = CodeQuestion(system: "http://a.org/system", code: "b")
        #expect(validator.codes.membership(of: question, in: Canonical(Self.set)) == .notMember)
        #expect(validator.codes.existence(of: question) == .notMember)
        #expect(try errors(validator, "b").contains(.code))
    }

    @Test func importedCodesOfALockedFileAreUnknownOnlyAsLongAsItIs() throws {
        var example = SnomedExamples()
        for number in 1..<5 { example.parents[number] = [0] }
        try CodeSystemFile(path: path).add([example.write(folder)])
        let codes = try validator(10).codes
        let question = CodeQuestion(system: SnomedCode.url, code: "\(SnomedExamples.code(3))")
        let all = Canonical("http://snomed.info/sct?fhir_vs")
        try locked {
            #expect(codes.membership(of: question, in: all) == .unknown)
            #expect(codes.existence(of: question) == .unknown)
        }
        #expect(codes.membership(of: question, in: all) == .member)
        #expect(codes.existence(of: question) == .member)
    }

    @Test func aValidationWaitsForAWriter() throws {
        let validator = try validator(FileWait.reading)
        let writer = try CodeTables(writing: path)
        let (isLocked, isAsked) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Thread {
            do {
                try writer.with { try $0.run("BEGIN EXCLUSIVE") }
                isLocked.signal()
                isAsked.wait()
                try writer.with { try $0.run("ROLLBACK") }
            } catch {
                Issue.record(error)
                isLocked.signal()
            }
        }
        thread.start()
        isLocked.wait()
        isAsked.signal()
        #expect(try errors(validator, "b").contains(.code))
    }

    @Test func aPackageThatIsRemovedWhileInUseIsAnError() throws {
        let validator = try validator(10)
        #expect(try KnowledgeFile(path: path).removePackage(named: "a.guide") == 1)
        let error = #expect(throws: KnowledgeError.self) { try validator.validate(patient("a")) }
        #expect(error?.code == .file && error?.message.contains("removed") == true)
    }

    @Test func aStoreRefusesWhatItCannotCheck() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        store.requireValidation(by: try validator(10))
        try locked { #expect(throws: KnowledgeError.self) { try store.write { try $0.add(try patient("a")) } } }
        #expect(try store.count(Patient.self) == 0)
        try store.write { try $0.add(try patient("a")) }
        #expect(try store.count(Patient.self) == 1)
    }

    @Test func anImportSaysThatAnotherOneRuns() throws {
        let system = CodeSystemFile(path: path)
        try locked {
            let error = #expect(throws: KnowledgeError.self) { try CodeTables(writing: path, busyTimeout: 10) }
            #expect(error?.code == .file && error?.message.contains("another import is running") == true, "\(error?.message ?? "")")
        }
        let (first, second) = (try CodeTables(writing: path), try CodeTables(writing: path, busyTimeout: 10))
        try first.with { try $0.run("BEGIN IMMEDIATE") }
        let error = #expect(throws: KnowledgeError.self) { try second.transaction { _ in } }
        #expect(error?.message.contains("another import is running") == true)
        try first.with { try $0.run("ROLLBACK") }
        try second.transaction { _ in }
        #expect(try system.systems().isEmpty)
    }

    @Test func damagedTextsAreErrors() throws {
        let validator = try validator(10)
        try CodeTables(writing: path).with { try $0.run("UPDATE definition SET text = '{' WHERE type = 'ValueSet'") }
        let error = #expect(throws: KnowledgeError.self) { try validator.validate(patient("a")) }
        #expect(error?.code == .file && error?.message.contains("damaged") == true, "\(error?.message ?? "")")
    }
}
