// What this library uses of the Foundation of systems with Objective-C, with Apple's signatures and no content: see Scripts/check-apple.py. Files find
// it although they import Foundation, as the check imports this module into each.

open class UndoManager {
    public init() {}

    @MainActor @preconcurrency
    public func registerUndo<TargetType>(withTarget target: TargetType, handler: @escaping @MainActor (TargetType) -> Void)
    where TargetType: AnyObject {}

    open func setActionName(_ actionName: String) {}
}
