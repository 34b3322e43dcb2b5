import Testing

@testable import FireLiteGenerator

struct ImporterErrorTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func structure(_ elements: String, kind: String = "complex-type", version: String = "4.0.1") -> String {
        """
        {"resourceType": "StructureDefinition", "url": "http://hl7.org/fhir/StructureDefinition/Thing",
         "fhirVersion": "\(version)", "kind": "\(kind)", "snapshot": {"element": [
        {"path": "Thing"}\(elements.isEmpty ? "" : ",")
        \(elements)]}}
        """
    }

    private func error(named name: String? = nil) -> String? {
        message { _ = try DefinitionsImporter.importRelease(from: folder.path, named: name) }
    }

    @Test func badFolders() throws {
        #expect(
            message { _ = try DefinitionsImporter.importRelease(from: folder.path + "/no", named: nil) }
                == "\(folder.path)/no: no such definitions folder")
        let file = try folder.write("a.txt", "")
        #expect(
            message { _ = try DefinitionsImporter.importRelease(from: file, named: nil) }
                == "\(file): not a folder, expected a folder of FHIR definitions")
        #expect(error() == "\(folder.path): no StructureDefinition of a type in this folder")
    }

    @Test func badJSONIsFoundInItsFile() throws {
        let file = try folder.write("sub/a.json", "{\n  \"resourceType\": oops\n}")
        #expect(error() == "\(file):2:19: unexpected character, expected a JSON value")
    }

    @Test(arguments: [
        (#"{"min": 0, "max": "1"}"#, 4, 1, "element without `path`"),
        (#"{"path": "Thing.a", "min": 0, "max": "1"}"#, 4, 1, "element `Thing.a` without a type"),
        (#"{"path": "Thing.a", "min": 0, "type": [{"code": "Thing"}]}"#, 4, 1, "element `Thing.a` without `max`"),
        (#"{"path": "Thing.a", "min": 0, "max": "x", "type": []}"#, 4, 1, "element `Thing.a` without a sound `min` and `max`"),
        (#"{"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "nope"}]}"#, 4, 1, "no type `nope` for `Thing.a`"),
        (#"{"path": "Thing.a", "min": 0, "max": "1", "type": [{}]}"#, 4, 52, "type of element `Thing.a` without `code`"),
        (
            #"{"path": "Thing.a-b", "min": 0, "max": "1", "type": [{"code": "Thing"}]}"#, 4, 1,
            "`a-b` in the path `Thing.a-b` is not an element name"
        ),
        (
            ##"{"path": "Thing.a", "min": 0, "max": "1", "contentReference": "#Thing.b"}"##, 4, 63,
            "no element `Thing.b` to take the content from"
        ),
        (
            #"{"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "Thing"}], "binding": {"strength": "strong"}}"#, 4, 83,
            "unknown binding strength `strong`"
        ),
        (
            #"{"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "Thing", "targetProfile": ["x/y z"]}]}"#, 4, 88,
            "`y z`, a target of `Thing.a`, is not a type name"
        ),
    ])
    func badElements(element: String, line: Int, column: Int, expected: String) throws {
        let file = try folder.write("a.json", structure(element))
        #expect(error() == "\(file):\(line):\(column): \(expected)")
    }

    @Test func severalTypesNeedAChoice() throws {
        let element = #"{"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "Thing"}, {"code": "other"}]}"#
        try folder.write("a.json", structure(element))
        try folder.write("b.json", structure("").replacingThing(by: "other"))
        #expect(error()?.hasSuffix("a.json:4:1: `Thing.a` has several types but no `[x]`") == true)
    }

    @Test func badStructures() throws {
        var file = try folder.write("a.json", structure("", kind: "odd"))
        #expect(error() == "\(file):2:34: unknown kind `odd` of a StructureDefinition")
        file = try folder.write("a.json", #"{"resourceType": "StructureDefinition"}"#)
        #expect(error() == "\(file):1:1: StructureDefinition without `url`")
        file = try folder.write("a.json", #"{"resourceType": "StructureDefinition", "url": "a b"}"#)
        #expect(error() == "\(file):1:48: `url` is not a single word")
        file = try folder.write("a.json", #"{"resourceType": "StructureDefinition", "url": "x/T", "kind": "resource"}"#)
        #expect(error() == "\(file):1:1: StructureDefinition `T` without a snapshot")
    }

    @Test func releasesAreNotMixedUp() throws {
        let element = #"{"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "Thing"}]}"#
        try folder.write("a.json", structure(element))
        #expect(error(named: "R5") == "\(folder.path): these are definitions of R4 4.0.1, not of R5")
        #expect(error(named: "R4") == nil)
        let file = try folder.write("b.json", structure(element, version: "5.0.0").replacingThing(by: "Other"))
        #expect(error() == "\(file):2:17: definitions of FHIR 5.0.0 among those of FHIR 4.0.1")
        try folder.write("a.json", structure(element, version: "7.1.0"))
        try folder.write("b.json", "{}")
        #expect(error() == "\(folder.path): FHIR 7.1.0 is not a known release: name it with --release")
        #expect(error(named: "R7") == nil)
    }

    @Test func badCodes() throws {
        let element = """
            {"path": "Thing.a", "min": 0, "max": "1", "type": [{"code": "Thing"}],
             "binding": {"strength": "required", "valueSet": "http://x/v"}}
            """
        try folder.write("a.json", structure(element))
        let file = try folder.write(
            "b.json",
            #"{"resourceType": "ValueSet", "url": "http://x/v", "compose": {"include": [{"concept": [{"code": "a\nb"}]}]}}"#)
        #expect(error() == "\(file):1:1: `a b` is not a code")
    }

    /// Definitions with misspelled words give a release that can be named, or an error in a file.
    @Test func misspelledDefinitionsNeverCrash() throws {
        let name = "profiles-types.json"
        let bytes = try SourceFile(path: Fixtures.definitions + "/" + name).bytes
        let resource = try String(
            decoding: SourceFile(path: Fixtures.definitions + "/package/StructureDefinition-Resource.json").bytes, as: UTF8.self)
        var imported = 0
        for seed in 0..<200 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let files = [
                SourceFile(name: name, bytes: generator.respelled(bytes)), SourceFile(name: "r.json", bytes: Array(resource.utf8)),
            ]
            do {
                let resources = try files.flatMap { try DefinitionsFolder.resources(in: $0) }
                let release = try DefinitionsImporter(resources, folder: "x").importRelease(named: "Mini").definition
                imported += 1
                _ = NamingPass.name(release)
            } catch let error as GeneratorError {
                #expect(error.location != nil, "seed \(seed): \(error)")
            }
        }
        #expect(imported > 20 && imported < 200)
    }
}

extension String {
    /// The definition of `Thing` as that of another type.
    fileprivate func replacingThing(by name: String) -> String {
        split(separator: "Thing", omittingEmptySubsequences: false).joined(separator: name)
    }
}
