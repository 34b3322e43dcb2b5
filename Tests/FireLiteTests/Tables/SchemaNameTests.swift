import FireLiteR4
import Testing

@testable import FireLite

/// Names of tables and what they stand for.
@Suite struct SchemaNameTests {
    @Test func namesAreFound() throws {
        let schema = try StorageSchema(release: .r4)
        for name in [
            "Patient", "Patient_name", "Patient_name_given", "Patient_name_given_extension", "Patient_maritalStatus_coding",
            "Patient_birthDate_extension", "Questionnaire_item", "Observation_component_code_coding",
        ] {
            #expect(schema.table(named: name)?.name == name)
            // Known from now on.
            #expect(schema.table(named: name)?.name == name)
        }
    }

    /// A recursive element has one table, which is named after the first of its paths.
    @Test(arguments: [
        "", "_", "_Patient", "Patient_", "Patient__name", "Patient_name_", "Patient_nam", "patient", "Nothing", "Patient_active",
        "Patient_maritalStatus",
        "Patient_name_family", "Patient_contained", "Bundle_entry_resource", "Questionnaire_item_item", "Patient_näme",
        "Patient_name_given_value",
    ])
    func whatIsNoNameIsNotFound(_ name: String) throws {
        #expect(try StorageSchema(release: .r4).table(named: name) == nil)
    }
}
