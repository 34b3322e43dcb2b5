/// A code system that apps use often, by its address.
///
/// Source: FHIR, Using Code Systems (Known Code Systems in the FHIR Environment).
public struct CodeSystemAddress: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The canonical address, the value of `Coding.system`.
    public let rawValue: String
    /// A code system with an address.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// A code system with an address.
    public init(stringLiteral value: String) { rawValue = value }

    /// LOINC.
    public static let loinc: Self = "http://loinc.org"
    /// SNOMED CT.
    public static let snomed: Self = "http://snomed.info/sct"
    /// UCUM, the units of measure.
    public static let ucum: Self = "http://unitsofmeasure.org"
    /// RxNorm.
    public static let rxNorm: Self = "http://www.nlm.nih.gov/research/umls/rxnorm"
    /// CVX, vaccines administered.
    public static let cvx: Self = "http://hl7.org/fhir/sid/cvx"
    /// ICD-10.
    public static let icd10: Self = "http://hl7.org/fhir/sid/icd-10"
    /// ICD-10-CM, of the United States.
    public static let icd10CM: Self = "http://hl7.org/fhir/sid/icd-10-cm"
    /// ATC, of the World Health Organization.
    public static let atc: Self = "http://www.whocc.no/atc"
}
