import FireLiteSearch
import Foundation

/// A scope of SMART App Launch for FHIR resources: version 2, `patient/Observation.rs?category=vital-signs`, or version 1, `user/*.read`.
public struct SMARTScope: Sendable, Hashable, CustomStringConvertible {
    /// To whose data it applies.
    public enum Context: String, Sendable, CaseIterable {
        /// The patient of the token.
        case patient
        /// What the user may see.
        case user
        /// What the system may see.
        case system
    }

    /// A kind of interaction, with the letter of version 2.
    public enum Permission: Character, Sendable, CaseIterable {
        /// To create resources.
        case create = "c"
        /// To read resources and their versions.
        case read = "r"
        /// To change resources.
        case update = "u"
        /// To delete resources.
        case delete = "d"
        /// To search for resources.
        case search = "s"
    }

    /// To whose data it applies.
    public let context: Context
    /// The resource type; nil for all.
    public let type: String?
    /// The interactions that it permits.
    public let permissions: Set<Permission>
    /// The search parameters that resources must meet.
    let conditions: [SearchRequest.Parameter]

    /// Parses a scope; nil for a text that is not a scope for resources, such as `openid`.
    ///
    /// Letters must be in the order `cruds`, as the specification demands; a scope that cannot be parsed permits nothing.
    ///
    /// - Parameter text: the scope.
    public init?(_ text: String) {
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let sides = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2, let context = Context(rawValue: String(sides[0])) else { return nil }
        let words = sides[1].split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 2, !words[0].isEmpty, let permissions = Self.permissions(words[1]) else { return nil }
        guard words[0] == "*" || words[0].allSatisfy({ $0.isASCII && $0.isLetter }) else { return nil }
        if halves.count > 1 {
            guard let items = try? QueryItems(halves[1]), !items.all.isEmpty else { return nil }
            conditions = items.all
        } else {
            conditions = []
        }
        self.context = context
        type = words[0] == "*" ? nil : String(words[0])
        self.permissions = permissions
    }

    init(context: Context, type: String?, permissions: Set<Permission>, conditions: [SearchRequest.Parameter]) {
        self.context = context
        self.type = type
        self.permissions = permissions
        self.conditions = conditions
    }

    private static func permissions(_ word: Substring) -> Set<Permission>? {
        switch word {
        case "read": return [.read, .search]
        case "write": return [.create, .update, .delete]
        case "*": return Set(Permission.allCases)
        default:
            var rest = Substring("cruds")
            var found: Set<Permission> = []
            for letter in word {
                guard let place = rest.firstIndex(of: letter), let permission = Permission(rawValue: letter) else { return nil }
                rest = rest[rest.index(after: place)...]
                found.insert(permission)
            }
            return found.isEmpty ? nil : found
        }
    }

    /// The scopes in a claim or parameter `scope`, without those that are not about resources.
    public static func list(_ text: String) -> [SMARTScope] { text.split(separator: " ").compactMap { SMARTScope(String($0)) } }

    /// The scope in the syntax of version 2.
    public var description: String {
        let letters = "cruds".filter { letter in permissions.contains { $0.rawValue == letter } }
        let query = conditions.isEmpty ? "" : "?" + QueryItems.encoded(conditions)
        return "\(context.rawValue)/\(type ?? "*").\(letters)\(query)"
    }

    /// Whether it permits an interaction with some resources of a type; nil for the type if any type will do.
    func permits(_ permission: Permission, _ type: String?) -> Bool {
        permissions.contains(permission) && (self.type == nil || type == nil || self.type == type)
    }
}
