import FireLiteCore
import Foundation

/// The types and parameters of compartments.
struct Compartments: Sendable {
    /// Parameters by type, by the compartment's type.
    private let parameters: [String: [String: [String]]]

    /// - Parameter release: the release's short name.
    init(release: String) {
        let name = ReleaseFacts.of(release).compartments
        var parameters: [String: [String: [String]]] = [:]
        for line in CompartmentTable.text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 4, words[3] == "*" || words[3].split(separator: ",").contains(Substring(name)) else { continue }
            parameters[String(words[0]), default: [:]][String(words[1])] = words[2].split(separator: ",").map(String.init).filter {
                $0 != "{def}"
            }
        }
        self.parameters = parameters
    }

    /// The compartments of the releases, each made when it is first asked for.
    ///
    /// `@unchecked Sendable`: `lock` guards the dictionary.
    private final class Known: @unchecked Sendable {
        private let lock = NSLock()
        private var known: [String: Compartments] = [:]

        func compartments(_ release: String) -> Compartments {
            lock.withLock {
                if let found = known[release] { return found }
                let made = Compartments(release: release)
                known[release] = made
                return made
            }
        }
    }

    private static let all = Known()

    /// The same as `init(release:)`, made once for each release.
    static func known(_ release: String) -> Compartments { all.compartments(release) }

    /// The types of compartments.
    var types: [String] { parameters.keys.sorted() }

    /// The types with resources in a compartment, without that of the compartment itself.
    func members(of compartment: String) -> [String] { (parameters[compartment] ?? [:]).keys.filter { $0 != compartment }.sorted() }

    /// The parameters that put a resource of a type into a compartment.
    func parameters(of type: String, in compartment: String) -> [String] { parameters[compartment]?[type] ?? [] }
}
