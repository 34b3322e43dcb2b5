import Testing

@testable import FireLiteGenerator

struct NamingTests {
    private let named: NamedRelease

    init() throws { named = NamingPass.name(try Fixtures.mini()) }

    // MARK: - Types

    @Test func typesKeepFHIRsNames() throws {
        for name in ["Task", "Range", "List", "Element", "TaskInput", "TaskValue"] {
            #expect(try named.namedClass(name).name == name)
        }
    }

    @Test func typesTheGeneratedCodeNeedsAreRenamed() throws {
        #expect(try named.namedClass("Layout").name == "LayoutType")
    }

    @Test func backbonesGiveWayToTypes() throws {
        #expect(try named.namedClass("Task.input").name == "TaskInputElement")
        #expect(try named.namedClass("List.repeat").name == "ListRepeat")
    }

    @Test func codesGiveWayToTypes() throws {
        // The value set is called `Task kind` and its only binding `Range`.
        #expect(try named.namedClass("Task").element("kind").codesName == "RangeCodes")
    }

    @Test func oneWordNamesOfCodesTakeTheirURL() throws {
        #expect(try named.namedClass("Task").element("use").codesName == "TaskUse")
    }

    @Test func choicesGiveWayToTypes() throws {
        #expect(try named.namedClass("Task").element("value").choice?.enumName == "TaskValueChoice")
    }

    @Test func collisionsAreResolvedRecursively() {
        var scope = NameScope(reserved: ["Use", "UseCodes"], isCaseSensitive: false)
        #expect(scope.take("Use", suffix: "Codes") == "UseCodesCodes")
        #expect(scope.take("USE", suffix: "Codes") == "USECodesCodesCodes")
        #expect(scope.take("Other", suffix: "Codes") == "Other")
    }

    @Test func longListsOfTypesShareAnEnum() throws {
        for (path, name) in [("Extension", "value"), ("Task.input", "value"), ("List", "open")] {
            #expect(try named.namedClass(path).element(name).choice?.enumName == "OpenType")
        }
        #expect(named.sharedChoices.map(\.name) == ["OpenType"])
        #expect(named.sharedChoices[0].paths == ["Extension.value[x]", "List.open[x]", "Task.input.value[x]"])
        #expect(try named.namedClass("Task").choices.map(\.name) == ["TaskValueChoice"])
    }

    // MARK: - Members

    @Test func keywordsGoInBackticks() {
        for name in ["class", "extension", "repeat", "import", "default", "for", "protocol", "in", "operator", "case"] {
            #expect(SwiftName.escaped(name) == "`\(name)`")
        }
        for name in ["description", "status", "hash", "value"] { #expect(SwiftName.escaped(name) == name) }
        #expect(SwiftName.label("inout") == "`inout`")
        #expect(SwiftName.label("for") == "for")
    }

    @Test func membersOfTheRuntimeAreAvoided() throws {
        let task = try named.namedClass("Task")
        for (name, member) in [("pk", "pk_"), ("copy", "copy_"), ("self", "self_"), ("Type", "Type_"), ("for", "for")] {
            #expect(try task.element(name).members.map(\.name) == [member])
        }
        #expect(try named.namedClass("List").element("description").members.map(\.name) == ["description"])
    }

    /// A class refers to its layout by a variable, which a property of that name would hide.
    @Test func membersKeepClearOfLayouts() throws {
        let digest = """
            FireLite digest 1
            release X 1.0
            primitive code - http://x/code
            datatype Element - http://x/Element
              slots 0..1 code
              elementLayout 0..1 code
              thingLayout 0..1 code
            datatype ID Element http://x/ID
            datatype PATIENT Element http://x/PATIENT
            datatype Patient Element http://x/Patient
            datatype Thing Element http://x/Thing
            """
        let named = NamingPass.name(try DigestReader.read(SourceFile(name: "x", bytes: Array(digest.utf8))))
        #expect(try named.namedClass("Element").elements.flatMap(\.members).map(\.name) == ["slots_", "elementLayout_", "thingLayout_"])
        #expect(named.types.map(\.name) == ["Element", "IDType", "PATIENT", "PatientType", "Thing"])
    }

    @Test func membersOfChoicesGiveWayToElements() throws {
        let task = try named.namedClass("Task")
        #expect(
            try task.element("value").members.map(\.name) == ["valueString_", "valueQuantity", "valueReference", "valueCode"])
        #expect(try task.element("valueString").members.map(\.name) == ["valueString"])
    }

    @Test func resourceTypeIsTakenOnlyInResources() throws {
        let digest = """
            FireLite digest 1
            release X 1.0
            primitive code - http://x/code
            datatype Element - http://x/Element
              resourceType 0..1 code
            resource Resource - http://x/Resource
              resourceType 0..1 code
            """
        let release = try DigestReader.read(SourceFile(name: "x", bytes: Array(digest.utf8)))
        let named = NamingPass.name(release)
        #expect(try named.namedClass("Element").element("resourceType").members.map(\.name) == ["resourceType"])
        #expect(try named.namedClass("Resource").element("resourceType").members.map(\.name) == ["resourceType_"])
    }

