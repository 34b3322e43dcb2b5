// What this library uses of AppKit, with Apple's signatures and no content: see Scripts/check-apple.py.

public struct NSDiffableDataSourceSnapshot<SectionIdentifierType, ItemIdentifierType>
where SectionIdentifierType: Hashable, ItemIdentifierType: Hashable {
    public init() {}
    public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {}
    public mutating func appendItems(_ identifiers: [ItemIdentifierType], toSection sectionIdentifier: SectionIdentifierType? = nil) {}
    public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {}
    public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? { nil }
}
