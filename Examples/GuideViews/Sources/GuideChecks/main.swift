import FireLiteCore
import FireLiteKnowledge
import FireLiteProfiles
import FireLiteR4
import Foundation

// GuideChecks FOLDER… [--instances N]: checks the generated views with the packages in the folders, which are unpacked.

var arguments = Array(CommandLine.arguments.dropFirst())
var instances = 1_000
if let index = arguments.firstIndex(of: "--instances"), index + 1 < arguments.count {
    instances = Int(arguments[index + 1]) ?? instances
    arguments.removeSubrange(index...index + 1)
}
let guides = try Guides(arguments)
let validator = FHIRValidator(knowledge: guides.knowledge)
var faults = 0

@MainActor func fault(_ text: String) {
    faults += 1
    if faults <= 200 { print(text) }
}

// Examples: reading every property and writing it back changes nothing.
var rewritten = 0
for (name, data) in guides.examples {
    guard let resource = try? FHIRJSON.lenientResource(from: data, release: .r4).resource else { continue }
    for check in checks where check.type == resource.resourceType {
        let before = FHIRJSON.string(resource)
        check.rewrite(resource)
        rewritten += 1
        if FHIRJSON.string(resource) != before { fault("\(name) is changed by \(check.name)") }
    }
}
print("\(guides.examples.count) examples, \(rewritten) times read and written through a view of their type")

// Random instances: valid by the validator, and without issues by the view.
var made = 0
var read = 0
var byMessage: [String: Int] = [:]
for (number, check) in checks.enumerated() {
    var bad = 0
    for round in 0..<(instances + checks.count - 1) / checks.count {
        var maker = Maker(guides, seed: UInt64(number * 1_000_000 + round))
        let resource = check.make(&maker)
        made += 1
        let own = check.issues(resource).filter { $0.severity == .error }
        let errors = try validator.validate(resource, against: [check.url]).filter { $0.severity == .error }
        for issue in own { byMessage["\(check.name) (view) \(issue.path) \(issue.message)", default: 0] += 1 }
        for issue in errors {
            byMessage["\(check.name) \(issue.path) \(issue.messageID) \(issue.key ?? "") \(issue.message)", default: 0] += 1
        }
        if !own.isEmpty || !errors.isEmpty { bad += 1 }
        // Reading and writing what breaks the profile must not trap.
        var damage = Damage(seed: UInt64(number * 1_000_000 + round))
        if let broken = damage.broken(resource) {
            _ = check.issues(broken)
            check.rewrite(broken)
            read += 1
        }
    }
    if bad > 0 { fault("\(check.name): \(bad) instances are not valid") }
}
for (message, count) in byMessage.sorted(by: { $0.key < $1.key }).prefix(200) { print("  \(count) \(message)") }
print("\(made) instances of \(checks.count) profiles, \(read) of them read and written after damage, \(faults) faults")
exit(faults == 0 ? 0 : 1)
