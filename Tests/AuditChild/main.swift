import FireLiteR4
import FireLiteTrust
import Foundation

// Writes and reads an audited store, to be killed meanwhile or run beside another.
// `AuditChild STORE KEY NAME COUNT` makes so many commits, in turn a write and reads, and reports each that is committed.
let arguments = CommandLine.arguments
guard arguments.count == 5, let count = Int(arguments[4]) else { exit(2) }
let signer = SigningIdentity(id: "device", key: try PrivateKey(pem: Secret(Data(contentsOf: URL(fileURLWithPath: arguments[2])))))
let store = try FHIRStore(path: arguments[1], release: .r4)
let trail = try store.startAudit(by: signer, party: AuditParty(arguments[3]))
func report(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
report("ready")
for number in 0..<count {
    let id = "\(arguments[3])-\(number)"
    if number % 2 == 0 {
        try store.write { tx in
            let patient = Patient()
            patient.id = id
            try tx.upsert(patient)
        }
    } else {
        try trail.append([AuditAccess(.read, "Patient", id: id), AuditAccess(.read, "Patient", id: id)])
    }
    report("\(number)")
}
