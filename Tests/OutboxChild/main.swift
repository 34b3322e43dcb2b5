import FireLite
import FireLiteR4
import FireLiteSync
import Foundation

// Sends what waits in a store's outbox, to be killed meanwhile.
// `flush STORE SERVER` sends to a FHIR server that is a folder, and writes how far it is.
// `post STORE URL` sends to a FHIR server at an address.
let arguments = CommandLine.arguments
guard arguments.count == 4, let base = URL(string: arguments[1] == "post" ? arguments[3] : "https://fhir.example.org/base") else { exit(2) }
let store = try FHIRStore(path: arguments[2], release: .r4)
let client =
    arguments[1] == "post"
    ? try FHIRClient(base: base, release: .r4)
    : try FHIRClient(base: base, release: .r4, transport: FileServer(folder: arguments[3], reports: true))
let outbox = try Outbox(store: store, client: client)
FileHandle.standardOutput.write(Data("ready\n".utf8))
let result = try await outbox.flush()
FileHandle.standardOutput.write(Data("sent \(result.sent.count)\n".utf8))
if let stop = result.stop {
    FileHandle.standardError.write(Data("\(stop)\n".utf8))
    exit(3)
}
