/// What is done with a record, with HL7's codes of consent actions.
public struct PermissionAction: RawRepresentable, Sendable, Hashable {
    /// The code.
    public let rawValue: String
    /// The action with this code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reading: what a restricted view does.
    public static let access = PermissionAction(rawValue: "access")
    /// Gathering.
    public static let collect = PermissionAction(rawValue: "collect")
    /// Using for a purpose.
    public static let use = PermissionAction(rawValue: "use")
    /// Passing on.
    public static let disclose = PermissionAction(rawValue: "disclose")
    /// Changing.
    public static let correct = PermissionAction(rawValue: "correct")
}
