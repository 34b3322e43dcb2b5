@testable import FireLiteCore

/// Official examples that are not valid JSON of FHIR, so that reading refuses them: by release and file, the message and the reason.
enum RejectedExamples {
    struct Rejection: Sendable {
        let message: String
        let reason: String
    }

    private static let known: [String: [String: Rejection]] = [
        "DSTU2": [
            "ImplementationGuide-fhir.json": Rejection(
                message:
                    "line 1, column 222, ImplementationGuide.contact[0].telecom[0].rank: expected a whole number from 1 to 2147483647, "
                    + "found a number out of range",
                reason: "`rank` is a positiveInt, which begins at 1, and the example has 0")
        ]
    ]

    static func of(_ release: FHIRRelease) -> [String: Rejection] { known[release.name] ?? [:] }
}
