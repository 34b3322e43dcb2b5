import Foundation
import TestSupport

/// The servers that `Scripts/servers.sh` has started on this machine.
enum SampleServers {
    static let fhir: URL? = {
        let path = PackageFolder.url.appendingPathComponent(".build/servers/running.json").path
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        do { return try JSONDecoder().decode([String: String].self, from: data)["fhir"].flatMap { URL(string: $0) } } catch { return nil }
    }()
}
