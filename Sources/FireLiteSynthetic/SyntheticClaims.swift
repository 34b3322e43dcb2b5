import FireLiteCore
import FireLiteR4

/// A patient's insurance, and for each visit and prescription a claim and what the insurer made of it: long resources with lists in lists,
/// nested extensions and contained resources.
struct SyntheticClaims {
    /// One line of a claim.
    struct Line {
        let sequence: Int
        let service: SyntheticCode
        let revenue: SyntheticCode
        let units: Int
        /// In cents.
        let price: Int
        let diagnoses: [Int]

        var net: Int { units * price }
    }

    /// What a claim is about: a visit with its conditions and procedures, or a prescription.
    struct Occasion {
        let type: SyntheticCode
        let period: Period
        let encounter: Reference
        let prescription: Reference?
        let conditions: [Condition]
        let procedures: [Procedure]
        let lines: [Line]

        /// In cents.
        var total: Int { lines.reduce(0) { $0 + $1.net } }
    }

    var random: SyntheticRandom
    let practice: SyntheticPractice
    let subject: Reference
    let insurer: String

    init(random: SyntheticRandom, practice: SyntheticPractice, subject: Reference) {
        var random = random
        insurer = random.pick(SyntheticVocabulary.insurers)
        self.random = random
        self.practice = practice
        self.subject = subject
    }

    /// The coverage, and a claim and an explanation of benefit for each of the visits and prescriptions among the resources.
    mutating func resources(for history: [FHIRResource]) -> [FHIRResource] {
        let coverage = coverage()
        var resources: [FHIRResource] = [coverage]
        for resource in history {
            let occasion: Occasion? =
                switch resource {
                case let visit as Encounter: self.visit(visit, history)
                case let request as MedicationRequest: prescription(request)
                default: nil
                }
            guard let occasion else { continue }
            let claim = claim(occasion, coverage)
            resources += [claim, benefit(occasion, claim)]
        }
        return resources
    }

    private mutating func coverage() -> Coverage {
        let id = random.id("Coverage")
        let member = random.number(10_000_000...99_999_999)
        return Coverage {
            $0.id = id
            $0.meta = SyntheticParts.meta("Coverage")
            $0.identifier = [SyntheticParts.identifier("https://payer.example.org/members", "\(member)")]
            $0.status = .active
            $0.type = SyntheticCode.hl7("v3-ActCode", "EHCPOL", "extended healthcare").concept
            $0.subscriber = subject.copy()
            $0.subscriberId = "\(member)"
            $0.beneficiary = subject.copy()
            $0.relationship = SyntheticCode.hl7("subscriber-relationship", "self", "Self").concept
            $0.payor = [Reference { $0.display = insurer }]
        }
    }

    // MARK: - Occasions

    private mutating func visit(_ visit: Encounter, _ history: [FHIRResource]) -> Occasion {
        let reference = "Encounter/\(visit.id ?? "")"
        let conditions = history.compactMap { $0 as? Condition }.filter { $0.encounter?.reference == reference }
        let procedures = history.compactMap { $0 as? Procedure }.filter { $0.encounter?.reference == reference }
        var lines = [line(1, SyntheticVocabulary.consultation, units: 1, conditions.count)]
        for sequence in 2...lineCount() {
            lines.append(line(sequence, random.pick(SyntheticVocabulary.services), units: random.number(1...3), conditions.count))
        }
        return Occasion(
            type: .hl7("claim-type", "professional", "Professional"), period: visit.period?.copy() ?? Period(),
            encounter: SyntheticParts.reference(to: visit), prescription: nil, conditions: conditions, procedures: procedures, lines: lines)
    }

    /// Most claims have a few lines, one in twenty has dozens.
    private mutating func lineCount() -> Int {
        switch random.number(1...100) {
        case ...40: random.number(2...3)
        case ...80: random.number(4...8)
        case ...95: random.number(9...16)
        default: random.number(20...34)
        }
    }

    private mutating func prescription(_ request: MedicationRequest) -> Occasion? {
        guard let medication = request.medicationCodeableConcept?.coding.first, let encounter = request.encounter else { return nil }
        let drug = SyntheticVocabulary.Service(
            code: .rxNorm(medication.code ?? "", medication.display ?? ""), price: random.number(450...9_900),
            revenue: SyntheticCode(system: "https://payer.example.org/revenue-centers", code: "0600", display: "Pharmacy"))
        return Occasion(
            type: .hl7("claim-type", "pharmacy", "Pharmacy"),
            period: Period {
                $0.start = request.authoredOn
                $0.end = request.authoredOn
            }, encounter: encounter.copy(), prescription: SyntheticParts.reference(to: request), conditions: [], procedures: [],
            lines: [line(1, drug, units: random.number(1...3), 0)])
    }

    private func line(_ sequence: Int, _ service: SyntheticVocabulary.Service, units: Int, _ diagnoses: Int) -> Line {
        Line(
            sequence: sequence, service: service.code, revenue: service.revenue, units: units, price: service.price,
            diagnoses: diagnoses > 0 ? [sequence % diagnoses + 1] : [])
    }
}
