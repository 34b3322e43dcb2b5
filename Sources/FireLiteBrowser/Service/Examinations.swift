import FireLite
import FireLiteCore
import Foundation

/// What the check of the file and the validation of its resources last said, each begun from a page and kept until the program ends.
///
/// `@unchecked Sendable`: `lock` guards `kept`.
final class Examinations: @unchecked Sendable {
    /// What is examined.
    enum Kind: String, CaseIterable, Sendable {
        /// The file: SQLite's integrity, the registry, digests, payloads.
        case check
        /// Every resource, by the rules of its release and the profiles that the pages know.
        case validate
    }

    enum Outcome: Sendable, Hashable {
        case running
        case faults([String])
        case issues(Issues)
        case failed(String)
    }

    /// What a validation has found.
    struct Issues: Sendable, Hashable {
        var resources = 0
        var errors = 0
        var warnings = 0
        /// Resources with errors, the first of them.
        var wrong: [Wrong] = []
        var wrongCount = 0
    }

    /// A resource with errors.
    struct Wrong: Sendable, Hashable {
        let type: String
        let id: String?
        let errors: Int
    }

    struct Report: Sendable {
        let begun: Date
        var ended: Date?
        /// The state of the file when it began.
        let state: String
        var outcome = Outcome.running
    }

    private struct Kept {
        var report: Report
        var task: Task<Void, Never>?
    }

    /// The number of resources with errors that are listed.
    private static let most = 50

    private let lock = NSLock()
    private var kept: [Kind: Kept] = [:]

    deinit { for one in kept.values { one.task?.cancel() } }

    /// What the last one said, or is doing; nil if there was none.
    func report(_ kind: Kind) -> Report? { lock.withLock { kept[kind]?.report } }

    /// A text that is another after one has begun or ended.
    var state: String {
        lock.withLock {
            Kind.allCases.compactMap { kept[$0] }.map {
                "-\(Int($0.report.begun.timeIntervalSince1970))\($0.report.ended == nil ? "r" : "")"
            }.joined()
        }
    }

    /// Begins one, unless it is running.
    func begin(_ kind: Kind, _ browser: StoreBrowser) {
        let clock = browser.configuration.clock
        lock.withLock {
            if let running = kept[kind], running.report.ended == nil { return }
            kept[kind] = Kept(report: Report(begun: clock.now(), state: browser.facts.state()))
            let (store, configuration) = (browser.store, browser.configuration)
            kept[kind]?.task = Task.detached { [weak self] in
                let outcome = await Self.outcome(of: kind, store, configuration)
                self?.end(kind, outcome, clock.now())
            }
        }
    }

    private func end(_ kind: Kind, _ outcome: Outcome, _ now: Date) {
        lock.withLock {
            kept[kind]?.report.outcome = outcome
            kept[kind]?.report.ended = now
            kept[kind]?.task = nil
        }
    }

    private static func outcome(of kind: Kind, _ store: FHIRStore, _ configuration: StoreBrowser.Configuration) async -> Outcome {
        do {
            switch kind {
            case .check: return .faults(try await store.check().map(\.text))
            case .validate: return .issues(try await store.reading { try issues(store, configuration) })
            }
        } catch {
            return .failed(PageProblem(error).remedy)
        }
    }

    private static func issues(_ store: FHIRStore, _ configuration: StoreBrowser.Configuration) throws -> Issues {
        var found = Issues()
        try store.read { transaction in
            for type in try transaction.counts().map(\.typeName) {
                try transaction.forEach(typeName: type) { resource in
                    let issues = PageIssue.all(of: resource, configuration)
                    found.resources += 1
                    let errors = issues.count { $0.severity == .error }
                    found.errors += errors
                    found.warnings += issues.count { $0.severity == .warning }
                    guard errors > 0 else { return }
                    found.wrongCount += 1
                    if found.wrong.count < most { found.wrong.append(Wrong(type: type, id: resource.id, errors: errors)) }
                }
            }
        }
        return found
    }
}
