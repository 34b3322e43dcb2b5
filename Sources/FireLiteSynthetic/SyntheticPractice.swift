import FireLiteCore
import FireLiteR4

/// An organization and the practitioners who work there.
struct SyntheticPractice {
    let organization: Organization
    let practitioners: [Practitioner]
    /// Where the organization is, for claims.
    let location: Location
    /// The ids given so far.
    let ids: SyntheticIDSource

    var resources: [FHIRResource] { [organization] + practitioners }

    init(random: SyntheticRandom, number: Int) {
        var random = random
        let city = random.pick(SyntheticVocabulary.cities)
        let id = random.id("Organization")
        organization = Organization {
            $0.id = id
            $0.meta = SyntheticParts.meta("Organization")
            $0.identifier = [SyntheticParts.identifier("https://practices.example.org/organizations", "P-\(1_000 + number)")]
            $0.active = true
            $0.type = [SyntheticCode.hl7("organization-type", "prov", "Healthcare Provider").concept]
            $0.name = "\(city.name) Family Practice \(number + 1)"
            $0.telecom = [SyntheticParts.phone(&random, use: .work)]
            $0.address = [SyntheticParts.address(&random, city)]
        }
        practitioners = (0..<4).map { index in SyntheticPractice.practitioner(&random, number * 4 + index) }
        location = SyntheticPractice.location(&random, organization)
        ids = random.ids
    }

    private static func location(_ random: inout SyntheticRandom, _ organization: Organization) -> Location {
        let id = random.id("Location")
        return Location {
            $0.id = id
            $0.meta = SyntheticParts.meta("Location")
            $0.status = .active
            $0.name = organization.name
            $0.telecom = organization.telecom.map { $0.copy() }
            $0.address = organization.address.first?.copy()
            $0.managingOrganization = SyntheticParts.reference(to: organization)
        }
    }

    private static func practitioner(_ random: inout SyntheticRandom, _ number: Int) -> Practitioner {
        let isFemale = random.chance(50)
        let given = random.pick(isFemale ? SyntheticVocabulary.femaleNames : SyntheticVocabulary.maleNames)
        let family = random.pick(SyntheticVocabulary.familyNames)
        let id = random.id("Practitioner")
        return Practitioner {
            $0.id = id
            $0.meta = SyntheticParts.meta("Practitioner")
            $0.identifier = [SyntheticParts.identifier("http://hl7.org/fhir/sid/us-npi", "\(9_999_000_000 + number)")]
            $0.active = true
            $0.name = [
                HumanName {
                    $0.family = family
                    $0.given = [given]
                    $0.prefix = ["Dr."]
                }
            ]
            $0.gender = isFemale ? .female : .male
            $0.telecom = [SyntheticParts.phone(&random, use: .work)]
        }
    }
}
