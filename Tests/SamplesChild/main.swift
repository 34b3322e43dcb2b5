import FireLiteR4
import FireLiteSampleSync
import Foundation

// Imports an export, to be killed meanwhile, and writes how far it is.
// `local STORE EXPORT` stores Observations, `measure STORE EXPORT` does so in large batches and writes its peak memory in MB; `folder STORE EXPORT FOLDER` adds to an external store that is a folder.
// `push STORE EXPORT URL` sends to a FHIR server.
let arguments = CommandLine.arguments
guard arguments.count >= 4 else { exit(2) }
let store = try FHIRStore(path: arguments[2], release: .r4)
let destination: any ExternalStore
switch arguments[1] {
case "folder": destination = FolderStore(path: arguments[4])
case "push":
    guard let base = URL(string: arguments[4]) else { exit(2) }
    destination = FHIRExternalStore(try FHIRClient(base: base, release: .r4))
default: destination = LocalStore(store)
}
var configuration = SampleEngine.Configuration()
if arguments[1] != "measure" { configuration.batchSize = 20 }
let engine = SampleEngine(
    store: store, source: try AppleExport(URL(fileURLWithPath: arguments[3])), destinations: [destination], configuration: configuration)
FileHandle.standardOutput.write(Data("ready\n".utf8))
let result = try await engine.run { _ in FileHandle.standardOutput.write(Data("batch\n".utf8)) }
FileHandle.standardOutput.write(Data("done \(result.read)\n".utf8))
if arguments[1] == "measure" {
    let status = FileManager.default.contents(atPath: "/proc/self/status").map { String(decoding: $0, as: UTF8.self) } ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    FileHandle.standardOutput.write(Data("peak \((peak ?? 0) / 1_024)\n".utf8))
}