    // MARK: - Codes

    @Test(arguments: [
        ("entered-in-error", "enteredInError"), ("<", "lessThan"), (">=", "greaterThanOrEqual"), ("!=", "notEqual"),
        ("2.0", "_2_0"), ("4.0.1", "_4_0_1"), ("GET", "get"), ("HTTP-GET", "httpGet"), ("HTTPVerb", "httpVerb"),
        ("MedicationRequest", "medicationRequest"), ("is-a", "isA"), ("application/fhir+json", "applicationFhirPlusJson"),
        ("ad hoc", "adHoc"), ("v2.1x", "v2_1x"), ("é", "ue9"), ("-", "unnamed"), ("", "unnamed"), ("class", "class"),
        ("UML2", "uml2"), ("A4", "a4"),
    ])
    func codesBecomeMembers(code: String, member: String) {
        #expect(SwiftName.memberName(code: code) == member)
    }

    @Test func codesThatMeetGetASuffix() throws {
        let members = try named.namedCodes("TaskStatus").members
        #expect(members.first { $0.code == "a" }?.name == "a")
        #expect(members.first { $0.code == "A" }?.name == "a_")
        // `.none` in the place of an optional would be nil.
        #expect(members.first { $0.code == "none" }?.name == "none_")
        #expect(members.first { $0.code == "self" }?.name == "self_")
    }

    @Test func manyCodesHaveNoMembers() throws {
        func codes(_ count: Int) throws -> NamedCodes {
            var release = try Fixtures.mini()
            let index = try #require(release.valueSets.firstIndex { $0.url.hasSuffix("task-use") })
            release.valueSets[index].codes = (1...count).map { "c\($0)" }
            return try NamingPass.name(release).namedCodes("TaskUse")
        }
        #expect(try codes(300).members.count == 300)
        #expect(try codes(301).members.isEmpty)
        #expect(try codes(301).valueSet.codes.count == 301)
    }

    @Test(arguments: [
        ("medicationrequest Status", "MedicationrequestStatus"), ("v3.Confidentiality", "V3Confidentiality"),
        ("orientationType", "OrientationType"), ("2nd list", "_2ndList"), ("", "Unnamed"),
    ])
    func textsBecomeTypeNames(text: String, name: String) {
        #expect(SwiftName.typeName(text) == name)
    }

    // MARK: - Slots and accessors

    @Test func slotsFollowThoseOfTheBase() throws {
        func slots(_ path: String) throws -> [Int] { try named.namedClass(path).elements.map(\.slot) }
        #expect(try slots("Element") == [0, 1])
        #expect(try slots("BackboneElement") == [2])
        #expect(try slots("Resource") == [0, 1])
        #expect(try slots("DomainResource") == [2, 3])
        #expect(try slots("List.repeat") == [3, 4])
        #expect(try slots("List.item") == [2])
        #expect(try slots("Extension") == [2, 3])
        #expect(try named.namedClass("Task").element("value").members.map(\.slot) == [12, 13, 14, 15])
        #expect(try named.namedClass("Task").element("valueString").slot == 16)
    }

    @Test func primitivesGoByTheirBase() throws {
        let task = try named.namedClass("Task")
        #expect(try task.element("amount").members.map(\.accessor) == [.int])
        #expect(try task.element("Type").members.map(\.swiftType) == ["FHIRDate"])
        #expect(try task.element("text").members.map(\.swiftType) == ["String"])
        #expect(try task.element("unit").members.map(\.accessor) == [.string])
        #expect(try task.element("status").members.map(\.swiftType) == ["TaskStatus"])
        #expect(try task.element("kind").members.map(\.swiftType) == ["Coding"])
    }

    @Test func basesAreNotFinal() throws {
        #expect(try named.namedClass("Quantity").isFinal == false)
        #expect(try named.namedClass("Age").isFinal)
        #expect(try named.namedClass("Resource").baseName == "FHIRResource")
        #expect(try named.namedClass("Element").baseName == "FHIRObject")
        #expect(try named.namedClass("Age").baseName == "Quantity")
        #expect(try named.namedClass("Resource").element("id").isInherited)
        #expect(try named.namedClass("Element").element("id").isInherited == false)
    }

    /// R5's `Base` has no elements; what derives from it derives from the runtime's roots.
    @Test func emptyRootsHaveNoClass() throws {
        let digest = """
            FireLite digest 1
            release X 1.0
            primitive id - http://x/id
            abstract datatype Base - http://x/Base
            abstract datatype Element Base http://x/Element
            abstract resource Resource Base http://x/Resource
              id 0..1 id
            """
        let release = try DigestReader.read(SourceFile(name: "x", bytes: Array(digest.utf8)))
        let named = NamingPass.name(release)
        #expect(named.types.map(\.name) == ["Element", "Resource"])
        #expect(try named.namedClass("Resource").baseName == "FHIRResource")
        #expect(try named.namedClass("Resource").element("id").isInherited)
        #expect(try named.namedClass("Element").baseName == "FHIRObject")
    }
}
