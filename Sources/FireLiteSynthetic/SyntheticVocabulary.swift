/// The names and codes that synthetic resources are made of.
enum SyntheticVocabulary {
    // MARK: - People and places

    static let femaleNames = [
        "Ada", "Amelia", "Beatrice", "Carla", "Celeste", "Clara", "Dolores", "Edith", "Elena", "Fatima", "Greta", "Hannah", "Ines", "Irene",
        "Jasmine", "Josephine", "Julia", "Kamala", "Laura", "Leila", "Lucia", "Mabel", "Maria", "Mei", "Nadia", "Nora", "Olivia", "Paula",
        "Rosa", "Ruth", "Sofia", "Thea", "Ursula", "Vera", "Wanda", "Yasmin", "Zoë",
    ]
    static let maleNames = [
        "Adam", "Alfonso", "Amir", "Anton", "Bruno", "Carlos", "Chen", "Daniel", "David", "Edgar", "Emil", "Felix", "Gabriel", "George",
        "Hugo", "Ibrahim", "Isaac", "Jakob", "James", "Joseph", "Juan", "Karl", "Leon", "Luis", "Marcus", "Mateo", "Milan", "Nils", "Omar",
        "Oscar", "Pedro", "Quentin", "Rafael", "Samuel", "Théo", "Viktor", "William",
    ]
    static let familyNames = [
        "Abbott", "Almeida", "Andersen", "Balogun", "Becker", "Bianchi", "Brandt", "Castillo", "Chalmers", "Chen", "Cohen", "Dubois",
        "Eriksen", "Fernández", "Fischer", "Garcia", "Gupta", "Haddad", "Hansen", "Hoffmann", "Ibrahim", "Ivanov", "Jansen", "Johnson",
        "Kaya", "Keller", "Kim", "Kowalski", "Larsen", "Lopez", "Moreau", "Müller", "Nakamura", "Nguyen", "Novak", "O'Brien", "Okafor",
        "Patel", "Quinn", "Reyes", "Rossi", "Schmidt", "Silva", "Sørensen", "Tanaka", "Torres", "Vargas", "Weber", "Williams", "Zimmermann",
    ]
    static let streets = [
        "Birch Street", "Canal Road", "Elm Avenue", "Harbor View", "High Street", "Mill Lane", "Orchard Way", "Station Road",
    ]
    static let cities: [(name: String, postalCode: Int)] = [
        ("Ashford", 1201), ("Brookfield", 1340), ("Clearwater", 1475), ("Eastport", 1512), ("Fairview", 1630), ("Greenville", 1744),
        ("Lakewood", 1810), ("Milton", 1926), ("Northfield", 2031), ("Springdale", 2145),
    ]
    static let languages = [
        SyntheticCode(system: "urn:ietf:bcp:47", code: "en-US", display: "English"),
        SyntheticCode(system: "urn:ietf:bcp:47", code: "es", display: "Spanish"),
        SyntheticCode(system: "urn:ietf:bcp:47", code: "de", display: "German"),
        SyntheticCode(system: "urn:ietf:bcp:47", code: "zh", display: "Chinese"),
    ]
    static let maritalStatuses: [SyntheticCode] = [
        .hl7("v3-MaritalStatus", "M", "Married"), .hl7("v3-MaritalStatus", "S", "Never Married"), .hl7("v3-MaritalStatus", "D", "Divorced"),
        .hl7("v3-MaritalStatus", "W", "Widowed"),
    ]

    // MARK: - Visits

    static let visits: [SyntheticCode] = [
        .snomed("185349003", "Encounter for check up"), .snomed("185345009", "Encounter for symptom"),
        .snomed("390906007", "Follow-up encounter"), .snomed("410620009", "Well child visit"),
    ]

    /// Conditions, each with its medication and the daily dose.
    static let conditions: [(code: SyntheticCode, isChronic: Bool, medication: SyntheticCode, timesADay: Int)] = [
        (.snomed("59621000", "Essential hypertension"), true, .rxNorm("314076", "lisinopril 10 MG Oral Tablet"), 1),
        (.snomed("44054006", "Diabetes mellitus type 2"), true, .rxNorm("860975", "metformin hydrochloride 500 MG Oral Tablet"), 2),
        (.snomed("55822004", "Hyperlipidemia"), true, .rxNorm("314231", "simvastatin 10 MG Oral Tablet"), 1),
        (.snomed("195967001", "Asthma"), true, .rxNorm("745752", "albuterol 0.09 MG/ACTUAT Metered Dose Inhaler"), 4),
        (.snomed("444814009", "Viral sinusitis"), false, .rxNorm("313782", "acetaminophen 325 MG Oral Tablet"), 4),
        (.snomed("10509002", "Acute bronchitis"), false, .rxNorm("308182", "amoxicillin 250 MG Oral Capsule"), 3),
        (.snomed("195662009", "Acute viral pharyngitis"), false, .rxNorm("310965", "ibuprofen 200 MG Oral Tablet"), 3),
        (.snomed("44465007", "Sprain of ankle"), false, .rxNorm("849574", "naproxen sodium 220 MG Oral Tablet"), 2),
    ]
    static let procedures: [SyntheticCode] = [
        .snomed("430193006", "Medication reconciliation"), .snomed("710824005", "Assessment of health and social care needs"),
        .snomed("171207006", "Depression screening"), .snomed("23426006", "Measurement of respiratory function"),
        .snomed("312681000", "Bone density scan"),
    ]
    static let vaccines: [SyntheticCode] = [
        .vaccine("140", "Influenza, seasonal, injectable, preservative free"), .vaccine("113", "Td (adult) preservative free"),
        .vaccine("133", "Pneumococcal conjugate PCV 13"), .vaccine("121", "zoster live"),
    ]
    static let allergens: [(code: SyntheticCode, category: String)] = [
        (.snomed("419474003", "Allergy to mould"), "environment"), (.snomed("232350006", "Allergy to house dust mite"), "environment"),
        (.snomed("91935009", "Allergy to peanut"), "food"), (.snomed("300913006", "Shellfish allergy"), "food"),
    ]

