/// What claims are made of: services and their prices, and what an insurer decides about each of them.
extension SyntheticVocabulary {
    /// Something a practice charges for.
    struct Service: Sendable {
        let code: SyntheticCode
        /// In cents, for one unit.
        let price: Int
        let revenue: SyntheticCode
    }

    private static func service(_ code: String, _ display: String, _ price: Int, _ revenue: Int) -> Service {
        Service(
            code: SyntheticCode(system: "https://practices.example.org/services", code: code, display: display), price: price,
            revenue: revenues[revenue])
    }

    private static let revenues = [
        ("0100", "Consultation"), ("0200", "Laboratory"), ("0300", "Imaging"), ("0400", "Treatment"), ("0500", "Supplies"),
    ].map { SyntheticCode(system: "https://payer.example.org/revenue-centers", code: $0.0, display: $0.1) }

    /// What a visit always begins with.
    static let consultation = service("C-10", "Consultation of up to twenty minutes", 11_250, 0)

    static let services = [
        service("C-11", "Consultation, each further ten minutes", 4_800, 0), service("C-20", "Advice on diet and exercise", 3_975, 0),
        service("C-21", "Advice on giving up smoking", 3_575, 0), service("C-30", "Review of medication", 5_120, 0),
        service("L-01", "Drawing of venous blood", 1_150, 1), service("L-02", "Full blood count", 1_890, 1),
        service("L-03", "Basic metabolic panel", 2_640, 1), service("L-04", "Lipid panel", 3_115, 1),
        service("L-05", "Hemoglobin A1c", 2_225, 1), service("L-06", "Urine test strip", 640, 1),
        service("L-07", "Throat swab, rapid test", 2_050, 1), service("L-08", "Thyroid stimulating hormone", 3_480, 1),
        service("I-01", "Chest radiograph, two views", 9_725, 2), service("I-02", "Ultrasound of the abdomen", 18_450, 2),
        service("I-03", "Radiograph of the ankle, three views", 8_360, 2), service("I-04", "Bone density measurement", 13_900, 2),
        service("T-01", "Electrocardiogram with report", 6_275, 3), service("T-02", "Spirometry", 7_050, 3),
        service("T-03", "Injection into a muscle", 2_380, 3), service("T-04", "Dressing of a wound", 4_415, 3),
        service("T-05", "Nebulizer treatment", 3_790, 3), service("T-06", "Removal of a skin lesion", 15_680, 3),
        service("T-07", "Joint injection", 12_335, 3), service("T-08", "Ear irrigation", 2_960, 3),
        service("M-01", "Elastic bandage", 865, 4), service("M-02", "Sterile dressing set", 1_240, 4),
        service("M-03", "Blood glucose test strips, fifty", 3_325, 4), service("M-04", "Inhalation spacer", 1_970, 4),
    ]

    static let places: [SyntheticCode] = [
        .hl7("ex-serviceplace", "11", "Office"), .hl7("ex-serviceplace", "12", "Home"),
        .hl7("ex-serviceplace", "20", "Urgent Care Facility"),
    ]
    static let insurers = [
        "Bay Mutual Health", "Coastal Benefit Fund", "Granite State Insurance", "Harbor Care Plan", "Valley Health Union",
    ]

    /// What an insurer decides about each line of a claim.
    static let adjudications = [
        ("submitted", "Submitted Amount"), ("eligible", "Eligible Amount"), ("deductible", "Deductible"), ("copay", "CoPay"),
        ("benefit", "Benefit Amount"), ("tax", "Tax"),
    ].map { SyntheticCode.hl7("adjudication", $0.0, $0.1) }
    static let submitted = adjudications[0]
    static let benefit = adjudications[4]

    /// Why an insurer pays less than was asked for.
    static let reductions = [
        ("R1", "Price above the agreed schedule"), ("R2", "Deductible not yet reached"), ("R3", "Included in another service of the day"),
    ].map { SyntheticCode(system: "https://payer.example.org/reductions", code: $0.0, display: $0.1) }
}
