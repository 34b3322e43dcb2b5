import FireLiteCore
import Foundation

extension ViewDefinition {
    /// The ready-made views of a release: `patients`, `conditions`, `observations`, `encounters`, `medication_requests`, `procedures` and
    /// `immunizations`.
    ///
    /// Every one has a column `key`, and columns such as `patient` with the key of another resource, to join them by. Releases differ in
    /// what their resources have; a column that a release has no element for is left out.
    public static func standard(for release: FHIRRelease) -> [ViewDefinition] {
        standardViews.compactMap { view in
            guard let type = view.types.first(where: { release.hasResourceType(named: $0) }) else { return nil }
            let columns = view.columns.compactMap { column in
                column.paths.lazy.compactMap { path(of: $0, type, release) }.first.map { Column(name: column.name, path: $0) }
            }
            return ViewDefinition(name: view.name, resource: type, selects: [Select(columns: columns)])
        }
    }

    /// The path for a release; nil if it, or what stands before it as a condition, does not fit.
    private static func path(of text: String, _ type: String, _ release: FHIRRelease) -> String? {
        let parts = text.components(separatedBy: condition)
        return parts.allSatisfy { fits($0, type, release) } ? parts[parts.count - 1] : nil
    }

    /// Stands between an expression that a release must know and the path.
    private static let condition = " ? "
    /// Only R5 has a CodeableReference there.
    private static let inCodeableReference = "medication.concept" + condition

    private static func fits(_ path: String, _ type: String, _ release: FHIRRelease) -> Bool {
        let view = ViewDefinition(resource: type, selects: [Select(columns: [Column(name: "c", path: path)])])
        do {
            try view.validate(for: release)
            return true
        } catch {
            return false
        }
    }

    private struct Standard {
        let name: String
        /// The type, and its names in other releases.
        let types: [String]
        /// The columns, each with its path and those of other releases.
        let columns: [(name: String, paths: [String])]

        init(_ name: String, _ types: [String], _ columns: [(String, [String])]) {
            self.name = name
            self.types = types
            self.columns = [("key", ["getResourceKey()"]), ("id", ["id"])] + columns.map { (name: $0.0, paths: $0.1) }
        }
    }

    /// The columns of a CodeableConcept.
    private static func concept(_ prefix: String, _ paths: String...) -> [(String, [String])] {
        [
            (prefix + "system", paths.map { "\($0).coding.first().system" }), (prefix + "code", paths.map { "\($0).coding.first().code" }),
            (prefix + "display", paths.map { "\($0).coding.first().display" }), (prefix + "text", paths.map { "\($0).text" }),
        ]
    }

    private static let patient = ("patient", ["subject.getReferenceKey(Patient)", "patient.getReferenceKey(Patient)"])
    private static let encounter = ("encounter", ["encounter.getReferenceKey(Encounter)", "context.getReferenceKey(Encounter)"])
    private static let status = ("status", ["status"])

    private static let standardViews = [
        Standard(
            "patients", ["Patient"],
            [
                ("active", ["active"]), ("family", ["name.first().family.first()"]),
                ("given", ["name.first().given.join(' ')"]), ("gender", ["gender"]),
                ("birth_date", ["birthDate"]), ("deceased", ["deceased.ofType(boolean)"]),
                ("deceased_date", ["deceased.ofType(dateTime)"]),
                ("phone", ["telecom.where(system = 'phone').first().value"]), ("email", ["telecom.where(system = 'email').first().value"]),
                ("address_line", ["address.first().line.join(', ')"]), ("city", ["address.first().city"]),
                ("state", ["address.first().state"]), ("postal_code", ["address.first().postalCode"]),
                ("country", ["address.first().country"]), ("marital_status", ["maritalStatus.coding.first().code"]),
                ("managing_organization", ["managingOrganization.getReferenceKey(Organization)"]),
            ]),
        Standard(
            "conditions", ["Condition"],
            concept("", "code") + [
                ("clinical_status", ["clinicalStatus.coding.first().code", "clinicalStatus"]),
                ("verification_status", ["verificationStatus.coding.first().code", "verificationStatus"]),
                ("category", ["category.coding.first().code"]), patient, encounter, ("onset", ["onset.ofType(dateTime)"]),
                ("onset_start", ["onset.ofType(Period).start"]), ("abatement", ["abatement.ofType(dateTime)"]),
                ("recorded", ["recordedDate", "assertedDate", "dateRecorded"]),
            ]),
        Standard(
            "observations", ["Observation"],
            concept("", "code") + [
                status, ("category", ["category.coding.first().code"]), patient, encounter,
                ("effective", ["effective.ofType(dateTime)"]), ("effective_start", ["effective.ofType(Period).start"]),
                ("effective_end", ["effective.ofType(Period).end"]), ("issued", ["issued"]),
                ("value", ["value.ofType(Quantity).value"]), ("unit", ["value.ofType(Quantity).unit"]),
                ("unit_code", ["value.ofType(Quantity).code"]), ("value_code", ["value.ofType(CodeableConcept).coding.first().code"]),
                ("value_display", ["value.ofType(CodeableConcept).coding.first().display"]), ("value_text", ["value.ofType(string)"]),
                ("interpretation", ["interpretation.coding.first().code"]),
            ]),
        Standard(
            "encounters", ["Encounter"],
            [status, ("class", ["class.code", "class.coding.first().code", "class"])] + concept("type_", "type.first()") + [
                patient, ("start", ["period.start", "actualPeriod.start"]), ("end", ["period.end", "actualPeriod.end"]),
                ("reason", ["reasonCode.coding.first().code", "reason.value.concept.coding.first().code", "reason.coding.first().code"]),
                ("service_provider", ["serviceProvider.getReferenceKey(Organization)"]),
            ]),
        Standard(
            "medication_requests", ["MedicationRequest", "MedicationOrder"],
            [status, ("intent", ["intent"])]
                + concept("medication_", "medication.concept", "medication.ofType(CodeableConcept)") + [
                    (
                        "medication",
                        [
                            inCodeableReference + "medication.reference.getReferenceKey(Medication)",
                            "medication.ofType(Reference).getReferenceKey(Medication)",
                        ]
                    ), patient, encounter, ("authored", ["authoredOn", "dateWritten"]),
                    ("dosage", ["dosageInstruction.first().text"]),
                ]),
        Standard(
            "procedures", ["Procedure"],
            [status] + concept("", "code") + [
                patient, encounter, ("performed", ["performed.ofType(dateTime)", "occurrence.ofType(dateTime)"]),
                ("performed_start", ["performed.ofType(Period).start", "occurrence.ofType(Period).start"]),
                ("performed_end", ["performed.ofType(Period).end", "occurrence.ofType(Period).end"]),
            ]),
        Standard(
            "immunizations", ["Immunization"],
            [status] + concept("vaccine_", "vaccineCode") + [
                patient, encounter, ("occurrence", ["occurrence.ofType(dateTime)", "date"]), ("lot_number", ["lotNumber"]),
                ("site", ["site.coding.first().code"]),
            ]),
    ]
}
