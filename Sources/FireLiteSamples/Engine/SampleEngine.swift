import FireLite
import Foundation

/// Brings samples of a source to external stores, each exactly once.
///
/// ```swift
/// let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
/// let result = try await engine.run()
/// ```
/// The store's file keeps how far the source was read for each external store and which samples it has, committed with the batch. So a run
/// that was stopped, failed or was killed goes on where it was, and a run without news sends nothing.
public final class SampleEngine: Sendable {
    /// Settings of an engine.
    public struct Configuration: Sendable {
        /// How many samples a batch has at most; nil for 2,000 in a ``LocalStore`` and 500 elsewhere.
        public var batchSize: Int?
        /// How many types are worked on at a time.
        public var parallelTypes = 1
        /// Whether a type of which nothing is new is read again from the beginning, which finds what was deleted from the store, what another
        /// mapping makes of it, and what was rejected before. Default: false, as it costs the time of reading a file as a whole.
        public var readsAgain = false

        /// The standard settings.
        public init() {}
    }

    /// The store whose file keeps anchors.
    public let store: FHIRStore
    /// What gives the samples.
    public let source: any SampleSource
    /// Where the samples go. Each has its own anchors.
    public let destinations: [any ExternalStore]
    /// Is asked before each step.
    public let delegate: (any SampleDelegate)?
    /// The settings.
    public let configuration: Configuration

    /// Creates an engine. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - store: the store whose file keeps anchors.
    ///   - source: what gives the samples.
    ///   - destinations: where the samples go, one after the other.
    ///   - delegate: is asked before each step.
    ///   - configuration: the settings.
    /// - Precondition: a ``LocalStore`` among the destinations is of the same store.
    public init(
        store: FHIRStore, source: any SampleSource, destinations: [any ExternalStore], delegate: (any SampleDelegate)? = nil,
        configuration: Configuration = Configuration()
    ) {
        misuse(
            unless: destinations.allSatisfy { ($0 as? LocalStore).map { $0.store === store } ?? true },
            "a LocalStore is of another store than its engine: create both with the same store")
        self.store = store
        self.source = source
        self.destinations = destinations
        self.delegate = delegate
        self.configuration = configuration
    }

    /// Brings what is new to every external store.
    ///
    /// - Parameters:
    ///   - types: the types; nil for all that the source has. A source that gives all types in one order gives all of them.
    ///   - progress: called after each batch with what was done so far. An error that it throws ends the run.
    /// - Returns: what was done. A delegate that stops is no error.
    /// - Throws: what the source or an external store throws, after which the anchor is where it was; `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func run(
        types: [SampleType]? = nil, progress: ProgressHandler<SampleRunResult>? = nil
    ) async throws -> SampleRunResult {
        let available = try await source.types()
        let types = available == [.all] ? [.all] : types ?? available
        let tally = SampleTally(progress: progress)
        for destination in destinations {
            try await run(types, destination, tally)
            if let store = destination as? any CommittingStore { tally.wait(try await store.finish(self.store)) }
        }
        return tally.result
    }

    /// Brings what is new, and from then on what the source reports, until the task is cancelled or the source ends.
    ///
    /// - Parameters:
    ///   - types: the types; nil for all that the source has.
    ///   - progress: called after each batch with what was done so far. An error that it throws ends the run.
    /// - Throws: as ``run(types:progress:)``.
    public func observe(types: [SampleType]? = nil, progress: ProgressHandler<SampleRunResult>? = nil) async throws {
        let available = try await source.types()
        let types = types ?? available
        // Before the first run, so that nothing in between is missed.
        let news = source.news(of: types)
        try await run(types: types, progress: progress)
        for await type in news { try await run(types: [type], progress: progress) }
        try Task.checkCancellation()
    }

    private func run(_ types: [SampleType], _ destination: any ExternalStore, _ tally: SampleTally) async throws {
        let width = max(1, configuration.parallelTypes)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, type) in types.enumerated() {
                if number >= width { try await group.next() }
                group.addTask { try await SampleTransfer(engine: self, destination: destination, type: type, tally: tally).run() }
            }
            try await group.waitForAll()
        }
    }
}
