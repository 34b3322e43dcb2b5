import FireLiteCore
import FireLiteR4

extension SyntheticClaims {
    /// What the practice asks for.
    mutating func claim(_ occasion: Occasion, _ coverage: Coverage) -> Claim {
        let id = random.id("Claim")
        return Claim {
            $0.id = id
            $0.meta = SyntheticParts.meta("Claim")
            $0.status = .active
            $0.type = occasion.type.plainConcept
            $0.use = .claim
            $0.patient = subject.copy()
            $0.billablePeriod = occasion.period.copy()
            $0.created = occasion.period.end
            $0.provider = provider
            $0.priority = SyntheticCode.hl7("processpriority", "normal", "Normal").plainConcept
            $0.prescription = occasion.prescription?.copy()
            $0.facility = facility
            $0.diagnosis = occasion.conditions.enumerated().map { number, condition in
                ClaimDiagnosis {
                    $0.sequence = number + 1
                    $0.diagnosisReference = SyntheticParts.reference(to: condition)
                }
            }
            $0.procedure = occasion.procedures.enumerated().map { number, procedure in
                ClaimProcedure {
                    $0.sequence = number + 1
                    $0.procedureReference = SyntheticParts.reference(to: procedure)
                }
            }
            $0.insurance = [
                ClaimInsurance {
                    $0.sequence = 1
                    $0.focal = true
                    $0.coverage = SyntheticParts.reference(to: coverage, display: insurer)
                }
            ]
            $0.item = occasion.lines.map { item($0, occasion) }
            $0.total = SyntheticParts.money(occasion.total)
        }
    }

    private func item(_ line: Line, _ occasion: Occasion) -> ClaimItem {
        ClaimItem {
            $0.sequence = line.sequence
            $0.diagnosisSequence = line.diagnoses
            $0.revenue = line.revenue.plainConcept
            $0.productOrService = line.service.concept
            $0.quantity = Quantity { $0.value = FHIRDecimal(line.units) }
            $0.unitPrice = SyntheticParts.money(line.price)
            $0.net = SyntheticParts.money(line.net)
            // The first line says when and where it was.
            if line.sequence == 1 { $0.encounter = [occasion.encounter.copy()] }
        }
    }

    // MARK: - Parties

    var provider: Reference { SyntheticParts.reference(to: practice.organization, display: practice.organization.name) }

    var facility: Reference { SyntheticParts.reference(to: practice.location, display: practice.location.name) }
}
