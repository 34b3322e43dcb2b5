@testable import FireLiteCore

/// What `validate()` finds in official examples, which is wrong with them: by release and file, the issues without positions in lists, and the
/// reason. Each was checked against the example and the definition.
enum ExampleIssues {
    struct Known: Sendable {
        let issues: Set<String>
        let reason: String

        init(_ issues: String..., reason: String) {
            self.issues = Set(issues)
            self.reason = reason
        }
    }

    private static let metric = Known(
        "reference DeviceMetric.parent.reference", reason: "`parent` may point to a Device, and points to DeviceDefinition/dc102")
    private static let parameter = Known(
        "missing SearchParameter.base", reason: "has no `base`, which is 1..*")

    private static let known: [String: [String: Known]] = [
        "STU3": [
            "Questionnaire-qs1.json": Known(
                "missing Questionnaire.item.item.linkId", "missing Questionnaire.item.item.item.linkId",
                reason: "items without `linkId`, which is 1..1")
        ],
        "R4": [
            "DeviceMetric-example.json": metric,
            "MedicationRequest-medrx0301.json": Known(
                "reference MedicationRequest.dispenseRequest.performer.reference",
                reason: "`performer` may point to an Organization, and points to Practitioner/f001"),
            "Questionnaire-qs1.json": Known(
                "missing Questionnaire.item.item.linkId", "missing Questionnaire.item.item.item.linkId",
                "missing Questionnaire.item.item.item.item.linkId", reason: "items without `linkId`, which is 1..1"),
        ],
        "R4B": [
            "DeviceMetric-example.json": metric,
            "Observation-clinical-gender.json": Known(
                "reference Observation.performer.reference",
                reason: "`performer` may point to people, teams and organizations, and points to Encounter/example"),
            "SearchParameter-codesystem-extensions-CodeSystem-effective.json": parameter,
            "SearchParameter-codesystem-extensions-CodeSystem-end.json": parameter,
            "SearchParameter-codesystem-extensions-CodeSystem-keyword.json": parameter,
            "SearchParameter-valueset-extensions-ValueSet-author.json": parameter,
            "SearchParameter-valueset-extensions-ValueSet-keyword.json": parameter,
            "SearchParameter-valueset-extensions-ValueSet-workflow.json": parameter,
        ],
        "R5": [
            "BiologicallyDerivedProduct-autologousHCT.json": Known(
                "reference BiologicallyDerivedProduct.request.reference",
                reason: "`request` may point to a ServiceRequest, and points to a BiologicallyDerivedProduct"),
            "DocumentReference-xray.json": Known(
                "reference DocumentReference.context.reference",
                reason: "`context` may point to visits, and its second reference points to a DocumentReference"),
            "Encounter-example.json": Known(
                "reference Encounter.careTeam.reference", reason: "`careTeam` may point to a CareTeam, and points to Encounter/example"),
            "Medication-med0301.json": Known(
                "empty Medication.identifier", reason: "the identifier has an `id` and nothing else (constraint ele-1)"),
            "Transport-simpledelivery.json": Known(
                "reference Transport.requestedLocation.reference", "reference Transport.currentLocation.reference",
                reason: "both may point to a Location, and point to a Transport"),
        ],
    ]

    static func of(_ release: FHIRRelease) -> [String: Known] { known[release.name] ?? [:] }

    /// An issue as it is listed: its code, and its path without positions.
    static func text(_ issue: FHIRIssue) -> String { "\(issue.code.rawValue) \(issue.path.replacing(/\[\d+\]/, with: ""))" }
}
