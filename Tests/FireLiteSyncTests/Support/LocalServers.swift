import Foundation
import TestSupport

/// The servers that `Scripts/servers.sh` has started on this machine.
enum LocalServers {
    static let folder = PackageFolder.url.appendingPathComponent(".build/servers").path

    /// The addresses by name; empty if no server runs.
    private static let addresses: [String: String] = {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/running.json"))
            return try JSONDecoder().decode([String: String].self, from: data)
        } catch { return [:] }
    }()

    /// Answers with faults on purpose.
    static let faulty = addresses["faulty"].flatMap { URL(string: $0) }
    /// sekmet, open to everybody.
    static let fhir = addresses["fhir"].flatMap { URL(string: $0) }
    /// sekmet, which wants SMART's backend services.
    static let smart = addresses["smart"].flatMap { URL(string: $0) }
    /// Authlib's OAuth server, with a resource to protect.
    static let oauth = addresses["oauth"].flatMap { URL(string: $0) }

    static let hint = "the server does not run: Scripts/servers.sh install, then Scripts/servers.sh run swift test"
}
