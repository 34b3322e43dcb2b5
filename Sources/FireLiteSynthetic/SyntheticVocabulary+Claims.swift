/// What claims are made of: services and their prices, and what an insurer decides about each of them.
extension SyntheticVocabulary {
    /// Something a practice charges for.
    struct Service: Sendable {
        let code: SyntheticCode
        /// In cents, for one unit.
        let price: Int
        let revenue: SyntheticCode
    }

    private static func service(_ code: String, display: String, price: Int, revenue: Int) -> Service {
        Service(
            code: SyntheticCode(system: "https://practices.example.org/services", code: code, display: display), price: price,
            revenue: revenues[revenue])
    }

    private static let revenues = [
        ("0100", "Consultation"), ("0200", "Laboratory"), ("0300", "Imaging"), ("0400", "Treatment"), ("0500", "Supplies"),
    ].map { SyntheticCode(system: "https://payer.example.org/revenue-centers", code: $0.0, display: $0.1) }

    /// What a visit always begins with.
    static let consultation = service("C-10", display: "Consultation of up to twenty minutes", price: 11_250, revenue: 0)

    static let services = [
        service("C-11", display: "Consultation, each further ten minutes", price: 4_800, revenue: 0),
        service("C-20", display: "Advice on diet and exercise", price: 3_975, revenue: 0),
        service("C-21", display: "Advice on giving up smoking", price: 3_575, revenue: 0),
        service("C-30", display: "Review of medication", price: 5_120, revenue: 0),
        service("L-01", display: "Drawing of venous blood", price: 1_150, revenue: 1),
        service("L-02", display: "Full blood count", price: 1_890, revenue: 1),
        service("L-03", display: "Basic metabolic panel", price: 2_640, revenue: 1),
        service("L-04", display: "Lipid panel", price: 3_115, revenue: 1),
        service("L-05", display: "Hemoglobin A1c", price: 2_225, revenue: 1),
        service("L-06", display: "Urine test strip", price: 640, revenue: 1),
        service("L-07", display: "Throat swab, rapid test", price: 2_050, revenue: 1),
        service("L-08", display: "Thyroid stimulating hormone", price: 3_480, revenue: 1),
        service("I-01", display: "Chest radiograph, two views", price: 9_725, revenue: 2),
        service("I-02", display: "Ultrasound of the abdomen", price: 18_450, revenue: 2),
        service("I-03", display: "Radiograph of the ankle, three views", price: 8_360, revenue: 2),
        service("I-04", display: "Bone density measurement", price: 13_900, revenue: 2),
        service("T-01", display: "Electrocardiogram with report", price: 6_275, revenue: 3),
        service("T-02", display: "Spirometry", price: 7_050, revenue: 3),
        service("T-03", display: "Injection into a muscle", price: 2_380, revenue: 3),
        service("T-04", display: "Dressing of a wound", price: 4_415, revenue: 3),
        service("T-05", display: "Nebulizer treatment", price: 3_790, revenue: 3),
        service("T-06", display: "Removal of a skin lesion", price: 15_680, revenue: 3),
        service("T-07", display: "Joint injection", price: 12_335, revenue: 3),
        service("T-08", display: "Ear irrigation", price: 2_960, revenue: 3),
        service("M-01", display: "Elastic bandage", price: 865, revenue: 4),
        service("M-02", display: "Sterile dressing set", price: 1_240, revenue: 4),
        service("M-03", display: "Blood glucose test strips, fifty", price: 3_325, revenue: 4),
        service("M-04", display: "Inhalation spacer", price: 1_970, revenue: 4),
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
