import FireLite

extension Importer {
    /// An import whose outcomes go to a rejects file and a terminal; each file is one transaction.
    init(
        store: FHIRStore, options: ContentOptions, origin: WriteOrigin = .local, rejects: NDJSONFile?,
        progress: ProgressLine? = nil, report: @escaping (String) -> Void = { _ in },
        noteMends: @escaping ([MendedPlace]) throws -> Void = { _ in }
    ) {
        var handlers = Handlers()
        handlers.reject = { try rejects?.append($0.map(RejectedLine.init)) }
        handlers.note = { notes in
            try progress?.clear()
            for note in notes { report(note) }
        }
        handlers.mend = noteMends
        handlers.progress = { try progress?.update(resources: $0.resources ?? 0, bytes: $0.completed) }
        self.init(store: store, options: options, origin: origin, handlers: handlers)
    }
}