    /// Sentences for the notes of visits.
    static let sentences = [
        "The patient feels well and has no new complaints.", "Medication was reviewed and is taken as prescribed.",
        "The chest is clear, and heart sounds are regular without a murmur.", "There is no fever and no cough at night.",
        "The patient reports pain in the lower back after work in the garden.", "Exercise and diet were discussed at length.",
        "Blood was taken for the laboratory; results will be sent by letter.", "Sleep is good, appetite normal, weight stable.",
        "The patient was advised to come back if the symptoms return.", "A follow-up visit was arranged.",
        "There is a family history of high blood pressure.", "Vaccinations were checked and are up to date.",
    ]

    // MARK: - Measurements

    /// Vital signs and laboratory values: the usual value and its spread in units of the last decimal place.
    struct Measurement: Sendable {
        let code: SyntheticCode
        let unit: String
        let places: Int
        let middle: Int
        let spread: Int
    }

    static let height = Measurement(code: .loinc("8302-2", "Body height"), unit: "cm", places: 1, middle: 1700, spread: 250)
    static let weight = Measurement(code: .loinc("29463-7", "Body weight"), unit: "kg", places: 1, middle: 760, spread: 300)
    static let vitalSigns = [
        height, weight,
        Measurement(code: .loinc("8867-4", "Heart rate"), unit: "/min", places: 0, middle: 76, spread: 26),
        Measurement(code: .loinc("9279-1", "Respiratory rate"), unit: "/min", places: 0, middle: 14, spread: 4),
        Measurement(code: .loinc("8310-5", "Body temperature"), unit: "Cel", places: 1, middle: 370, spread: 12),
        Measurement(
            code: .loinc("72514-3", "Pain severity - 0-10 verbal numeric rating"), unit: "{score}", places: 0, middle: 3, spread: 3),
    ]
    static let laboratory = [
        Measurement(code: .loinc("2339-0", "Glucose [Mass/volume] in Blood"), unit: "mg/dL", places: 2, middle: 9_250, spread: 2_500),
        Measurement(
            code: .loinc("2093-3", "Cholesterol [Mass/volume] in Serum or Plasma"), unit: "mg/dL", places: 2, middle: 18_900, spread: 4_000),
        Measurement(
            code: .loinc("2571-8", "Triglyceride [Mass/volume] in Serum or Plasma"), unit: "mg/dL", places: 2, middle: 13_000, spread: 5_000
        ),
        Measurement(code: .loinc("38483-4", "Creatinine [Mass/volume] in Blood"), unit: "mg/dL", places: 2, middle: 105, spread: 60),
        Measurement(code: .loinc("4548-4", "Hemoglobin A1c/Hemoglobin.total in Blood"), unit: "%", places: 2, middle: 560, spread: 150),
        Measurement(code: .loinc("6298-4", "Potassium [Moles/volume] in Blood"), unit: "mmol/L", places: 2, middle: 430, spread: 80),
    ]
    static let systolic = Measurement(code: .loinc("8480-6", "Systolic blood pressure"), unit: "mm[Hg]", places: 0, middle: 124, spread: 34)
    static let diastolic = Measurement(
        code: .loinc("8462-4", "Diastolic blood pressure"), unit: "mm[Hg]", places: 0, middle: 80, spread: 20)
    static let bloodPressure = SyntheticCode.loinc("85354-9", "Blood pressure panel with all children optional")
    static let metabolicPanel = SyntheticCode.loinc("51990-0", "Basic metabolic panel - Blood")
    static let smokingStatus = SyntheticCode.loinc("72166-2", "Tobacco smoking status")
    static let smokingStatuses: [SyntheticCode] = [
        .snomed("266919005", "Never smoked tobacco"), .snomed("8517006", "Ex-smoker"), .snomed("449868002", "Smokes tobacco daily"),
    ]
}
