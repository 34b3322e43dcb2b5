import FireLiteR4
import FireLiteReleases
import FireLiteSearch
import Foundation
import Testing

/// Definitions are read with errors that name the place.
struct ViewDefinitionTests {
    private func error(_ json: String) -> ViewError? {
        do {
            try ViewDefinition(json: Data(json.utf8)).validate(for: .r4)
            return nil
        } catch {
            return error as? ViewError
        }
    }

    private static func view(_ select: String, _ rest: String = "") -> String {
        #"{"resourceType":"ViewDefinition","status":"active","resource":"Patient","select":["# + select + "]" + rest + "}"
    }

    private static let id = #"{"column":[{"name":"id","path":"id"}]}"#

    @Test(arguments: [
        ("", "definition", ""), ("[]", "definition", ""), (#"{"resource":"Patient"}"#, "definition", "select"),
        (#"{"select":[]}"#, "definition", ""), (#"{"resource":1,"select":[]}"#, "definition", "resource"),
        (#"{"resourceType":"Patient","resource":"Patient"}"#, "definition", "resourceType"),
        (view(#"{"forEach":1}"#), "definition", "select[0].forEach"), (view(#"{"forEach":"name"}"#), "columns", "select"),
        (view(#"{"forEachOrNul":"name"}"#), "definition", "select[0]"),
        (view(#"{"repeat":[],"column":[]}"#), "definition", "select[0].repeat"),
        (view(#"{"forEach":"name","repeat":["item"]}"#), "definition", "select[0]"),
        (view(#"{"column":{"name":"a","path":"id"}}"#), "definition", "select[0].column"),
        (view(#"{"column":[{"name":"a"}]}"#), "definition", "select[0].column[0]"),
        (view(#"{"column":[{"name":"a b","path":"id"}]}"#), "definition", "select[0].column[0].name"),
        (view(#"{"column":[{"name":"a","path":"id","collection":"yes"}]}"#), "definition", "select[0].column[0].collection"),
        (view(id + "," + id), "columns", "select[1].column[0].name"),
        (view(id, #","where":[{"path":"name.family"}]"#), "notBoolean", "where[0].path"),
        (view(id, #","where":[{}]"#), "definition", "where[0]"),
        (view(id, #","constant":[{"name":"c"}]"#), "definition", "constant[0]"),
        (view(id, #","constant":[{"name":"c","valueString":"a","valueCode":"b"}]"#), "definition", "constant[0]"),
        (view(id, #","constant":[{"name":"c","valueInteger":"1"}]"#), "definition", "constant[0].valueInteger"),
        (view(id, #","constant":[{"name":"c","valueDate":"soon"}]"#), "definition", "constant[0]"),
        (view(#"{"column":[{"name":"a","path":"nam"}]}"#), "expression", "select[0].column[0].path"),
        (view(#"{"column":[{"name":"a","path":"name."}]}"#), "expression", "select[0].column[0].path"),
        (view(#"{"column":[{"name":"a","path":"%none"}]}"#), "expression", "select[0].column[0].path"),
        (
            view(#"{"forEach":"name","select":[{"column":[{"name":"a","path":"use"}]},{"column":[{"name":"b","path":"city"}]}]}"#),
            "expression", "select[0].select[1].column[0].path"
        ),
        (
            view(#"{"unionAll":[{"column":[{"name":"a","path":"id"}]},{"column":[{"name":"b","path":"id"}]}]}"#), "columns",
            "select[0].unionAll[1]"
        ),
        (
            view(
                #"{"unionAll":[{"column":[{"name":"a","path":"id","type":"id"}]},{"column":[{"name":"a","path":"active","type":"boolean"}]}]}"#
            ),
            "columns", "select[0].unionAll[1]"
        ),
    ]) func mistakesHaveTheirPlaces(_ json: String, _ code: String, _ place: String) throws {
        let found = try #require(error(json))
        #expect(found.code.rawValue == code && found.place == place, "\(found)")
    }

    @Test func aDefinitionInSwiftIsTheOneInJSON() throws {
        let json =
            #"{"name":"v","resource":"Patient","constant":[{"name":"u","valueCode":"old"}],"select":[{"forEachOrNull":"name","column":[{"name":"f","path":"family","type":"string","collection":false}]}],"where":[{"path":"active"}]}"#
        let view = ViewDefinition(
            name: "v", resource: "Patient", constants: [ViewDefinition.Constant(name: "u", type: .code, literal: "old")],
            selects: [.init(.forEachOrNull("name"), columns: [.init(name: "f", path: "family", type: "string")])], conditions: ["active"])
        #expect(try ViewDefinition(json: Data(json.utf8)) == view)
        #expect(view.columnNames == ["f"])
    }

    @Test(arguments: ["DSTU2", "STU3", "R4", "R4B", "R5"]) func everyReleaseHasTheStandardViews(_ name: String) throws {
        let release = try #require(BundledRelease.named(name)).release
        let views = ViewDefinition.standard(for: release)
        #expect(
            views.compactMap(\.name) == [
                "patients", "conditions", "observations", "encounters", "medication_requests", "procedures", "immunizations",
            ])
        for view in views { #expect(view.columnNames.count >= 9, "\(view.name ?? ""): \(view.columnNames)") }
        let store = try FHIRStore.inMemory(release: release)
        #expect(try store.createStandardViews().count == 7)
        for view in views { #expect(try store.sql("SELECT * FROM \(view.name ?? "")").isEmpty) }
    }

    @Test func namesOfTablesAreRefused() throws {
        let store = try FHIRStore.inMemory(release: .r4)
        let view = try ViewDefinition(json: Data(Self.view(Self.id).utf8))
        for name in [
            "patient", "Patient_name", "PATIENT_NAME_GIVEN", "patient_birthdate_extension", "observation__id", "sqlite_x", "_x", "a b",
        ] {
            #expect(throws: ViewError.self, "\(name)") { try store.createView(view, named: name) }
        }
        for name in ["patients", "patient_names", "patient_name_view"] { try store.createView(view, named: name) }
        #expect(throws: ViewError.self) { try store.createView(view) }
    }
}
