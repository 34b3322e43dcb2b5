// Compiled on Apple's systems, and by Scripts/check-apple.py with stand-ins.
#if canImport(UIKit) && !os(watchOS)
    import FireLiteR4Names
    import FireLiteUI
    import Observation
    import UIKit

    // example MovingFromFetchedResults.md
    @MainActor
    final class VisitList {
        private let table: UITableView
        private var visits: [String: R4.Encounter] = [:]
        private lazy var dataSource = UITableViewDiffableDataSource<DateSection, String>(tableView: table) { [weak self] table, place, pk in
            let cell = table.dequeueReusableCell(withIdentifier: "visit", for: place)
            var content = cell.defaultContentConfiguration()
            content.text = self?.visits[pk]?.type.first?.displayText
            cell.contentConfiguration = content
            return cell
        }

        init(_ table: UITableView) { self.table = table }

        func follow(_ store: FHIRStore) async throws {
            let query = store.query(R4.Encounter.self).sort(\.period.start, .reverse)
            for try await update in query.updates(changes: true) { show(update) }
        }

        private func show(_ update: QueryUpdate<R4.Encounter>) {
            visits = Dictionary(uniqueKeysWithValues: update.results.map { ($0.pk, $0) })
            let months = SectionedSnapshot(
                update.results, section: { DateSection(.month, of: $0.period?.start) }, item: \.pk)
            let changed = update.changes?.updates.map { update.results[$0.index].pk } ?? []
            dataSource.apply(
                NSDiffableDataSourceSnapshot(months, reconfiguring: changed), animatingDifferences: update.changes != nil)
        }
    }
    // end

    // example MovingFromFetchedResults.md
    @MainActor
    final class VisitBatches {
        private let table: UITableView
        private let visits: LiveSections<DateSection, R4.Encounter>
        /// What the table's data source counts and shows.
        private(set) var sections: [ResultSection<DateSection, R4.Encounter>] = []

        init(_ table: UITableView, _ store: FHIRStore) {
            self.table = table
            let query = store.query(R4.Encounter.self).sort(\.period.start, .reverse)
            visits = LiveSections(query, pageSize: 50, by: .month, of: \.period.start)
            show()
        }

        private func show() {
            withObservationTracking {
                _ = visits.sections
            } onChange: { [weak self] in
                Task { @MainActor in self?.show() }
            }
            table.performBatchUpdates { [self] in
                sections = visits.sections
                apply(visits.takeChanges())
            }
        }

        private func apply(_ changes: SectionChanges) {
            func path(_ place: SectionChanges.Place) -> IndexPath { IndexPath(row: place.item, section: place.section) }
            table.deleteSections(IndexSet(changes.deletedSections), with: .automatic)
            table.insertSections(IndexSet(changes.insertedSections), with: .automatic)
            for move in changes.movedSections { table.moveSection(move.from, toSection: move.to) }
            table.deleteRows(at: changes.deletedItems.map(path), with: .automatic)
            table.insertRows(at: changes.insertedItems.map(path), with: .automatic)
            for move in changes.movedItems { table.moveRow(at: path(move.from), to: path(move.to)) }
        }
    }
// end
#endif

#if canImport(ObjectiveC)
    import FireLiteR4Names
    import FireLiteUI
    import Foundation

    // example MovingFromFetchedResults.md
    @MainActor
    func rename(_ patient: R4.Patient, to family: String, _ undo: HistoryUndo, _ manager: UndoManager) throws {
        guard let id = patient.id, let name = patient.name.first else { return }
        try undo.perform("Rename", on: [("Patient", id)]) { _ in name.family = family }
        undo.register(with: manager) { error in print(error.localizedDescription) }
    }
// end
#endif
