import FireLite
import Foundation

/// Transfers the samples of a source to external stores, each exactly once.
///
/// ```swift
/// let engine = SampleEngine(store: store, source: source, destinations: [LocalStore(store)])
/// let result = try await engine.run()
/// ```
/// The store's file records how far the source was read for each external store, and which samples it has, committed with the batch. A run
/// that was stopped, failed or killed therefore continues where it ended, and a run without new samples sends nothing.
public final class SampleEngine: Sendable {
    /// Settings of an engine.
    public struct Configuration: Sendable {
        /// The maximum number of samples in a batch; nil for 2,000 in a ``LocalStore`` and 500 elsewhere.
        public var batchSize: Int?
        /// The number of types that are processed at a time.
        public var parallelTypes = 1
        /// Whether a type without new samples is read again from the beginning. This finds samples that were deleted from the store, that
        /// another mapping writes differently, or that were rejected before. Default: false, as it reads the whole file.
        public var readsAgain = false

        /// The standard settings.
        public init() {}
    }

    /// The store whose file keeps anchors.
    public let store: FHIRStore
    /// The source of the samples.
    public let source: any SampleSource
    /// The destinations of the samples. Each has its own anchors.
    public let destinations: [any ExternalStore]
    /// The delegate that is asked before each step.
    public let delegate: (any SampleDelegate)?
    /// The settings.
    public let configuration: Configuration

    /// Creates an engine. Nothing is read yet.
    ///
    /// - Parameters:
    ///   - store: the store whose file keeps anchors.
    ///   - source: the source of the samples.
    ///   - destinations: where the samples go, in this order.
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

    /// Transfers new samples to every external store.
    ///
    /// - Parameters:
    ///   - types: the types; nil for all that the source has. A source that returns all types in one order always returns all of them.
    ///   - progress: called after each batch with the result so far. An error that it throws ends the run.
    /// - Returns: the result. A stop by the delegate is not an error.
    /// - Throws: errors of the source or an external store, after which the anchor is unchanged; `FHIRStoreError`; `CancellationError`.
    @discardableResult
    public func run(
        types: [SampleType]? = nil, progress: ProgressHandler<SampleRunResult>? = nil
    ) async throws -> SampleRunResult {
        let available = try await source.types()
        let types = available == [.all] ? [.all] : types ?? available
        let tally = SampleTally(progress: progress)
        for destination in destinations {
            (destination as? any CommittingStore)?.begin()
            try await run(types, destination, tally)
            if let store = destination as? any CommittingStore { tally.wait(try await store.finish(self.store)) }
        }
        return tally.result
    }

    /// Transfers new samples, and then those that the source reports, until the task is cancelled or the source ends.
    ///
    /// - Parameters:
    ///   - types: the types; nil for all that the source has.
    ///   - progress: called after each batch with the result so far. An error that it throws ends the run.
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
