import FireLiteCore

/// The types of values and the codes of FHIR's own extensions, which are at hand without the package that defines them (FHIR R4, Extension Registry).
///
/// Only those in wide use are here; others, and the places where they may stand, need that package.
enum CoreExtensions {
    /// The types that the value of an extension may have: nil if it is not among those known, empty if it consists of parts.
    static func types(_ url: String) -> Set<String>? {
        guard url.hasPrefix(Knowledge.base) else { return nil }
        return known[String(url.dropFirst(Knowledge.base.count))]
    }

    /// The type that an extension is about; nil if it is not among those known.
    static func home(_ url: String) -> String? {
        guard url.hasPrefix(Knowledge.base) else { return nil }
        let name = url.dropFirst(Knowledge.base.count)
        return homes.first { name.hasPrefix($0.prefix) }?.type
    }

    /// The codes that the value of an extension may have, by a required binding; nil if they are not among those known. STU3 has others.
    static func codes(_ url: String, _ release: FHIRRelease) -> Set<String>? {
        guard ["R4", "R4B", "R5"].contains(release.name), url.hasPrefix(Knowledge.base) else { return nil }
        return bindings[String(url.dropFirst(Knowledge.base.count))]
    }

    private static let bindings: [String: Set<String>] = [
        "data-absent-reason": [
            "unknown", "asked-unknown", "temp-unknown", "not-asked", "asked-declined", "masked", "not-applicable", "unsupported", "as-text",
            "error", "not-a-number", "negative-infinity", "positive-infinity", "not-performed", "not-permitted",
        ],
        "humanname-assembly-order": ["NL1", "NL2", "NL3", "NL4", "F", "UNK"],
        "questionnaire-choiceOrientation": ["horizontal", "vertical"],
        "questionnaire-usageMode": ["capture-display", "capture", "display", "display-non-empty", "capture-display-non-empty"],
        "structuredefinition-standards-status": ["draft", "trial-use", "normative", "informative", "deprecated", "external"],
        "structuredefinition-security-category": ["anonymous", "business", "individual", "patient", "not-classified"],
    ]

    private static let homes: [(prefix: String, type: String)] = [
        ("patient-birth", "Patient"), ("patient-mothersMaidenName", "Patient"), ("patient-religion", "Patient"),
        ("patient-nationality", "Patient"), ("patient-citizenship", "Patient"), ("patient-importance", "Patient"),
        ("patient-cadavericDonor", "Patient"), ("patient-interpreterRequired", "Patient"), ("humanname-", "HumanName"),
        ("iso21090-EN-", "HumanName"), ("iso21090-ADXP-", "Address"),
    ]

    private static let known: [String: Set<String>] = {
        var known: [String: Set<String>] = [:]
        for line in list.split(separator: "\n") {
            let words = line.split(separator: " ")
            let types = words[0] == "-" ? [] : Set(words[0].split(separator: "|").map(String.init))
            for name in words.dropFirst() { known[String(name)] = types }
        }
        return known
    }()

    /// A line for each type: the types, then the names of extensions; `-` for extensions that consist of parts.
    private static let list = """
        string patient-mothersMaidenName patient-congregation humanname-own-prefix humanname-own-name humanname-partner-prefix humanname-partner-name
        string humanname-fathers-family humanname-mothers-family iso21090-ADXP-houseNumber iso21090-ADXP-streetName iso21090-ADXP-postBox
        string iso21090-ADXP-additionalLocator iso21090-ADXP-streetNameBase iso21090-ADXP-streetNameType iso21090-ADXP-streetAddressLine
        string iso21090-ADXP-houseNumberNumeric iso21090-ADXP-unitID iso21090-ADXP-unitType iso21090-ADXP-careOf iso21090-ADXP-precinct
        string iso21090-ADXP-censusTract iso21090-ADXP-direction iso21090-ADXP-delimiter iso21090-ADXP-deliveryInstallationType
        string iso21090-ADXP-deliveryInstallationArea iso21090-ADXP-deliveryInstallationQualifier iso21090-ADXP-deliveryModeIdentifier
        string iso21090-ADXP-deliveryAddressLine iso21090-ADXP-buildingNumberSuffix iso21090-ADXP-deliveryMode
        string rendering-style rendering-xhtml regex entryFormat questionnaire-optionPrefix elementdefinition-bindingName
        string structuredefinition-category structuredefinition-explicit-type-name structuredefinition-display-hint structuredefinition-table-name
        code data-absent-reason humanname-assembly-order iso21090-EN-qualifier mimeType questionnaire-choiceOrientation questionnaire-usageMode
        code questionnaire-referenceResource structuredefinition-standards-status structuredefinition-security-category structuredefinition-wg
        code structuredefinition-normative-version structuredefinition-hierarchy
        CodeableConcept patient-religion patient-genderIdentity patient-disability patient-importance patient-adoptionInfo
        CodeableConcept questionnaire-itemControl questionnaire-displayCategory questionnaire-signatureRequired
        boolean patient-interpreterRequired patient-cadavericDonor questionnaire-hidden questionnaire-optionExclusive elementdefinition-translatable
        Address patient-birthPlace
        dateTime patient-birthTime
        url narrativeLink
        decimal maxSize ordinalValue
        integer minLength maxDecimalPlaces questionnaire-minOccurs questionnaire-maxOccurs questionnaire-sliderStepValue structuredefinition-fmm
        Coding questionnaire-unit questionnaire-unitOption
        canonical questionnaire-unitValueSet
        canonical|uri elementdefinition-maxValueSet elementdefinition-minValueSet
        uri questionnaire-supportLink structuredefinition-ancestor
        markdown rendering-markdown structuredefinition-summary elementdefinition-bestpractice-explanation
        date|dateTime|time|decimal|integer|Quantity minValue maxValue
        Expression variable cqf-expression
        - translation geolocation patient-nationality patient-citizenship patient-animal patient-proficiency questionnaire-constraint
        """
}
