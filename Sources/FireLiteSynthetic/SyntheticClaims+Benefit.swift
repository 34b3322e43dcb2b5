import FireLiteCore
import FireLiteR4

extension SyntheticClaims {
    /// What the insurer pays for a claim, line by line.
    mutating func benefit(_ occasion: Occasion, _ claim: Claim) -> ExplanationOfBenefit {
        let id = random.id("ExplanationOfBenefit")
        let practitioner = random.pick(practice.practitioners)
        let group = random.number(1_000_000...9_999_999)
        let items = occasion.lines.map { item($0, occasion) }
        return ExplanationOfBenefit {
            $0.id = id
            $0.meta = SyntheticParts.meta("ExplanationOfBenefit")
            $0.contained = [referral(practitioner), containedCoverage()]
            $0.extension = [Self.processing(occasion.period.end, group)]
            $0.identifier = [
                SyntheticParts.identifier("https://payer.example.org/claims", claim.id ?? ""),
                SyntheticParts.identifier("https://payer.example.org/claim-groups", "\(group)"),
            ]
            $0.status = .active
            $0.type = occasion.type.plainConcept
            $0.use = .claim
            $0.patient = subject.copy()
            $0.billablePeriod = occasion.period.copy()
            $0.created = occasion.period.end
            $0.insurer = Reference { $0.display = insurer }
            $0.provider = provider
            $0.prescription = occasion.prescription?.copy()
            $0.referral = Reference { $0.reference = "#referral" }
            $0.facility = facility
            $0.claim = SyntheticParts.reference(to: claim)
            $0.outcome = .complete
            $0.careTeam = [careTeam(practitioner)]
            $0.diagnosis = occasion.conditions.enumerated().map { diagnosis($0 + 1, $1) }
            $0.insurance = [
                ExplanationOfBenefitInsurance {
                    $0.focal = true
                    $0.coverage = Reference {
                        $0.reference = "#coverage"
                        $0.display = insurer
                    }
                }
            ]
            $0.item = items.map(\.item)
            $0.total = [
                total(SyntheticVocabulary.submitted, occasion.total), total(SyntheticVocabulary.benefit, items.reduce(0) { $0 + $1.paid }),
            ]
            $0.payment = ExplanationOfBenefitPayment { $0.amount = SyntheticParts.money(items.reduce(0) { $0 + $1.paid }) }
        }
    }

    // MARK: - Contained resources

    private func referral(_ practitioner: Practitioner) -> ServiceRequest {
        ServiceRequest {
            $0.id = "referral"
            $0.status = .completed
            $0.intent = .order
            $0.subject = subject.copy()
            $0.requester = SyntheticParts.reference(to: practitioner)
            $0.performer = [SyntheticParts.reference(to: practitioner)]
        }
    }

    private func containedCoverage() -> Coverage {
        Coverage {
            $0.id = "coverage"
            $0.status = .active
            $0.type = CodeableConcept { $0.text = insurer }
            $0.beneficiary = subject.copy()
            $0.payor = [Reference { $0.display = insurer }]
        }
    }

    // MARK: - Parts

    private func careTeam(_ practitioner: Practitioner) -> ExplanationOfBenefitCareTeam {
        ExplanationOfBenefitCareTeam {
            $0.sequence = 1
            $0.provider = SyntheticParts.reference(to: practitioner)
            $0.role = SyntheticCode.hl7("claimcareteamrole", "primary", "Primary provider").plainConcept
        }
    }

    private func diagnosis(_ sequence: Int, _ condition: Condition) -> ExplanationOfBenefitDiagnosis {
        ExplanationOfBenefitDiagnosis {
            $0.sequence = sequence
            $0.diagnosisReference = SyntheticParts.reference(to: condition)
            $0.type = [SyntheticCode.hl7("ex-diagnosistype", "principal", "Principal Diagnosis").plainConcept]
        }
    }

    private func total(_ category: SyntheticCode, _ cents: Int) -> ExplanationOfBenefitTotal {
        ExplanationOfBenefitTotal {
            $0.category = category.concept
            $0.amount = SyntheticParts.money(cents)
        }
    }

    /// When and in which group of claims the insurer worked on it: an extension made of extensions.
    private static func processing(_ date: FHIRDateTime?, _ group: Int) -> Extension {
        part("claim-processing") {
            $0.extension = [
                Extension {
                    $0.url = "received"
                    $0.valueDateTime = date
                },
                Extension {
                    $0.url = "group"
                    $0.valueInteger = group
                },
            ]
        }
    }

    private static func part(_ name: String, _ fill: (Extension) -> Void) -> Extension {
        let result = Extension { $0.url = "https://payer.example.org/fhir/StructureDefinition/\(name)" }
        fill(result)
        return result
    }

    // MARK: - Lines

    /// A line of the claim with what was decided about it, and what is paid for it in cents.
    private mutating func item(_ line: Line, _ occasion: Occasion) -> (item: ExplanationOfBenefitItem, paid: Int) {
        let eligible = line.net * random.number(70...100) / 100
        let deductible = random.chance(20) ? eligible * random.number(5...40) / 100 : 0
        let copay = (eligible - deductible) / 10
        let paid = eligible - deductible - copay
        let reduction = eligible < line.net ? random.pick(SyntheticVocabulary.reductions) : nil
        let place = random.pick(SyntheticVocabulary.places)
        let isReviewed = random.chance(30)
        let item = ExplanationOfBenefitItem {
            $0.extension = [
                Self.part("line-revenue-center") { $0.valueCoding = line.revenue.coding },
                Self.part("line-allowed-units") { $0.valueQuantity = Quantity { $0.value = FHIRDecimal(line.units) } },
            ]
            if isReviewed { $0.extension.append(Self.review(occasion.period.end)) }
            $0.sequence = line.sequence
            $0.diagnosisSequence = line.diagnoses
            $0.category = SyntheticCode.hl7("ex-benefitcategory", "1", "Medical Care").plainConcept
            $0.productOrService = line.service.concept
            $0.servicedPeriod = occasion.period.copy()
            $0.locationCodeableConcept = place.plainConcept
            $0.quantity = Quantity { $0.value = FHIRDecimal(line.units) }
            $0.net = SyntheticParts.money(line.net)
            if line.sequence == 1 { $0.encounter = [occasion.encounter.copy()] }
            $0.adjudication = zip(SyntheticVocabulary.adjudications, [line.net, eligible, deductible, copay, paid, 0]).map { code, cents in
                ExplanationOfBenefitItemAdjudication {
                    $0.category = code.plainConcept
                    if code.code == "eligible" { $0.reason = reduction?.plainConcept }
                    $0.amount = SyntheticParts.money(cents)
                }
            }
        }
        return (item, paid)
    }

    private static func review(_ date: FHIRDateTime?) -> Extension {
        part("line-review") {
            $0.extension = [
                Extension {
                    $0.url = "result"
                    $0.valueCode = "accepted"
                },
                Extension {
                    $0.url = "date"
                    $0.valueDateTime = date
                },
            ]
        }
    }
}
