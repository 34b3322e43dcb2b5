#if canImport(UIKit) && !os(watchOS)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif
#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
    extension NSDiffableDataSourceSnapshot where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {
        /// The snapshot for a diffable data source: `dataSource.apply(NSDiffableDataSourceSnapshot(sections.snapshot))`.
        ///
        /// - Parameters:
        ///   - snapshot: sections with identities of items.
        ///   - changed: items that stay and whose content changed, which are configured again. Those that are not there are skipped. Default: none.
        public init(
            _ snapshot: SectionedSnapshot<SectionIdentifierType, ItemIdentifierType>, reconfiguring changed: [ItemIdentifierType] = []
        ) {
            self.init()
            appendSections(snapshot.sections)
            for section in snapshot.sections { appendItems(snapshot.items[section] ?? [], toSection: section) }
            #if canImport(UIKit)
                reconfigureItems(changed.filter { indexOfItem($0) != nil })
            #else
                reloadItems(changed.filter { indexOfItem($0) != nil })
            #endif
        }
    }
#endif
